// Index maps: delinearize, flatten, swap, windows.
#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/catalogue.h"
#include "oracle/prove/hint.h"

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

const Term E = Term::variable("E"), t = Term::variable("t"), e = Term::variable("e");

Formula within(const Term& index, const Term& extent) { return index >= 0 && index < extent; }

/// `index` and the pair of its factors stand for each other, one to one, where the extent is n * low.
std::vector<Goal> two_factors(const Term& n, const Term& low) {
  const Term h = Term::variable("h"), l = Term::variable("l");
  const Formula sizes = n >= 1 && low >= 1;
  return {
      {"from the index to its factors and back", sizes && within(e, n * low),
       within(e % low, low) && e / low >= 0 && ordered(low, n, e / low) && e / low < n && ar::joined(e / low, low, e % low) == e},
      {"from the factors to their index and back", sizes && within(h, n) && within(l, low),
       ar::joined(h, low, l) >= 0 && h * low <= (n - 1) * low && ar::joined(h, low, l) < n * low &&
           quotient_is(ar::joined(h, low, l), low, h) && ar::joined(h, low, l) % low == l}};
}

std::vector<Goal> delinearize() { return two_factors(Term::variable("n"), t); }

std::vector<Goal> swap() {
  // E == t * n: the tile holds the high-order factor, of extent t; the loop has the low-order one, of extent n.
  const Term n = Term::variable("n");
  std::vector<Goal> goals = two_factors(t, n);
  goals.push_back({"the low-order extent is E / t", t >= 1 && n >= 1 && E == t * n, quotient_is(E, t, n) && E % t == 0});
  return goals;
}

std::vector<Goal> delinearized_access() {
  const Term a = Term::variable("a"), b = Term::variable("b"), k = Term::variable("k");
  const Term linear = t * a + b + t * k;
  return {{"", t >= 1 && within(b, t), quotient_is(t * k, t, k) && quotient_is(linear, t, a + k) && linear % t == b}};
}

/// Rows of a tensor of rank 2, 3 or 4 whose leading dimensions are merged.
std::vector<Goal> flatten() {
  const Term d0 = Term::variable("d0"), d1 = Term::variable("d1"), d2 = Term::variable("d2");
  const Term i0 = Term::variable("i0"), i1 = Term::variable("i1"), i2 = Term::variable("i2"), r = Term::variable("r");
  const Formula sizes = d0 >= 1 && d1 >= 1 && d2 >= 1;
  const Term two = ar::joined(i0, d1, i1), three = ar::joined(two, d2, i2);
  return {{"rank 2", sizes && within(i0, d0), within(i0, d0)},
          {"rank 3, to the row", sizes && within(i0, d0) && within(i1, d1),
           i0 * d1 <= (d0 - 1) * d1 && within(two, d0 * d1) && quotient_is(two, d1, i0) && two % d1 == i1},
          {"rank 3, from the row", sizes && within(r, d0 * d1),
           within(r % d1, d1) && r / d1 >= 0 && ordered(d1, d0, r / d1) && r / d1 < d0 && ar::joined(r / d1, d1, r % d1) == r},
          {"rank 4, to the row", sizes && within(two, d0 * d1) && within(i2, d2),
           two * d2 <= (d0 * d1 - 1) * d2 && within(three, (d0 * d1) * d2) && quotient_is(three, d2, two) && three % d2 == i2},
          {"rank 4, from the row", sizes && within(r, (d0 * d1) * d2),
           within(r % d2, d2) && r / d2 >= 0 && ordered(d2, d0 * d1, r / d2) && r / d2 < d0 * d1 &&
               ar::joined(r / d2, d2, r % d2) == r}};
}

std::vector<Goal> row_band() {
  // Rows (i, j) of a window that begins at (o0, o1) and has v0 x v1 rows in a tensor of d1 rows a page.
  const Term d1 = Term::variable("d1"), v0 = Term::variable("v0"), v1 = Term::variable("v1"), o0 = Term::variable("o0"),
             o1 = Term::variable("o1"), r = Term::variable("r");
  const Formula window = d1 >= 1 && v0 >= 1 && v1 >= 1 && o0 >= 0 && o1 >= 0 && o1 + v1 <= d1;
  const Term first = ar::joined(o0, d1, o1);
  const Formula in_band = within(r, v0 * v1);
  return {{"one page", window && v0 == 1 && in_band, within(r, v1) && ar::joined(o0, d1, o1 + r) == first + r},
          {"whole pages", window && v1 == d1 && in_band,
           o1 == 0 && r < v0 * d1 && within(r % d1, v1) && within(r / d1, v0) &&
               ar::joined(o0 + r / d1, d1, o1 + r % d1) == first + r}};
}

