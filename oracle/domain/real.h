// Real numbers with a running error bound: the ieee runs (rules 7 and 10) and the directed runs (rule 5).
//
//   ieee      each operation rounds to the dtype it is computed in, each narrowing to its own; integers wrap at 64 bits
//   directed  double arithmetic without narrow rounding of floats (u = 2^-52); integers still wrap, round and saturate
//
// The bound is on the distance to the value in ideal arithmetic: exact reals, with the narrow roundings where the program has
// them. Two programs that agree ideally therefore differ by at most the sum of their two bounds. A narrowing of a value known up
// to e can only flip as far as the roundings of value + e and value - e lie apart: most bounds end there. An infinite bound means
// that nothing can be said.
#pragma once

#include "oracle/domain/contraction.h"
#include "oracle/domain/domain.h"
#include "oracle/domain/keyed.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::oracle {

/// How the inputs of a run are made. Random ones are keyed by (key, buffer, element).
struct Plan {
  enum class Inputs : uint8_t {
    normal,  ///< nearly normal with standard deviation 1 or `scale`, at random; integers over their range, wide ones about +-100
    coarse,  ///< -1, 0, 1 or 2 at random (unsigned dtypes: 0 to 3, e8m0 their powers of two): many values are equal
    slight,  ///< floats as in `normal`, integers -1, 0 or 1 (0 to 2 of unsigned dtypes): sums and extrema of few values stay small
    full_range,  ///< over all exponents of the dtype, subnormals included; integers over the dtype, often its extremes
    all_lowest,  ///< floats -8, integers lowest
    all_highest,  ///< floats 8, integers highest
    all_at,  ///< `at`, as near as the dtype (and the declared range) has it
  };
  struct Planted {
    uint64_t buffer_hash = 0;
    int64_t element = 0;
    bool high = true;  ///< 8 or -8; integers: the highest or lowest of the dtype or of the declared range
    std::optional<double> at = std::nullopt;  ///< instead: this value, as near as the dtype has it
  };
  Inputs inputs = Inputs::normal;
  double scale = 1;  ///< of every second input element, about
  std::optional<Planted> planted;  ///< one element at an extreme, whatever `inputs` says
  double at = 0;  ///< all_at
  std::optional<uint64_t> but = std::nullopt;  ///< all_at: hash of the buffer that is random as in `normal`
};

struct RealOptions {
  bool rounding = true;  ///< ieee; false: directed
  bool operations_in_f64 = false;  ///< f32 operations are rounded to f64: so that each rounding to f32 happens at a narrowing
  Projection projection;  ///< what the tier that is compared with leaves out: only widens bounds
};

struct RealValue {
  enum class Kind : uint8_t { real, integer, poison };
  uint64_t bits = 0;  ///< of a double or of an int64_t
  double error = 0;  ///< of an integer too: where a rounding may have flipped
  Kind kind = Kind::poison;
};

class Real {
 public:
  using Value = RealValue;

  Real(const RealOptions& options, const Plan& plan, uint64_t key);

  static Value poison() { return {}; }
  static bool is_poison(Value v) { return v.kind == Value::Kind::poison; }
  bool is_nan(Value v) const { return v.kind == Value::Kind::real && std::isnan(std::bit_cast<double>(v.bits)); }
  /// Neither infinite, NaN nor poison.
  static bool is_finite(Value v) {
    return v.kind == Value::Kind::integer || (v.kind == Value::Kind::real && std::isfinite(std::bit_cast<double>(v.bits)));
  }

  Value input(const InputElement& at) const;
  Value integer(int64_t value) const { return make(value, 0); }
  Value literal(ir::Decimal decimal) const;
  /// An operand of an operation that is computed in a floating dtype.
  static Value as_real(Value v) {
    if (!is_integer(v)) return v;
    const double value = to_double(v);
    const bool exact = std::abs(value) <= 0x1p53;
    return make(value, exact ? v.error : v.error + std::abs(value) * 0x1p-52);
  }
  Value infinity() const { return make(std::numeric_limits<double>::infinity(), 0); }
  Value nan() const { return make(std::numeric_limits<double>::quiet_NaN(), 0); }

