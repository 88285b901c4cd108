// The base of the exp tier (rule 4): pairs in which exp(a) * exp(b) = exp(a + b).
//
//   (v mod p', v mod q)      q = 2^31 - 1 divides p' - 1, and g has order q modulo p'
//   exp(v) = (g^(v mod q), unknown)
//
// The second part is there for exp alone: `unknown` spreads through arithmetic, and only the first parts are compared. A function
// of a value whose second part is unknown is an ordinary keyed function. What is drawn (inputs, results of functions, max,
// projections) has a second part that is a keyed function of the first. A wrong program passes with probability about 2^-31 for
// each compared element.
#pragma once

#include "oracle/domain/keyed_domain.h"

namespace tileproof::oracle {

struct ExpPairValue {
  uint64_t first = 0;  ///< a number modulo p', or a symbol
  uint32_t second = 0;  ///< modulo q, or ExpArithmetic::unknown
  bool operator==(const ExpPairValue& other) const { return first == other.first; }
};

class ExpArithmetic {
 public:
  using Modulus = ExpModulus;
  using Value = ExpPairValue;
  static constexpr uint64_t order = ExpPrime::order;
  static constexpr uint32_t unknown = ~uint32_t{0};

  explicit ExpArithmetic(KeyStream& keys) : hash_(keys) {}

  static uint64_t first(Value v) { return v.first; }
  static Value symbol(uint64_t code) { return {code, unknown}; }
  static Value integer(int64_t value) { return {Modulus::from_integer(value), residue(value)}; }
  static Value scaled(int64_t digits, uint64_t base, int64_t exponent) {
    const uint64_t scale =
        exponent < 0 ? inverse(power(base, static_cast<uint64_t>(-exponent))) : power(base, static_cast<uint64_t>(exponent));
    return {Modulus::scaled(digits, base, exponent), static_cast<uint32_t>(residue(digits) * scale % order)};
  }
  Value drawn(uint64_t number) const {
    if (number == 0) return {};
    const auto second = static_cast<uint32_t>(hash_(Modulus::magnitude(number)) % order);
    return {number, Modulus::is_negative(number) ? opposite(second) : second};
  }

  static Value add(Value a, Value b) {
    return known(a, b) ? pair(Modulus::add(a.first, b.first), uint64_t{a.second} + b.second)
                       : vague(Modulus::add(a.first, b.first));
  }
  static Value subtract(Value a, Value b) { return add(a, negate(b)); }
  static Value negate(Value a) { return {Modulus::negate(a.first), a.second == unknown ? unknown : opposite(a.second)}; }
  static Value multiply(Value a, Value b) {
    const uint64_t product = Modulus::multiply(a.first, b.first);
    return known(a, b) ? pair(product, uint64_t{a.second} * b.second) : vague(product);
  }
  /// Precondition: b is not 0.
  Value divide(Value a, Value b) {
    if (b.first != divisor_.first || b.second != divisor_.second) {
      divisor_ = b;
      const bool invertible = b.second != unknown && b.second != 0;
      inverse_ = {Modulus::inverse(b.first), invertible ? static_cast<uint32_t>(inverse(b.second)) : unknown};
    }
    return multiply(a, inverse_);
  }
  /// `opaque` is the keyed function's value.
  static Value exp(Value a, Value opaque) { return a.second == unknown ? opaque : Value{generator_power(a.second), unknown}; }

 private:
  static bool known(Value a, Value b) { return a.second != unknown && b.second != unknown; }
  static Value pair(uint64_t first, uint64_t second) { return {first, first == 0 ? 0 : static_cast<uint32_t>(second % order)}; }
  static Value vague(uint64_t first) { return {first, first == 0 ? 0 : unknown}; }  // zero is zero in both parts
  static uint32_t opposite(uint32_t second) { return second == 0 ? 0 : static_cast<uint32_t>(order - second); }
  static uint32_t residue(int64_t value) {
    const int64_t remainder = value % static_cast<int64_t>(order);
    return static_cast<uint32_t>(remainder < 0 ? remainder + static_cast<int64_t>(order) : remainder);
  }
  static uint64_t power(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (base %= order; exponent != 0; exponent >>= 1, base = base * base % order)
      if ((exponent & 1) != 0) result = result * base % order;
    return result;
  }
  static uint64_t inverse(uint64_t a) { return power(a, order - 2); }

  KeyedHash hash_;
  Value divisor_{1, 1}, inverse_{1, 1};
};

/// ExpPair(signature, projection, key): as Field, with another modulus and exp as a homomorphism. The exp tier is
/// Lattice<ExpPair, false>.
class ExpPair : public Keyed<ExpPair, ExpArithmetic> {
 public:
  using Keyed::Keyed;
};

static_assert(Domain<ExpPair>);

}  // namespace tileproof::oracle
