// Claims that are false: the seeds' literal pseudocode, and rules that look right. Each is refuted with a counterexample.
#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/catalogue.h"
#include "oracle/prove/seed_pseudocode.h"

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

const Term E = Term::variable("E"), t = Term::variable("t"), c = Term::variable("c"), B = Term::variable("B"),
           e = Term::variable("e");
const Term x0 = Term::variable("x0"), x1 = Term::variable("x1");

std::vector<Goal> literal_budget(seed::Scan scan) {
  const std::vector<Term> shape{x0, x1};
  const seed::LiteralCut<Term> cut = seed::compute_cut(shape, B, scan);
  const Term elements = Term::variable("elements");
  return {{"rank 2",
           x0 >= 1 && x1 >= 1 && B >= 1 && Term::variable("dim") == cut.dim && Term::variable("tile") == cut.tile &&
               elements == seed::elements(shape, cut),
           elements <= B}};
}
std::vector<Goal> compute_cut_from_left() { return literal_budget(seed::Scan::left_to_right); }
std::vector<Goal> compute_cut_from_right() { return literal_budget(seed::Scan::right_to_left); }

std::vector<Goal> cut_axes_loops_left() {
  return {{"rank 2", x0 >= 1 && x1 >= 1 && ar::exceeds(Term(1), x0, B) && B >= 1,
           seed::literal_tonga_elements({x0, x1}, 0, ar::tile_of(B, Term(1))) <= B}};
}

std::vector<Goal> hard_multiple() {
  const Term m = Term::variable("m"), most = ar::tile_of(B, c), u = Term::variable("u");
  return {{"one of 1, 2, 3, 4 slices is aligned", c >= 1 && c <= B && m >= 1 && m <= B && most <= 4 && most >= 1,
           (c * 1) % m == 0 || (most >= 2 && (c * 2) % m == 0) || (most >= 3 && (c * 3) % m == 0) ||
               (most >= 4 && (c * 4) % m == 0)}};
}

std::vector<Goal> floor_trips() { return {{"", E >= 1 && t >= 1 && t <= E, (E / t) * t >= E}}; }

std::vector<Goal> swap_any_tile() {
  const Term step = E / t;
  return {{"", E >= 1 && t >= 1 && t <= E && e >= 0 && e < E, e / step < t}};
}

std::vector<Goal> swap_within_budget() {
  const Term R = Term::variable("R");
  return {{"", c >= 1 && R >= 1 && c <= B && ar::exceeds(c, E, B) && E >= 1, ar::tile_of(B, c) * R <= B}};
}

std::vector<Goal> uncharged() {
  const Term p = Term::variable("p");
  return {{"", p >= 1 && p <= B && t >= 1 && t <= ar::tile_of(B, Term(1)), p * t <= B}};
}

std::vector<Goal> group_maximum() {
  const Term p = Term::variable("p"), q = Term::variable("q");
  return {{"", p >= 1 && q >= 1 && p <= B && q <= B && t == max(ar::budget_beside(B, p), ar::budget_beside(B, q)),
           p * t <= B && q * t <= B}};
}

std::vector<Goal> any_offset() {
  const Term a = Term::variable("a"), b = Term::variable("b");
  return {{"", t >= 1 && a >= 0 && b >= 0 && b < t && c >= 0, (t * a + b + c) / t == a + c / t}};
}

std::vector<Goal> whole_last_page() {
  const Term d1 = Term::variable("d1"), v0 = Term::variable("v0"), v1 = Term::variable("v1"), r = Term::variable("r");
  return {{"", v1 >= 1 && v1 <= d1 && v0 >= 1 && r >= 0 && r < v0 * v1, ar::joined(r / v1, d1, r % v1) == r}};
}

std::vector<Goal> grow_back() {
  const Term least = Term::variable("min");
  return {{"", E >= 1 && least >= 1 && least <= E, ar::trips(E, ar::trips(E, least)) >= least}};
}

std::vector<Goal> holes() {
  const Term s = Term::variable("s"), K = Term::variable("K");
  return {{"", s >= 1 && K >= 1 && t >= 1 && e >= 0 && e < s * (t - 1) + K, e - s * min(e / s, t - 1) < K}};
}

}  // namespace

std::vector<Lemma> refuted_claims() {
  const auto claim = [](std::string_view name, std::string_view function, std::string_view statement, std::string_view sizes,
                        std::vector<Goal> (*goals)(), Tie tie = Tie::same_source) {
    return Lemma{name, function, statement, sizes, tie, Verdict::refuted, goals};
  };
  constexpr std::string_view any = "extents, cut size: 1 or more";
  return {
      claim("seed.compute-cut", "prove::seed::compute_cut", "The printed computeCut keeps the tile within cut_size.", any,
            compute_cut_from_left),
      claim("seed.compute-cut-from-right", "prove::seed::compute_cut",
            "The printed computeCut, committing extents from the right, keeps the tile within cut_size.", any,
            compute_cut_from_right),
      claim("seed.cut-axes", "prove::seed::literal_tonga_elements",
            "The printed cut_axes, which puts the left axes into the loops, keeps the tile within cut_size.", any,
            cut_axes_loops_left),
      claim("seed.hard-multiple", "penguin::arithmetic::tile_of",
            "A partition tile that is a multiple of partition_multiple exists for every extent.",
            "extents, partitions, multiple: any", hard_multiple),
      claim("seed.floor-trips", "seed 000, cut_axes", "E / tilesize trips, rounded down, cover the extent.", "extent, tile: any",
            floor_trips, Tie::model),
      claim("seed.swap-any-tile", "seed 000, cut_axes", "A swapped tile need not divide the extent.", "extent, tile: any",
            swap_any_tile, Tie::model),
      claim("seed.swap-budget", "penguin::arithmetic::tile_of",
            "A swapped tile, which holds the dimensions right of the cut, is within cut_size.", any, swap_within_budget),
      claim("seed.protected-uncharged", "penguin::arithmetic::tile_of",
            "A cut of the other axes fits beside protected ones that are not charged to cut_size.", any, uncharged),
      claim("group.maximum", "penguin::arithmetic::budget_beside", "The largest cut of a group fits every member.", any,
            group_maximum),
      claim("delinearize.any-offset", "machine::form_of (floordiv, mod)",
            "An access t*a + b + c goes to row a + c/t also where t does not divide c.", "tile, offset: any", any_offset,
            Tie::conformance),
      claim("flatten.any-window", "penguin::arithmetic::joined",
            "Every window is a run of consecutive rows of the flattened tensor.", "extents: any", whole_last_page),
      claim("torq.grow-back", "penguin::arithmetic::trips", "A tile that is grown back from ceil(D / min) is at least min.",
            "extent, min: any", grow_back),
      claim("window.any-stride", "transform: localize a window", "A window has no holes whatever the stride.",
            "tile, taps, stride: any", holes, Tie::model),
  };
}

}  // namespace tileproof::prove
