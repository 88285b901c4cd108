#pragma once

namespace tileproof::ir {

/// The quotient rounded down. Precondition: b is not 0, and a / b does not overflow.
template <class Integer>
constexpr Integer floor_divide(Integer a, Integer b) {
  const Integer quotient = a / b;
  return quotient - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
}

}  // namespace tileproof::ir
