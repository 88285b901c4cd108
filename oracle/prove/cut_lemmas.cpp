// The cut: budget, coverage, disjointness, maximality, tails.
#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/catalogue.h"
#include "oracle/prove/hint.h"

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

// The letters of compiler/penguin/cut_arithmetic.h: c committed, E the extent of the cut dimension, B the budget, t a tile.
const Term c = Term::variable("c"), E = Term::variable("E"), B = Term::variable("B"), t = Term::variable("t");
const Term o = Term::variable("o"), i = Term::variable("i"), R = Term::variable("R");

/// The cut falls on a dimension of extent E: what lies left of it fits, and it does not fit beside that.
const Formula cut_here = c >= 1 && E >= 1 && c <= B && ar::exceeds(c, E, B);
const Term most = ar::tile_of(B, c);
const Formula tiled = E >= 1 && t >= 1;
/// A tile of the nest, and an element of that tile.
const Formula in_nest = tiled && o >= 0 && o < ar::trips(E, t) && i >= 0 && i < t;

std::vector<Goal> budget() {
  return {{"no dimension committed", B >= 1, Term(1) <= B},
          {"one more dimension committed", c >= 1 && E >= 1 && c <= B && !ar::exceeds(c, E, B), c * E <= B},
          {"the cut dimension", cut_here, c * most <= B},
          {"the cut dimension, fewer slices", cut_here && t >= 1 && t <= most, c * t <= B},
          {"the whole dimensions alone", cut_here && ar::backs_off(most), c <= B}};
}

std::vector<Goal> tile_range() { return {{"", cut_here, most >= 1 && most < E}}; }

std::vector<Goal> maximality() {
  return {{"a slice more", cut_here, c * (most + 1) > B}, {"none split off", cut_here && ar::backs_off(most), 2 * c > B}};
}

std::vector<Goal> longest_prefix() {
  const Term longer = Term::variable("F");
  return {{"", c >= 1 && E >= 1 && longer >= 1 && ar::exceeds(c, E, B), ar::exceeds(c * E, longer, B)}};
}

std::vector<Goal> idempotence() {
  const Term before = Term::variable("p"), extent = Term::variable("x"), after = Term::variable("q");
  return {{"the cut dimension", cut_here && t >= 1 && t <= most, !ar::exceeds(c, t, B)},
          {"the whole dimensions", before >= 1 && extent >= 1 && after >= 1 && before * extent * after <= B,
           before * extent <= before * extent * after && !ar::exceeds(before, extent, B)}};
}

std::vector<Goal> coverage() {
  return {{"", tiled, ar::trips(E, t) >= 1 && ar::trips(E, t) * t >= E && (ar::trips(E, t) - 1) * t < E}};
}

std::vector<Goal> fewest_trips() {
  const Term q = Term::variable("q");
  return {{"", tiled && q >= 0 && q * t >= E, q >= ar::trips(E, t)}};
}

std::vector<Goal> disjointness() {
  const Term o2 = Term::variable("o2"), i2 = Term::variable("i2");
  return {{"", t >= 1 && i >= 0 && i < t && i2 >= 0 && i2 < t && ar::joined(o, t, i) == ar::joined(o2, t, i2),
           apart(t, o - o2) && o == o2 && i == i2}};
}

std::vector<Goal> tail_condition() {
  const Term e = Term::variable("e");
  const Formula element = tiled && e >= 0 && e < E;
  return {{"every element is met", element,
           ar::joined(e / t, t, e % t) == e && e / t >= 0 && ordered(t, ar::trips(E, t), e / t) && e / t < ar::trips(E, t) &&
               e % t >= 0 && e % t < t},
          {"what is met is an element", in_nest && ar::joined(o, t, i) < E, ar::joined(o, t, i) >= 0},
          {"all but the last tile are full", in_nest && o < ar::trips(E, t) - 1, ar::joined(o, t, i) < E},
          {"the last tile holds the remainder", in_nest && o == ar::trips(E, t) - 1,
           trips_and_tail(E, t) && same_truth(ar::joined(o, t, i) < E, i < choose(ar::tail(E, t) == 0, t, ar::tail(E, t)))}};
}

std::vector<Goal> high_order_tail() {
  const Term e = Term::variable("e"), step = ar::trips(E, t);
  return {{"every element is met", tiled && e >= 0 && e < E,
           step >= 1 && step * t >= E && ordered(step, t, e / step) && ar::joined(e / step, step, e % step) == e &&
               e / step >= 0 && e / step < t && e % step >= 0 && e % step < step}};
}

