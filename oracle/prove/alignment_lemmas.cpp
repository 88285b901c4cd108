// Alignment of a partition cut, and the cut that a group shares.
#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/catalogue.h"
#include "oracle/prove/hint.h"

#include <array>

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

const Term c = Term::variable("c"), m = Term::variable("m"), t = Term::variable("t"), u = Term::variable("u");

// g is the greatest common divisor of m and c: it divides both, and what is left of them is combined to 1 (Bezout).
const Term g = Term::variable("g"), a = Term::variable("a"), b = Term::variable("b"), x = Term::variable("x"),
           y = Term::variable("y");
const Formula greatest_common_divisor =
    m >= 1 && c >= 1 && g >= 1 && a >= 1 && b >= 1 && m == g * a && c == g * b && a * x + b * y == 1;
const Term step = ar::alignment_step(m, g);

/// With k and the two steps of Bezout's argument spelt out for the solver.
std::vector<Goal> alignment_step() {
  const Term k = Term::variable("k");
  return {{"a multiple of the step is aligned", greatest_common_divisor && u == step * k,
           quotient_is(m, g, a) && c * u == m * (b * k)},
          {"what is aligned is a multiple of the step", greatest_common_divisor && c * u == m * k,
           quotient_is(m, g, a) && g * (b * u - a * k) == 0 && apart(g, b * u - a * k) && b * u == a * k &&
               u == u * (a * x) + (b * u) * y && u == a * (u * x + k * y)}};
}

std::vector<Goal> aligned_or_none() {
  const Term s = Term::variable("s"), aligned = ar::aligned_tile(t, s);
  const Formula some = s >= 1 && t >= 1;
  return {
      {"a multiple of the step", some && !ar::lacks_aligned_tile(t, s),
       t / s >= 1 && s * (t / s) >= s && aligned == t / s * s && quotient_is(aligned, s, t / s) && aligned % s == 0 &&
           aligned >= 1},
      {"no multiple of the step", some && ar::lacks_aligned_tile(t, s) && u >= 1 && u <= t, quotient_is(u, s, 0) && u % s != 0}};
}

std::vector<Goal> largest_aligned() {
  const Term s = Term::variable("s"), aligned = ar::aligned_tile(t, s), k = Term::variable("k");
  return {{"", s >= 1 && t >= 1 && !ar::lacks_aligned_tile(t, s) && u == s * k && u <= t,
           s * (t / s) + s > t && ordered(s, t / s + 1, k) && k <= t / s && ordered(s, k, t / s) && aligned == t / s * s &&
               u <= aligned}};
}

std::vector<Goal> within_partitions() {
  const Term partitions = Term::variable("P"), s = Term::variable("s"), E = Term::variable("E");
  const Term tile = ar::aligned_tile(ar::tile_of(partitions, c), s);
  return {{"", c >= 1 && E >= 1 && s >= 1 && c <= partitions && ar::exceeds(c, E, partitions),
           ar::tile_of(partitions, c) >= 1 && tile >= 1 && tile <= ar::tile_of(partitions, c) &&
               c * ar::tile_of(partitions, c) <= partitions && c * tile <= partitions && tile < E}};
}

std::vector<Goal> uniform_and_aligned() {
  const Term E = Term::variable("E"), s = Term::variable("s"), d = Term::variable("d"), n = Term::variable("n"),
             k = Term::variable("k");
  const Formula aligned_extent = s >= 1 && n >= 1 && E == s * n && t >= s && d >= 1;
  return {{"what is found", aligned_extent && d <= t / s && n == d * k,
           s * (t / s) <= t && s * d <= s * (t / s) && d * s <= t && E == (d * s) * k},
          {"what there is would be found", aligned_extent && s * d <= t && E == (s * d) * k,
           d <= t / s && s * n == s * (d * k) && n == d * k}};
}