std::vector<Goal> contiguous_tile() {
  const Term R = Term::variable("R"), o = Term::variable("o"), i = Term::variable("i"), j = Term::variable("j"),
             r = Term::variable("r");
  const Term first = ar::joined(o, t, Term(0)) * R;
  const Formula sizes = R >= 1 && t >= 1 && o >= 0;
  return {{"each address is in the run", sizes && within(i, t) && within(j, R),
           i * R <= (t - 1) * R && within(ar::joined(ar::joined(o, t, i), R, j) - first, t * R)},
          {"each address of the run is met", sizes && within(r, t * R),
           within(r % R, R) && within(r / R, t) && ar::joined(ar::joined(o, t, r / R), R, r % R) == first + r}};
}

std::vector<Goal> window_extent() {
  // A window of K taps at stride s under a tile of t points that begins at o*t.
  const Term s = Term::variable("s"), K = Term::variable("K"), o = Term::variable("o"), p = Term::variable("p"),
             k = Term::variable("k");
  const Term low = s * (o * t), extent = s * (t - 1) + K;
  const Formula sizes = s >= 1 && K >= 1 && t >= 1 && o >= 0;
  return {{"each index is in the window", sizes && within(p, t) && within(k, K),
           0 <= s * p && s * p <= s * (t - 1) && within(s * (o * t + p) + k - low, extent)},
          {"both ends are met", sizes, within(Term(0), extent) && s * (o * t + (t - 1)) + (K - 1) - low == extent - 1}};
}

std::vector<Goal> window_contiguity() {
  const Term s = Term::variable("s"), K = Term::variable("K"), p = Term::variable("p"), k = Term::variable("k");
  const Formula sizes = s >= 1 && K >= 1 && t >= 1;
  const Term nearest = min(e / s, t - 1);
  return {{"no hole where the stride is no more than the taps", sizes && s <= K && within(e, s * (t - 1) + K),
           e / s >= 0 && within(nearest, t) && s * (e / s) <= e && s * nearest <= e && within(e - s * nearest, K)},
          {"a hole after the first taps where it is more", sizes && s > K && t >= 2 && within(p, t) && within(k, K),
           (p == 0 || s * p >= s) && s * p + k != K}};
}

}  // namespace

std::vector<Lemma> index_lemmas() {
  constexpr std::string_view joined = "penguin::arithmetic::joined", one = "extents: 1 or more";
  return {
      {.name = "delinearize.bijection",
       .function = joined,
       .statement = "Where the tile divides the extent, index and (outer, inner) stand for each other, one to one.",
       .sizes = "extent, tile: 1 or more",
       .goals = delinearize},
      {.name = "delinearize.access",
       .function = "machine::form_of (floordiv, mod)",
       .statement =
           "An access t*a + b + c with 0 <= b < t and t | c goes to row a + c/t, column b: exactly its quotient and remainder.",
       .sizes = "tile: 1 or more; a, c: any integers",
       .tie = Tie::conformance,
       .goals = delinearized_access},
      {.name = "flatten.bijection",
       .function = joined,
       .statement =
           "Merging the leading dimensions into rows is one to one: each index has its row, and floordiv and mod give it back.",
       .sizes = "extents: 1 or more; rank 2..4",
       .goals = flatten},
      {.name = "flatten.row-band",
       .function = joined,
       .statement = "A window of one page, or of whole pages, is a run of consecutive rows of the flattened tensor.",
       .sizes = "extents, offsets: any",
       .goals = row_band},
      {.name = "swap.bijection",
       .function = joined,
       .statement = "Where the tile divides the extent, a swapped tile (the high-order factor in the tile) meets each element "
                    "exactly once.",
       .sizes = "extent, tile: 1 or more",
       .goals = swap},
      {.name = "window.contiguous",
       .function = joined,
       .statement = "A tile whose inner dimensions are whole is one run of consecutive addresses.",
       .sizes = one,
       .goals = contiguous_tile},
      {.name = "window.extent",
       .function = "transform: localize a window",
       .statement =
           "A buffer of s*(t-1) + K holds what a tile of t points reads through K taps at stride s, and nothing smaller does.",
       .sizes = "tile, taps, stride: 1 or more",
       .tie = Tie::model,
       .goals = window_extent},
      {.name = "window.no-holes",
       .function = "transform: localize a window",
       .statement = "That window has no holes if and only if the stride is no more than the taps, or the tile is one point.",
       .sizes = "tile, taps, stride: 1 or more",
       .tie = Tie::model,
       .goals = window_contiguity},
  };
}

}  // namespace tileproof::prove