std::vector<Goal> uniform() {
  return {{"", tiled && t <= E && E % t == 0, ar::tail(E, t) == 0 && trips_and_tail(E, t) && ar::trips(E, t) * t == E}};
}

std::vector<Goal> protected_budget() {
  const Term p = Term::variable("p"), beside = ar::budget_beside(B, p);
  const Formula some = p >= 1 && B >= p;
  return {{"it fits", some && t >= 1 && t <= beside, p * t <= B},
          {"no larger one fits", some, beside >= 1 && p * (beside + 1) > B}};
}

std::vector<Goal> cut_axes_sizes() {
  const Formula split = c >= 1 && R >= 1 && tiled && t <= E;
  const Term loops = ar::trips(E, t) * R, tile = c * t, all = c * E * R;
  const Term missing = ar::trips(E, t) * t - E;
  return {{"nothing is lost", split,
           missing >= 0 && missing * (c * R) >= 0 && loops * tile == all + missing * (c * R) && loops * tile >= all},
          {"nothing is added where the tile divides", split && E % t == 0,
           trips_and_tail(E, t) && missing == 0 && loops * tile == all + missing * (c * R) && loops * tile == all},
          {"something is masked where it does not", split && E % t != 0,
           trips_and_tail(E, t) && missing >= 1 && c * R >= 1 && missing * (c * R) >= 1 &&
               loops * tile == all + missing * (c * R) && loops * tile > all}};
}

}  // namespace

std::vector<Lemma> cut_lemmas() {
  constexpr std::string_view compute_cut = "penguin::compute_cut", cut_axes = "penguin::cut_axes";
  constexpr std::string_view any = "extents, cut size and rank: any";
  return {
      {.name = "cut.budget",
       .function = compute_cut,
       .statement = "The tile holds at most cut_size elements.",
       .sizes = any,
       .goals = budget},
      {.name = "cut.tile-range",
       .function = compute_cut,
       .statement = "The tile of the cut dimension is at least 1 and smaller than the extent.",
       .sizes = any,
       .goals = tile_range},
      {.name = "cut.maximal",
       .function = compute_cut,
       .statement =
           "Neither uniform nor aligned, a tile with one slice more (or with two slices, where none is split off) is over "
           "cut_size.",
       .sizes = any,
       .goals = maximality},
      {.name = "cut.longest-prefix",
       .function = compute_cut,
       .statement =
           "Where a prefix is over cut_size, every longer one is: a scan from the left finds what peeling from the right finds.",
       .sizes = any,
       .goals = longest_prefix},
      {.name = "cut.idempotent",
       .function = compute_cut,
       .statement = "Cutting the extents of a tile again cuts nothing.",
       .sizes = any,
       .goals = idempotence},
      {.name = "cut.coverage",
       .function = "penguin::arithmetic::trips",
       .statement = "The trips cover the extent, and the last one holds something.",
       .sizes = "extent, tile: 1 or more",
       .goals = coverage},
      {.name = "cut.fewest-trips",
       .function = "penguin::arithmetic::trips",
       .statement = "No fewer trips cover the extent.",
       .sizes = "extent, tile: 1 or more",
       .goals = fewest_trips},
      {.name = "cut.disjoint",
       .function = "penguin::arithmetic::joined",
       .statement = "Two tiles, or two places of a tile, hold different elements.",
       .sizes = "tile: 1 or more",
       .goals = disjointness},
      {.name = "tail.exact",
       .function = "penguin::arithmetic::tail",
       .statement =
           "Under the condition o*t + i < E the nest meets each element exactly once; only the last tile is masked, and it "
           "keeps the remainder.",
       .sizes = "extent, tile: 1 or more",
       .goals = tail_condition},
      {.name = "tail.high-order",
       .function = "penguin::arithmetic::joined",
       .statement =
           "An axis whose high-order factor is in the tile meets each element under a condition on the joined index, also "
           "where the tile does not divide.",
       .sizes = "extent, tile: 1 or more",
       .goals = high_order_tail},
      {.name = "cut.uniform",
       .function = compute_cut,
       .statement = "A tile that divides the extent leaves no tail and adds nothing.",
       .sizes = any,
       .goals = uniform},
      {.name = "cut.protected",
       .function = "penguin::arithmetic::budget_beside",
       .statement =
           "What is cut within the budget beside the protected extents fits together with them, and no larger budget does.",
       .sizes = any,
       .goals = protected_budget},
      {.name = "cut-axes.sizes",
       .function = cut_axes,
       .statement = "Loops times tile are at least all elements, and exactly those if and only if the tile divides the extent.",
       .sizes = any,
       .goals = cut_axes_sizes},
  };
}

}  // namespace tileproof::prove
