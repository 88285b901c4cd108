// Arithmetic modulo the two primes of the exact tiers.
//
//   field tier   p  = 2^61 - 1                      reduction is a shift and an addition
//   exp tier     p' = 2305843201413480359           = 2^61 + 192199786407, the least prime above 2^61 with q | p' - 1
//                q  = 2^31 - 1                      a prime
//
// p' lies just above 2^61 so that every 60-bit number is an |v| (words.h), as in the field tier. 7 is a primitive root of p' (p'
// - 1 = 2 * 7 * 76695851 * q), hence generator = 7^((p'-1)/q) has order q. p itself cannot serve as p': the largest prime factor
// of p - 1 is 1321.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tileproof::oracle {

__extension__ typedef unsigned __int128 Wide;

/// Arithmetic modulo 2^61 - 1; operands and results are below the modulus.
struct Mersenne61 {
  static constexpr uint64_t modulus = (uint64_t{1} << 61) - 1;

  static constexpr uint64_t reduce(Wide product) {
    const uint64_t sum = (static_cast<uint64_t>(product) & modulus) + static_cast<uint64_t>(product >> 61);
    return sum >= modulus ? sum - modulus : sum;
  }
};

/// Arithmetic modulo p'.
struct ExpPrime {
  static constexpr uint64_t modulus = 2305843201413480359;
  static constexpr uint64_t order = (uint64_t{1} << 31) - 1;  ///< q, the order of `generator`
  static constexpr uint64_t excess = modulus - (uint64_t{1} << 61);

  // 2^61 = -excess (mod p'), and excess < 2^38: two folds bring 122 bits down to 62.
  static constexpr uint64_t reduce(Wide product) {
    constexpr uint64_t low61 = (uint64_t{1} << 61) - 1;
    const Wide first = Wide{static_cast<uint64_t>(product >> 61)} * excess;  // < 2^100
    const Wide second = Wide{static_cast<uint64_t>(first >> 61)} * excess;  // < 2^77
    const uint64_t third = static_cast<uint64_t>(second >> 61) * excess;  // < 2^54
    const uint64_t plus = (static_cast<uint64_t>(product) & low61) + (static_cast<uint64_t>(second) & low61);
    const uint64_t minus = (static_cast<uint64_t>(first) & low61) + third;
    // plus < 2^62, minus < 2^62; both are within two moduli.
    const uint64_t difference = plus + 2 * modulus - minus;
    const uint64_t once = difference >= 2 * modulus ? difference - 2 * modulus : difference;
    return once >= modulus ? once - modulus : once;
  }
};

/// The operations that both moduli share.
template <class Prime>
struct Modular : Prime {
  using Prime::modulus;

  static constexpr uint64_t add(uint64_t a, uint64_t b) {
    const uint64_t sum = a + b;
    return sum >= modulus ? sum - modulus : sum;
  }
  static constexpr uint64_t negate(uint64_t a) { return a == 0 ? 0 : modulus - a; }
  static constexpr uint64_t subtract(uint64_t a, uint64_t b) { return a >= b ? a - b : a + modulus - b; }
  static constexpr uint64_t multiply(uint64_t a, uint64_t b) { return Prime::reduce(Wide{a} * b); }

  static constexpr uint64_t power(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1, base = multiply(base, base))
      if ((exponent & 1) != 0) result = multiply(result, base);
    return result;
  }
  /// Precondition: a != 0.
  static constexpr uint64_t inverse(uint64_t a) {
    if constexpr (modulus == (uint64_t{1} << 61) - 1) {
      // a^(2^61 - 3) = (a^(2^59 - 1))^4 * a, by way of a^(2^k - 1): half the products that `power` takes.
      constexpr auto squared = [](uint64_t x, int times) {
        for (; times > 0; --times) x = multiply(x, x);
        return x;
      };
      const uint64_t two = multiply(squared(a, 1), a), four = multiply(squared(two, 2), two),
                     eight = multiply(squared(four, 4), four), sixteen = multiply(squared(eight, 8), eight),
                     thirty_two = multiply(squared(sixteen, 16), sixteen);
      const uint64_t fifty_six = multiply(squared(multiply(squared(thirty_two, 16), sixteen), 8), eight);
      const uint64_t fifty_eight = multiply(squared(fifty_six, 2), two);
      return multiply(squared(multiply(squared(fifty_eight, 1), a), 2), a);
    }
    return power(a, modulus - 2);
  }

  /// min(a, -a): below 2^60, or in the exp tier at most 2^60 + 2^37.
  static constexpr uint64_t magnitude(uint64_t a) { return a > modulus / 2 ? modulus - a : a; }
  static constexpr bool is_negative(uint64_t a) { return a > modulus / 2; }

  static constexpr uint64_t from_integer(int64_t value) {
    const uint64_t size = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
    const uint64_t residue = size % modulus;
    return value < 0 ? negate(residue) : residue;
  }
  /// digits * base^exponent, base 2 or 10.
  static constexpr uint64_t scaled(int64_t digits, uint64_t base, int64_t exponent) {
    const uint64_t scale =
        exponent < 0 ? inverse(power(base, static_cast<uint64_t>(-exponent))) : power(base, static_cast<uint64_t>(exponent));
    return multiply(from_integer(digits), scale);
  }
};

using FieldModulus = Modular<Mersenne61>;
using ExpModulus = Modular<ExpPrime>;

/// An element of order q in the multiplicative group modulo p'.
inline constexpr uint64_t generator = ExpModulus::power(7, (ExpModulus::modulus - 1) / ExpModulus::order);
static_assert(generator != 1 && ExpModulus::power(generator, ExpModulus::order) == 1);

/// generator^exponent from tables of the powers of its four bytes: three multiplications.
inline uint64_t generator_power(uint32_t exponent) {
  using Table = std::array<std::array<uint64_t, 256>, 4>;
  static const Table table = [] {
    Table powers{};
    uint64_t step = generator;
    for (auto& row : powers) {
      row[0] = 1;
      for (size_t i = 1; i < row.size(); ++i) row[i] = ExpModulus::multiply(row[i - 1], step);
      step = ExpModulus::multiply(row.back(), step);
    }
    return powers;
  }();
  uint64_t product = table[0][exponent & 255];
  for (size_t byte = 1; byte < 4; ++byte) product = ExpModulus::multiply(product, table[byte][(exponent >> (8 * byte)) & 255]);
  return product;
}

}  // namespace tileproof::oracle
