// Exact real arithmetic, for a judge that owes nothing to the oracle's tiers.
//
// A value is a rational number, exactly; or all that is known of it is that it lies between two rational numbers, which is how exp
// and its like are evaluated; or it is infinite, not a number, or unknown. f32 and f64 are never rounded (how a floating sum
// associates is not defined); every narrower float is, exactly; integers wrap, every one of them. So two values that certainly
// differ here differ in the arithmetic of docs/language.md. What only a rounding to f32 or f64 tells apart is not seen.
#pragma once

#include "oracle/domain/domain.h"

#include <gmpxx.h>

#include <cstdint>
#include <deque>
#include <map>
#include <span>

namespace tileproof::fuzz {

/// What the inputs of a run are. Everything is keyed by (key, buffer, element).
struct ExactInputs {
  enum class Form : uint8_t {
    small,  ///< integers from -3 to 3 (unsigned: 0 to 6), and halves of them for floats
    digits,  ///< floats with as many digits as their dtype has, exponents of -3 to 3; integers over their range
    extremes,  ///< the lowest and highest of the dtype or of the declared range, 0, and 1; floats about them -8, 8, 0, 1
    zeros,
    ones,
    lowest,
    highest,
  };
  Form form = Form::small;
  uint64_t key = 1;
  uint64_t planted_buffer = 0;  ///< hash of its name; 0: no element is planted
  int64_t planted_element = 0;  ///< this one is at an extreme, whatever `form` says
  bool planted_high = true;
};

struct ExactValue {
  enum class Kind : uint8_t { number, infinite, not_a_number, unknown, poison };
  Kind kind = Kind::poison;
  bool negative = false;  ///< infinite
  uint32_t low = 0, high = 0;  ///< number: places in the store of the domain; equal: the value is exact
};

class Exact {
 public:
  using Value = ExactValue;
  using Kind = ExactValue::Kind;

  explicit Exact(const ExactInputs& inputs) : inputs_(inputs) {}

  static Value poison() { return {}; }
  static bool is_poison(Value v) { return v.kind == Kind::poison; }
  bool is_nan(Value v) const { return v.kind == Kind::not_a_number; }
  Value input(const oracle::InputElement& at);
  Value integer(int64_t value) { return exact(mpq_class(mpz_of(value))); }
  Value literal(ir::Decimal decimal);
  Value infinity() const { return {Kind::infinite, false}; }
  Value nan() const { return {Kind::not_a_number}; }

  Value negate(Value a);
  Value add(Value a, Value b, ir::Dtype dtype);
  Value subtract(Value a, Value b, ir::Dtype dtype) { return add(a, negate(b), dtype); }
  Value multiply(Value a, Value b, ir::Dtype dtype);
  Value divide(Value a, Value b, ir::Dtype dtype);
  Value min(Value a, Value b) { return negate(max(negate(a), negate(b))); }
  Value max(Value a, Value b);
  Value compare(ir::Op op, Value a, Value b);
  Value select(Value c, Value a, Value b);
  Value apply(ir::Op op, std::span<const Value> values, ir::Dtype dtype);
  Value narrow(Value v, const oracle::Narrowing& narrowing);
  Value identity(ir::Update update);
  Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype);
  uint64_t digest(Value v);
  Value from_digest(uint64_t digest);

  /// Whether the values, of two domains, are certainly not the same.
  static bool differ(const Exact& one, Value a, const Exact& other, Value b);
  std::string describe(Value v) const;

 private:
  ExactInputs inputs_;
  std::deque<mpq_class> store_;
  bool inexact_digest_ = false;

  static mpz_class mpz_of(int64_t value);
  const mpq_class& low(Value v) const { return store_[v.low]; }
  const mpq_class& high(Value v) const { return store_[v.high]; }
  bool is_exact(Value v) const { return v.kind == Kind::number && v.low == v.high; }
  uint32_t keep(mpq_class value);
  Value exact(mpq_class value);
  Value between(mpq_class low, mpq_class high);
  Value wrapped(Value v, ir::Dtype dtype);
  /// A monotone function of both ends.
  template <class F>
  Value on_ends(Value v, const F& f) {
    if (v.low == v.high) return exact(f(low(v)));
    return between(f(low(v)), f(high(v)));
  }
  int sign(Value v) const;  ///< of an infinity or a number; 0: zero or open
  Value to_float(Value v, ir::Dtype to);
  Value to_integer(Value v, ir::Dtype to);
  Value function(ir::Op op, Value v);
  Value integers(ir::Op op, Value a, Value b);
  Value sum(Value a, Value b);
  Value product(Value a, Value b);
};

static_assert(oracle::Domain<Exact>);

}  // namespace tileproof::fuzz
