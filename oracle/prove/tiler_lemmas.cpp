// What the passes of the tiler beside the cut rest upon: places of tensors that stay on chip, merged statistics, blocks that stay whole.
#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/catalogue.h"
#include "oracle/prove/hint.h"

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

Formula within(const Term& index, const Term& extent) { return index >= 0 && index < extent; }

/// An index is stride * (lanes * block + lane) + rest.
std::vector<Goal> place_on_chip() {
  const Term i = Term::variable("i"), lanes = Term::variable("lanes"), stride = Term::variable("stride");
  const Term block = Term::variable("block"), lane = Term::variable("lane"), rest = Term::variable("rest");
  const Formula sizes = lanes >= 1 && stride >= 1;
  const Term row = i / stride, of_factors = ar::joined(block, lanes, lane);
  return {{"from the index to its place and back", sizes && i >= 0,
           row >= 0 && within(i % stride, stride) && within(row % lanes, lanes) && row / lanes >= 0 &&
               ar::joined(row / lanes, lanes, row % lanes) == row &&
               ar::joined(ar::joined(row / lanes, lanes, row % lanes), stride, i % stride) == i},
          {"from the place to its index and back", sizes && block >= 0 && within(lane, lanes) && within(rest, stride),
           of_factors >= 0 && quotient_is(of_factors, lanes, block) && of_factors % lanes == lane &&
               quotient_is(ar::joined(of_factors, stride, rest), stride, of_factors) &&
               ar::joined(of_factors, stride, rest) % stride == rest}};
}

/// Of two parts, n elements each with the sum S and the sum of squares Q; both sides times n1 * n2 * (n1 + n2).
std::vector<Goal> merged_statistics() {
  const Term n1 = Term::variable("n1"), n2 = Term::variable("n2"), S1 = Term::variable("S1"), S2 = Term::variable("S2");
  const Term Q1 = Term::variable("Q1"), Q2 = Term::variable("Q2");
  const Term n = n1 + n2, S = S1 + S2, delta = S1 * n2 - S2 * n1;  // the distance of the means, times n1 * n2
  return {
      {"", n1 >= 1 && n2 >= 1,
       n1 * n2 * n * (Q1 + Q2) - n1 * n2 * S * S == n2 * n * (n1 * Q1 - S1 * S1) + n1 * n * (n2 * Q2 - S2 * S2) + delta * delta}};
}

std::vector<Goal> equal_weights() {
  const Term n1 = Term::variable("n1"), n2 = Term::variable("n2"), S1 = Term::variable("S1"), S2 = Term::variable("S2");
  return {{"", n1 >= 1 && n2 >= 1 && S1 >= 0 && S2 >= 0, 2 * n1 * n2 * (S1 + S2) == (n1 + n2) * (S1 * n2 + S2 * n1)}};
}

/// A block has `b` rows; a tile u blocks. Row b*k + r of block k lies in tile k / u.
std::vector<Goal> whole_blocks() {
  const Term b = Term::variable("b"), u = Term::variable("u"), k = Term::variable("k"), r = Term::variable("r");
  return {{"", b >= 1 && u >= 1 && k >= 0 && within(r, b),
           within(k % u, u) && ar::joined(k / u, u, k % u) == k && within(b * (k % u) + r, b * u) &&
               quotient_is(b * k + r, b * u, k / u)}};
}

std::vector<Goal> any_tile_of_blocks() {
  const Term b = Term::variable("b"), t = Term::variable("t"), k = Term::variable("k");
  return {{"", b >= 2 && t >= b && k >= 0, (b * k) / t == (b * k + b - 1) / t}};
}

}  // namespace

std::vector<Lemma> tiler_lemmas() {
  return {
      {.name = "local.place",
       .function = "penguin::lay_out",
       .statement = "An index of a tensor on chip and its lane, block and rest stand for each other, one to one.",
       .sizes = "lanes, stride: 1 or more",
       .tie = Tie::model,
       .goals = place_on_chip},
      {.name = "statistics.merge",
       .function = "bn_aggr",
       .statement =
           "Squares of the distances from the common mean are those of both parts and the square of the distance of their "
           "means, weighted with n1*n2/(n1 + n2).",
       .sizes = "counts: 1 or more; sums, sums of squares: any integers",
       .tie = Tie::model,
       .goals = merged_statistics},
      {.name = "statistics.equal-weights",
       .function = "bn_aggr",
       .statement = "The mean of the means of two parts is the mean of all.",
       .sizes = "counts: 1 or more; sums: any",
       .tie = Tie::model,
       .expected = Verdict::refuted,
       .goals = equal_weights},
      {.name = "blocks.whole",
       .function = "penguin::quantize_mx",
       .statement =
           "Where tiles are multiples of a block, all rows of a block lie in one tile, and the scale of block k in tile k/u.",
       .sizes = "block, blocks in a tile: 1 or more",
       .tie = Tie::model,
       .goals = whole_blocks},
      {.name = "blocks.any-tile",
       .function = "penguin::quantize_mx",
       .statement = "A tile of at least one block parts none.",
       .sizes = "block: 2 or more; tile: no less",
       .tie = Tie::model,
       .expected = Verdict::refuted,
       .goals = any_tile_of_blocks},
  };
}

}  // namespace tileproof::prove