/// The elements of a prefix of the extents x0, x1, x2, x3: `whole` of them, and a slice of the next.
struct Extents {
  std::array<Term, 4> x{Term::variable("x0"), Term::variable("x1"), Term::variable("x2"), Term::variable("x3")};

  Term before(const Term& whole) const {
    return choose(whole == 0, Term(1), choose(whole == 1, x[0], choose(whole == 2, x[0] * x[1], x[0] * x[1] * x[2])));
  }
  Term at(const Term& dim) const { return choose(dim == 0, x[0], choose(dim == 1, x[1], choose(dim == 2, x[2], x[3]))); }
  Term elements(const ar::Prefix<Term>& prefix) const { return before(prefix.whole) * prefix.slice; }
  Formula holds(const ar::Prefix<Term>& prefix) const {
    return prefix.whole >= 0 && prefix.whole <= 3 && prefix.slice >= 1 && prefix.slice <= at(prefix.whole);
  }
  Formula positive() const { return x[0] >= 1 && x[1] >= 1 && x[2] >= 1 && x[3] >= 1; }
};

ar::Prefix<Term> prefix(const std::string& letter) {
  return {Term::variable(letter + ".whole"), Term::variable(letter + ".slice")};
}

std::vector<Goal> group_cut() {
  // align_group keeps the least of the members' prefixes: q where it holds less than p, else p.
  const ar::Prefix<Term> p = prefix("p"), q = prefix("q");
  const Formula less_is_q = ar::holds_less(q, p);
  const ar::Prefix<Term> least{choose(less_is_q, q.whole, p.whole), choose(less_is_q, q.slice, p.slice)};
  const Extents extents;
  std::vector<Goal> goals{{"no member holds less than the least", true, !ar::holds_less(p, least) && !ar::holds_less(q, least)}};
  for (int whole = 0; whole <= 3; ++whole) {
    for (int other = whole; other <= 3; ++other) {
      const ar::Prefix<Term> less{Term(whole), p.slice}, more{Term(other), q.slice};
      goals.push_back(
          {"holds less, so has no more elements: " + std::to_string(whole) + " and " + std::to_string(other) + " whole",
           extents.positive() && extents.holds(less) && extents.holds(more) && ar::holds_less(less, more),
           extents.elements(less) <= extents.elements(more)});
    }
  }
  return goals;
}

}  // namespace

std::vector<Lemma> alignment_lemmas() {
  return {
      {.name = "align.step",
       .function = "penguin::arithmetic::alignment_step",
       .statement = "The tile's product is a multiple of m exactly where the tile is a multiple of m / gcd(m, c).",
       .sizes = "multiple, committed: 1 or more",
       .goals = alignment_step},
      {.name = "align.or-none",
       .function = "penguin::arithmetic::aligned_tile",
       .statement = "The tile is aligned, or it is flagged and no aligned tile exists within the budget.",
       .sizes = "multiple, committed, tile: 1 or more",
       .goals = aligned_or_none},
      {.name = "align.largest",
       .function = "penguin::arithmetic::aligned_tile",
       .statement = "No larger aligned tile is within the budget.",
       .sizes = "step, tile: 1 or more",
       .goals = largest_aligned},
      {.name = "partition.within",
       .function = "penguin::compute_cut",
       .statement = "An aligned cut of the partition axes puts at least one and at most all partitions into the tile.",
       .sizes = "extents, partitions, step: any",
       .goals = within_partitions},
      {.name = "align.uniform",
       .function = "penguin::compute_cut",
       .statement =
           "Aligned divisors of the extent within the tile are the divisors of extent / step within tile / step, times step.",
       .sizes = "extent, tile, step: 1 or more",
       .goals = uniform_and_aligned},
      {.name = "group.fits",
       .function = "penguin::arithmetic::holds_less",
       .statement = "The common cut of a group holds no more than any member's own: it fits wherever that does.",
       .sizes = "extents: 1 or more; rank: 1..4",
       .goals = group_cut},
  };
}

}  // namespace tileproof::prove
