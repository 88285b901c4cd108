// The elements beside the numbers of an exact tier (rule 11): infinities, NaN and poison, as codes above every number.
#pragma once

#include "compiler/ir/expression.h"

#include <cstdint>
#include <optional>

namespace tileproof::oracle::symbols {

inline constexpr uint64_t infinity = uint64_t{1} << 63;
inline constexpr uint64_t minus_infinity = infinity + 1;
inline constexpr uint64_t nan = infinity + 2;
inline constexpr uint64_t poison = infinity + 3;

constexpr bool is_number(uint64_t code) { return code < infinity; }
constexpr bool is_infinite(uint64_t code) { return code == infinity || code == minus_infinity; }
/// Precondition: is_infinite(code).
constexpr uint64_t negate(uint64_t code) { return code ^ 1; }

/// Poison, else NaN, if one of the operands is; poison is strict, and stronger than NaN.
constexpr std::optional<uint64_t> strict(uint64_t a, uint64_t b) {
  if (a == poison || b == poison) return poison;
  if (a == nan || b == nan) return nan;
  return std::nullopt;
}

/// The sign of a real number, as far as it is known.
enum class Sign : int8_t { negative = -1, zero = 0, positive = 1, unknown = 2 };

constexpr Sign negate(Sign sign) { return sign == Sign::unknown ? sign : static_cast<Sign>(-static_cast<int>(sign)); }

// Where at least one operand is a symbol, and the signs of numbers are as given.

constexpr std::optional<uint64_t> add(uint64_t a, uint64_t b) {
  if (const auto result = strict(a, b)) return result;
  if (is_infinite(a) && is_infinite(b)) return a == b ? a : nan;
  return is_infinite(a) ? a : b;
}

/// infinity * 0 and infinity * (a number of unknown sign) are NaN.
constexpr uint64_t signed_infinity(Sign a, Sign b) {
  if (a == Sign::unknown || b == Sign::unknown || a == Sign::zero || b == Sign::zero) return nan;
  return a == b ? infinity : minus_infinity;
}

constexpr Sign sign_of_infinite(uint64_t code) { return code == infinity ? Sign::positive : Sign::negative; }

/// Compares two operands of which at least one is infinite and none is NaN; numbers lie between the infinities.
constexpr bool compare(ir::Op op, uint64_t a, uint64_t b) {
  const auto place = [](uint64_t code) { return code == infinity ? 1 : code == minus_infinity ? -1 : 0; };
  const int left = place(a), right = place(b);
  switch (op) {
    case ir::Op::less: return left < right;
    case ir::Op::less_equal: return left <= right;
    case ir::Op::greater: return left > right;
    case ir::Op::greater_equal: return left >= right;
    case ir::Op::equal: return left == right;
    default: return left != right;
  }
}

}  // namespace tileproof::oracle::symbols
