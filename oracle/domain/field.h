// The field tier: numbers modulo 2^61 - 1, in which + - * / are exact and every law of the reals that is an identity of rational
// functions holds.
//
// Two programs that agree on all reals agree here, short of laws that are not modelled (max is not idempotent: the lattice tier;
// exp is an opaque function: the exp tier). Two that do not agree differ with probability about 1 - 2^-60 for each compared
// element, in the random-function model; a rounding at another place is seen with probability 1 - 2^-20 (with more than two
// narrow dtypes less: the groups share 40 bits).
#pragma once

#include "oracle/domain/contraction.h"
#include "oracle/domain/keyed_domain.h"

#include <algorithm>
#include <vector>

namespace tileproof::oracle {

class FieldArithmetic {
 public:
  using Modulus = FieldModulus;
  using Value = uint64_t;   ///< a number, or a symbol

  explicit FieldArithmetic(KeyStream&) {}

  static uint64_t first(Value v) { return v; }
  static Value symbol(uint64_t code) { return code; }
  static Value integer(int64_t value) { return Modulus::from_integer(value); }
  static Value scaled(int64_t digits, uint64_t base, int64_t exponent) { return Modulus::scaled(digits, base, exponent); }
  static Value drawn(uint64_t number) { return number; }
  static Value add(Value a, Value b) { return Modulus::add(a, b); }
  static Value subtract(Value a, Value b) { return Modulus::subtract(a, b); }
  static Value negate(Value a) { return Modulus::negate(a); }
  static Value multiply(Value a, Value b) { return Modulus::multiply(a, b); }
  /// Precondition: b != 0. One row is usually divided by one number: the last inverse is kept.
  Value divide(Value a, Value b) {
    if (b != divisor_) {
      divisor_ = b;
      inverse_ = Modulus::inverse(b);
    }
    return Modulus::multiply(a, inverse_);
  }
  /// As that of 1 by each. The running products go into `products_`; the inverse of the last of them gives, from the end, all others.
  void invert_all(Value* values, int64_t n) {
    products_.resize(static_cast<size_t>(n));
    Value product = 1;
    for (int64_t i = 0; i < n; ++i) {
      products_[static_cast<size_t>(i)] = product;
      product = Modulus::multiply(product, values[i]);
    }
    Value inverse = Modulus::inverse(product);
    for (int64_t i = n; i-- > 0;) {
      const Value value = values[i];
      values[i] = Modulus::multiply(inverse, products_[static_cast<size_t>(i)]);
      inverse = Modulus::multiply(inverse, value);
    }
  }
  static Value exp(Value, Value opaque) { return opaque; }

 private:
  Value divisor_ = 1, inverse_ = 1;
  std::vector<Value> products_;
};

/// Field(signature, projection, key). The same arguments give the same element for the same input in both programs of a check.
class Field : public Keyed<Field, FieldArithmetic> {
 public:
  using Keyed::Keyed;

  using Packed = uint64_t;
  static constexpr int64_t panel = field_panel;
  bool contracts(ir::Dtype, ir::Dtype) const { return true; }
  bool pack(Value v, Packed& packed) const {
    packed = v;
    return is_number(v);
  }
  bool contract(Value* sums, const Packed* a, const Packed* b, int64_t count) const {
    if (!std::all_of(sums, sums + panel, is_number)) return false;
    contract_field(sums, a, b, count);
    return true;
  }
};

static_assert(Domain<Field>);

}  // namespace tileproof::oracle
