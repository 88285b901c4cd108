// Banks, bytes and 64 bits.
#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/catalogue.h"
#include "oracle/prove/hint.h"

#include <numeric>

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

const Term E = Term::variable("E"), t = Term::variable("t"), c = Term::variable("c"), R = Term::variable("R");

std::vector<Goal> psum_fit() {
  const Term bank = Term::variable("bank"), width = Term::variable("bytes"), f = Term::variable("f"),
             base = Term::variable("base"), j = Term::variable("j");
  const Term budget = ar::tile_of(bank, width);
  const Formula sizes = width >= 1 && bank >= width;
  return {{"it fits", sizes && f >= 1 && f <= budget, f * width <= budget * width && f * width <= bank},
          {"no more fit", sizes, budget >= 1 && (budget + 1) * width > bank},
          {"the first and the last byte are in one bank", sizes && f >= 1 && f * width <= bank && base == bank * j,
           f * width >= 1 && quotient_is(base, bank, j) && quotient_is(base + (f * width - 1), bank, j)}};
}

/// Elements of each width below a byte that lie in whole bytes; Torq's element types have 1 to 8 bits.
std::vector<Goal> packed_start() {
  std::vector<Goal> goals;
  const Term k = Term::variable("k"), u = Term::variable("u");
  for (int64_t width = 1; width <= 8; ++width) {
    const int64_t packed = 8 / std::gcd(int64_t{8}, width);
    goals.push_back({std::to_string(width) + " bits", true,
                     (k * packed * width) % Term(8) == 0 && implies((u * width) % Term(8) == 0, u % Term(packed) == 0)});
  }
  return goals;
}

std::vector<Goal> packed_bytes() {
  std::vector<Goal> goals;
  const Term k = Term::variable("k"), rest = Term::variable("rest");
  for (int64_t width = 1; width <= 8; ++width) {
    const int64_t packed = 8 / std::gcd(int64_t{8}, width);
    const auto bytes = [&](const Term& elements) { return (elements * width + 7) / Term(8); };
    goals.push_back({std::to_string(width) + " bits", k >= 0 && rest >= 0,
                     bytes(k * packed + rest) == bytes(k * packed) + bytes(rest) && bytes(k * packed) * 8 == k * packed * width});
  }
  return goals;
}

std::vector<Goal> no_overflow() {
  const Term limit = int64_t{1} << 62, B = Term::variable("B"), step = Term::variable("step"), o = Term::variable("o"),
             i = Term::variable("i");
  const Formula sizes = c >= 1 && E >= 1 && R >= 1 && c * E >= 1 && (c * E) * R < limit && c * E <= (c * E) * R;
  const Formula tiled = sizes && t >= 1 && t <= E;
  const auto fits = [&](const Term& value) { return value >= 0 && value < limit; };
  /// Below 2^63: twice as much as the elements.
  const auto fits_twice = [&](const Term& value) { return value >= 0 && value - limit < limit; };
  return {
      {"the committed extents", sizes, c <= c * E && fits(c) && fits(c * E)},
      {"the tile of the budget", sizes && B >= 1 && B < limit, fits(ar::tile_of(B, c))},
      {"an aligned tile", t >= 1 && t < limit && step >= 1, fits(t / step) && t / step * step <= t && fits(t / step * step)},
      {"trips and tail", tiled,
       E <= c * E && fits(E - 1) && fits((E - 1) / t) && (E - 1) / t <= E - 1 && fits(ar::trips(E, t)) && fits(ar::tail(E, t))},
      {"an index, masked ones included", tiled && o >= 0 && o < ar::trips(E, t) && i >= 0 && i < t,
       E <= c * E && E < limit && ((E - 1) / t) * t <= E - 1 && o * t <= ((E - 1) / t) * t && fits(o * t) &&
           fits_twice(ar::joined(o, t, i))},
      {"the elements of a tile", tiled, c * t <= c * E && fits(c * t)},
      {"the trips of all loops", tiled,
       ar::trips(E, t) <= E && E <= c * E && E * R <= (c * E) * R && ar::trips(E, t) * R <= E * R && fits(ar::trips(E, t) * R)},
      {"all points of the nest, masked ones included", tiled,
       ar::trips(E, t) * t <= E - 1 + t && ar::trips(E, t) * t <= 2 * E && (c * R) * (ar::trips(E, t) * t) <= (c * R) * (2 * E) &&
           fits_twice((c * R) * (ar::trips(E, t) * t))}};
}

}  // namespace

std::vector<Lemma> memory_lemmas() {
  return {
      {.name = "psum.fit",
       .function = "penguin::arithmetic::tile_of",
       .statement =
           "A free tile of at most bank / bytes elements lies within one bank wherever a bank begins, and no larger one fits.",
       .sizes = "bank, bytes of an element: 1 or more",
       .goals = psum_fit},
      {.name = "bytes.packed-start",
       .function = "machine::unaligned_bit",
       .statement =
           "A tile of packed elements begins with a byte exactly where it begins at a multiple of 8 / gcd(8, bits) elements.",
       .sizes = "elements: any; bits: 1..8",
       .tie = Tie::model,
       .goals = packed_start},
      {.name = "bytes.packed-sum",
       .function = "machine::unaligned_bit",
       .statement = "Cut at such multiples, the tiles take as many bytes together as the whole.",
       .sizes = "elements: any; bits: 1..8",
       .tie = Tie::model,
       .goals = packed_bytes},
      {.name = "cut.no-overflow",
       .function = "penguin::compute_cut",
       .statement = "Where the extents' product is below 2^62, every number on the way is below 2^63.",
       .sizes = "extents: product below 2^62; cut size: below 2^62",
       .goals = no_overflow},
  };
}

}  // namespace tileproof::prove
