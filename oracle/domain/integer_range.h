// Which integers a value can be, whatever the inputs are: interval arithmetic over the declared ranges of the integer inputs. It
// tells roundings and wraps that cannot change a value from those that real runs have merely not seen to change one (rule 7).
#pragma once

#include "compiler/ir/interval.h"
#include "oracle/domain/domain.h"
#include "oracle/domain/narrow_sets.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tileproof::oracle {

struct IntegerRangeValue {
  enum class Kind : uint8_t {
    none,      ///< no value yet: the identity of max and min
    integers,  ///< an integer of `range`
    any,       ///< a float, or an integer of unknown size; within `range` unless it is no number
    poison,
  };
  Kind kind = Kind::poison;
  ir::Interval range;  ///< ends of at most 2^53 in size, which are exact as doubles; of `any`: or beyond all numbers
  bool whole = false;  ///< of `any`: without a fraction, unless it is no number
};

class IntegerRange {
 public:
  using Value = IntegerRangeValue;
  using Kind = Value::Kind;

  static constexpr bool is_pure = true;  ///< a result is that of its operands, whatever was computed before it

  explicit IntegerRange(const Signature& signature) : sets_(signature) {}

  static Value poison() { return {}; }
  static bool is_poison(Value v) { return v.kind == Kind::poison; }
  bool is_nan(Value) const { return false; }
  Value input(const InputElement& at) const;
  Value integer(int64_t value) const { return within({value, value}); }
  Value literal(ir::Decimal decimal) const;
  Value infinity() const { return any(); }
  Value nan() const { return any(); }
  Value negate(Value a) const { return is_number(a) ? Value{a.kind, ir::negated(a.range), a.whole} : a; }
  Value add(Value a, Value b, ir::Dtype) const { return combined(ir::Op::add, a, b); }
  Value subtract(Value a, Value b, ir::Dtype) const { return combined(ir::Op::subtract, a, b); }
  Value multiply(Value a, Value b, ir::Dtype) const { return combined(ir::Op::multiply, a, b); }
  Value divide(Value a, Value b, ir::Dtype) const { return unknown(a, b); }
  Value min(Value a, Value b) const { return negate(max(negate(a), negate(b))); }
  Value max(Value a, Value b) const;
  Value compare(ir::Op, Value a, Value b) const;
  Value select(Value c, Value a, Value b) const;
  Value apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype) const;
  Value narrow(Value v, const Narrowing& narrowing);
  Value identity(ir::Update update) const;
  Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) const;
  uint64_t digest(Value) const { return 0; }
  Value from_digest(uint64_t) const { return any(); }
  bool exceeded() const { return false; }
  std::string reason() const { return {}; }

  /// By Site: an integer that the statement narrows can be one that the dtype does not hold. Floats are judged only where they are
  /// rounded into i32 or u32.
  const std::vector<bool>& misfits() const { return misfits_; }
  /// By Site: a float that may have a fraction is rounded to an integer.
  const std::vector<bool>& fractions() const { return fractions_; }
  /// Some statement narrows into i32 or u32 what it may not hold, and not only when it is read.
  bool words_wrap() const { return words_wrap_; }

 private:
  NarrowSets sets_;
  std::vector<bool> misfits_, fractions_;
  bool words_wrap_ = false;

  static constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();
  static Value any(bool whole = false) { return {Kind::any, {-unbounded, unbounded}, whole}; }
  static bool is_whole(Value v) { return v.kind == Kind::integers || (v.kind == Kind::any && v.whole); }
  static bool is_number(Value v) { return v.kind == Kind::integers || v.kind == Kind::any; }
  static Value within(ir::Interval range);
  static Value combined(ir::Op op, Value a, Value b);
  static Value bitwise(ir::Op op, Value a, Value b);
  static Value unknown(Value a, Value b) { return is_poison(a) || is_poison(b) ? poison() : any(); }
  static Value all_of(ir::Dtype dtype);
  static bool are_integers(Value a, Value b) { return a.kind == Kind::integers && b.kind == Kind::integers; }
  static void note(std::vector<bool>& sites, Site site);
  Value into(Value v, ir::Dtype to, const Narrowing& narrowing);
};

static_assert(Domain<IntegerRange>);

}  // namespace tileproof::oracle
