// The arithmetic of a cut: where a priority-ordered list of extents is split into a tile and the loops around it.
//
// Each function is written over a number type N, so that the text that the compiler executes over 64-bit integers is the text
// that proofs are about. Besides + - * / % and comparisons, N needs `choose(condition, a, b)`, found by argument-dependent
// lookup, and may bring its own `exceeds`. All numbers are 0 or more and divisors 1 or more, so / rounds down.
//
//   c    committed: the product of the whole extents left of the cut dimension
//   E    the extent of the cut dimension      t    its tile: how much of E one tile holds
//
//   E = 14, t = 4:   [0 1 2 3][4 5 6 7][8 9 10 11][12 13 . .]      trips 4, tail 2
#pragma once

#include <cstdint>

namespace tileproof::penguin::arithmetic {

/// One of two values. Both have been computed.
template <class T>
constexpr T choose(bool condition, const T& a, const T& b) {
  return condition ? a : b;
}

/// Is c * E beyond the limit?
template <class N>
constexpr auto exceeds(const N& committed, const N& extent, const N& limit) {
  return committed * extent > limit;
}

/// ... where a product that does not fit into 64 bits is beyond every limit.
constexpr bool exceeds(const int64_t& committed, const int64_t& extent, const int64_t& limit) {
  int64_t product = 0;
  return __builtin_mul_overflow(committed, extent, &product) || product > limit;
}

/// The most slices of the cut dimension that the budget holds beside what is committed.
template <class N>
constexpr N tile_of(const N& cut_size, const N& committed) {
  return cut_size / committed;
}

/// c * t is a multiple of m exactly where t is a multiple of this step. `divisor` is the greatest common divisor of m and c.
template <class N>
constexpr N alignment_step(const N& multiple, const N& divisor) {
  return multiple / divisor;
}

/// No tile of 1 up to `tile` slices is aligned.
template <class N>
constexpr auto lacks_aligned_tile(const N& tile, const N& step) {
  return tile < step;
}

/// The largest aligned tile up to `tile`; `tile` itself where there is none.
template <class N>
constexpr N aligned_tile(const N& tile, const N& step) {
  return choose(lacks_aligned_tile(tile, step), tile, N(tile / step * step));
}

/// A tile of one slice splits nothing off that the whole dimensions left of the cut do not hold already: the cut moves left.
template <class N>
constexpr auto backs_off(const N& tile) {
  return tile < 2;
}

/// How many tiles cover the extent: the quotient rounded up. Precondition: E >= 1.
template <class N>
constexpr N trips(const N& extent, const N& tile) {
  return (extent - 1) / tile + 1;
}

/// What the last tile holds where it is not full; 0: all tiles are full.
template <class N>
constexpr N tail(const N& extent, const N& tile) {
  return extent % tile;
}

/// The index that two factors stand for. `low_extent` is the extent of the low-order factor: the tile, or, where the tile is
/// swapped and holds the high-order factor, E / t.
template <class N>
constexpr N joined(const N& high, const N& low_extent, const N& low) {
  return high * low_extent + low;
}

/// One step of the search for the largest divisor of `extent` downwards from a bound; it stays where it has found one.
template <class N>
constexpr N divisor_step(const N& extent, const N& candidate) {
  return choose(extent % candidate == 0, candidate, N(candidate - 1));
}

/// One step of the search for the smallest divisor of `extent` upwards; it stays where it has found one. From trips(extent, t)
/// upwards it ends at the q for which extent / q is the largest divisor up to t.
template <class N>
constexpr N codivisor_step(const N& extent, const N& candidate) {
  return choose(extent % candidate == 0, candidate, N(candidate + 1));
}

/// What a tile holds, in prefix order: so many whole dimensions, and a slice of the next one (1: nothing beyond one element).
template <class N>
struct Prefix {
  N whole;
  N slice;
};

/// Fewer whole dimensions, or as many and a smaller slice.
template <class N>
constexpr auto holds_less(const Prefix<N>& a, const Prefix<N>& b) {
  return a.whole < b.whole || (a.whole == b.whole && a.slice < b.slice);
}

/// The budget of the dimensions that may be cut where the tile holds the product of the protected ones in any case.
template <class N>
constexpr N budget_beside(const N& cut_size, const N& protected_product) {
  return cut_size / protected_product;
}

}  // namespace tileproof::penguin::arithmetic
