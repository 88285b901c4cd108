// Where an undefined value comes from: the first statement that computed with something undefined. Explains a finding; decides
// nothing.
#pragma once

#include "oracle/domain/domain.h"

#include <initializer_list>

namespace tileproof::oracle {

struct UndefinedValue {
  enum class Cause : uint8_t {
    none,     ///< defined
    unknown,  ///< a fresh, clobbered or lost element that nothing has computed with yet
    operand,  ///< `site` read an undefined element
    old,      ///< `site` accumulated onto an undefined element
  };
  Cause cause = Cause::none;
  Site site = 0;
};

class Undefined {
 public:
  using Value = UndefinedValue;
  using Cause = UndefinedValue::Cause;

  static Value poison() { return {Cause::unknown}; }
  static bool is_poison(Value v) { return v.cause != Cause::none; }
  bool is_nan(Value) const { return false; }
  Value input(const InputElement&) const { return {}; }
  Value integer(int64_t) const { return {}; }
  Value literal(ir::Decimal) const { return {}; }
  Value infinity() const { return {}; }
  Value nan() const { return {}; }
  Value negate(Value a) const { return a; }
  Value add(Value a, Value b, ir::Dtype) const { return first({a, b}); }
  Value subtract(Value a, Value b, ir::Dtype) const { return first({a, b}); }
  Value multiply(Value a, Value b, ir::Dtype) const { return first({a, b}); }
  Value divide(Value a, Value b, ir::Dtype) const { return first({a, b}); }
  Value min(Value a, Value b) const { return first({a, b}); }
  Value max(Value a, Value b) const { return first({a, b}); }
  Value compare(ir::Op, Value a, Value b) const { return first({a, b}); }
  Value select(Value c, Value a, Value b) const { return first({c, a, b}); }
  Value apply(ir::Op, std::span<const Value> operands, ir::Dtype) const {
    Value result;
    for (const Value& v : operands) result = first({result, v});
    return result;
  }
  Value narrow(Value v, const Narrowing& narrowing) const {
    if (narrowing.site == no_site || (v.cause != Cause::unknown && v.site != unplaced)) return v;
    return {v.cause == Cause::unknown ? Cause::operand : v.cause, narrowing.site};
  }
  Value identity(ir::Update) const { return {}; }
  Value accumulate(ir::Update, Value old, Value value, ir::Dtype) const {
    if (is_poison(value)) return value.cause == Cause::unknown ? Value{Cause::operand, unplaced} : value;
    return old.cause == Cause::unknown ? Value{Cause::old, unplaced} : old;
  }
  uint64_t digest(Value) const { return 0; }
  Value from_digest(uint64_t) const { return {}; }
  bool exceeded() const { return false; }
  std::string reason() const { return {}; }

 private:
  static constexpr Site unplaced = 0x7fff'ffff;   ///< until the statement stores it

  static Value first(std::initializer_list<Value> operands) {
    for (const Value& v : operands) {
      if (is_poison(v)) return v;
    }
    return {};
  }
};

static_assert(Domain<Undefined>);

}  // namespace tileproof::oracle