  Value negate(Value a) const;
  [[gnu::always_inline]] Value add(Value a, Value b, ir::Dtype dtype) const {
    if (in_f32(a, b, dtype)) [[likely]] {
      const double x = std::bit_cast<double>(a.bits), y = std::bit_cast<double>(b.bits), sum = x + y, part = sum - x;
      const double lost = std::abs((x - (sum - part)) + (y - part));
      if (const auto result = static_cast<double>(static_cast<float>(sum)); std::abs(result) <= largest_f32)
        return make(result, (a.error + b.error + lost + std::abs(result - sum)) * slack);
    }
    return add_carefully(a, b, dtype);
  }
  Value subtract(Value a, Value b, ir::Dtype dtype) const { return add(a, negate(b), dtype); }
  [[gnu::always_inline]] Value multiply(Value a, Value b, ir::Dtype dtype) const {
    if (in_f32(a, b, dtype)) [[likely]] {
      const double x = std::bit_cast<double>(a.bits), y = std::bit_cast<double>(b.bits), product = x * y;
      // The double product of two f32 is exact.
      const bool exact = static_cast<double>(static_cast<float>(x)) == x && static_cast<double>(static_cast<float>(y)) == y;
      if (const auto result = static_cast<double>(static_cast<float>(product)); exact && std::abs(result) <= largest_f32)
        return make(result,
                    (a.error * std::abs(y) + b.error * std::abs(x) + a.error * b.error + std::abs(result - product)) * slack);
    }
    return multiply_carefully(a, b, dtype);
  }
  /// sum + a * b, as accumulate(add, sum, multiply(a, b)): the innermost step of a contraction, in place.
  void multiply_add(Value& sum, const Value& a, const Value& b, ir::Dtype computed, ir::Dtype accumulated) const {
    if (a.kind == Value::Kind::real && b.kind == Value::Kind::real && sum.kind == Value::Kind::real && rounds_to_f32() &&
        computed == ir::Dtype::f32 && accumulated == ir::Dtype::f32) [[likely]] {
      const double x = std::bit_cast<double>(a.bits), y = std::bit_cast<double>(b.bits), s = std::bit_cast<double>(sum.bits);
      const double product = x * y, step = static_cast<double>(static_cast<float>(product)), total = s + step, part = total - s;
      const double result = static_cast<double>(static_cast<float>(total));
      const double error = a.error * std::abs(y) + b.error * std::abs(x) + a.error * b.error + std::abs(step - product) +
                           sum.error + std::abs((s - (total - part)) + (step - part)) + std::abs(result - total);
      const bool exact = static_cast<double>(static_cast<float>(x)) == x && static_cast<double>(static_cast<float>(y)) == y;
      if (exact && std::abs(step) <= largest_f32 && std::abs(result) <= largest_f32 &&
          error < std::numeric_limits<double>::infinity()) [[likely]] {
        sum.bits = std::bit_cast<uint64_t>(result);
        sum.error = error * (slack * slack);
        return;
      }
    }
    sum = accumulate(ir::Update::add, sum, multiply(a, b, computed), accumulated);
  }
  using Packed = float;
  static constexpr int64_t panel = real_panel;
  bool contracts(ir::Dtype computed, ir::Dtype combined) const {
    return rounds_to_f32() && computed == ir::Dtype::f32 && combined == ir::Dtype::f32;
  }
  /// Numbers that are exact in f32.
  bool pack(Value v, Packed& packed) const {
    packed = static_cast<float>(to_double(v));
    return v.kind == Value::Kind::real && v.error == 0 && static_cast<double>(packed) == to_double(v) && std::isfinite(packed);
  }
  bool contract(Value* sums, const Packed* a, const Packed* b, int64_t count) const;
  Value divide(Value a, Value b, ir::Dtype dtype) const;
  Value max(Value a, Value b) const { return extreme(a, b, false); }
  Value min(Value a, Value b) const { return extreme(a, b, true); }
  /// 0 or 1; with error 1 where the bounds leave it open.
  Value compare(ir::Op op, Value a, Value b) const;
  /// The compares that were made, by an identity of the caller's (an expression of a statement): whether equal values met there.
  const std::map<uint64_t, bool>& compared() const { return compared_; }
  bool& compared_at(uint64_t place) { return compared_[place]; }
  static bool equal(Value a, Value b) { return !is_poison(a) && !is_poison(b) && to_double(a) == to_double(b); }
  Value select(Value c, Value a, Value b) const;
  Value apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype) const;
  Value narrow(Value v, const Narrowing& narrowing);
  static constexpr bool narrows_once = true;  ///< what a buffer holds is not changed by another narrowing to its dtype
  Value identity(ir::Update update) const;
  Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) const {
    return update == ir::Update::add ? add(old, value, dtype) : accumulate_other(update, old, value, dtype);
  }

  /// An opaque function of inexact values says nothing about the other program's: what it yields has an infinite bound.
  uint64_t digest(Value v);
  Value from_digest(uint64_t digest) const;

  /// Below and above all that a value known up to `error` can be. One step further than the sums: what a double next to `value`
  /// hides may be all of the error.
  static std::pair<double, double> around(double value, double error) {
    const double step = (std::abs(value) + error) * 0x1p-52 + std::numeric_limits<double>::denorm_min();
    return {value - error - step, value + error + step};
  }
  /// By Site: whether a narrowing changed a value in this run (an infinity that becomes an integer's lowest or highest does not
  /// count).
  const std::vector<bool>& changed() const { return changed_; }

  enum class Agreement : uint8_t { agree, differ, not_judged };
  /// Of the same element in two programs. Two NaN agree; so do two equal infinities.
  static Agreement agreement(Value a, Value b);
  static double to_double(Value v) { return is_integer(v) ? static_cast<double>(int_of(v)) : std::bit_cast<double>(v.bits); }
  bool exceeded() const { return false; }
  std::string reason() const { return {}; }
  std::string describe(Value v) const;

 private:
  static constexpr double slack = 1 + 8 * 0x1p-52;  ///< covers the roundings of the bounds themselves
  static constexpr double largest_f32 = std::numeric_limits<float>::max();

  /// The common case: two reals with finite bounds, computed in f32 with rounding.
  bool in_f32(Value a, Value b, ir::Dtype dtype) const {
    return a.kind == Value::Kind::real && b.kind == Value::Kind::real && dtype == ir::Dtype::f32 && rounds_to_f32() &&
           a.error + b.error < std::numeric_limits<double>::infinity();
  }
  bool rounds_to_f32() const { return options_.rounding && !options_.operations_in_f64; }
  Value accumulate_other(ir::Update update, Value old, Value value, ir::Dtype dtype) const;
  Value add_carefully(Value a, Value b, ir::Dtype dtype) const;
  Value multiply_carefully(Value a, Value b, ir::Dtype dtype) const;
  static Value make(double value, double error) { return {std::bit_cast<uint64_t>(value), error, Value::Kind::real}; }
  static Value make(int64_t value, double error) { return {static_cast<uint64_t>(value), error, Value::Kind::integer}; }
  static bool is_integer(Value v) { return v.kind == Value::Kind::integer; }
  static int64_t int_of(Value v) { return static_cast<int64_t>(v.bits); }
  Value rounded(double value, double error, ir::Dtype dtype) const;
  Value extreme(Value a, Value b, bool smaller) const;
  Value function(ir::Op op, Value a, ir::Dtype dtype) const;
  Value integer_operation(ir::Op op, Value a, Value b) const;
  Value narrow_to_float(Value v, ir::Dtype to, bool additive) const;
  Value narrow_to_integer(Value v, ir::Dtype to) const;
  void mark_changed(Site site);
  double random_float(ir::Dtype dtype, uint64_t random) const;
  int64_t random_integer(const InputElement& at, uint64_t random) const;
  double normal(uint64_t random) const;
  double scale(uint64_t random) const;

  RealOptions options_;
  Plan plan_;
  KeyStream keys_;
  KeyedHash hash_;
  bool inexact_digest_ = false;
  std::vector<bool> changed_;
  std::map<uint64_t, bool> compared_;
};

static_assert(Domain<Real>);

}  // namespace tileproof::oracle
