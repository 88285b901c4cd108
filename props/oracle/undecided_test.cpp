// What one run of the ladder leaves open, another parameter value, index pattern or random input may still decide; and what no run
// decides is said to be open.
#include "compiler/ir/text.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

std::string verdict(const std::string& declarations, const std::string& original, const std::string& tiled, uint64_t seed) {
  const auto program = [&](const std::string& body) {
    return ir::parse(fmt::format("tile 1 program p {{ {}\n{} }}", declarations, body), "test").value().programs.front();
  };
  CheckOptions options;
  options.seed = seed;
  return headline(check(program(original), program(tiled), options).value());
}

void expect(const std::string& begins, const std::string& declarations, const std::string& original, const std::string& tiled) {
  for (uint64_t seed = 1; seed <= 8; ++seed)
    EXPECT_TRUE(verdict(declarations, original, tiled, seed).starts_with(begins)) << verdict(declarations, original, tiled, seed);
}

TEST(PairUndecidedAtOneParameterValue, IsRefutedByAnother) {
  // An even power hides the lost absolute value.
  expect("refuted: value", "param n : 2..4  buffer x : e5m2[3] dram in  buffer y : bf16[3] dram out",
         "map y[i] *= abs(x[i]) over i:3, k:n reduce start", "map y[i] *= x[i] over i:3, k:n reduce start");
}

TEST(PairUndecidedForOneIndexPattern, IsRefutedByAnother) {
  // The mask lets all pass in most patterns.
  expect("refuted: value",
         "buffer m : i8[1] dram in range 0..2  buffer x : i32[4] dram in range -100..101  buffer y : i32[4] dram out",
         "map y[i] += shr(x[i], 2) over i:4, k:1 reduce where m[k] == 1 start",
         "map y[i] += shr(x[i], 2) over i:4, k:1 reduce start");
}

TEST(PairThatDiffersInOneOfTheKeyedRuns, IsRefutedWithTheIndicesOfThatRun) {
  // Only where the two indices differ.
  expect("refuted: value", "buffer p : u16[2] dram in range 0..3  buffer x : bf16[3] dram in  buffer y : bf16[1] dram out",
         "map y[0] max= x[p[k]] over k:2 reduce start", "for b in 0..2 seq { map y[0] max= x[p[b]] over k:1 reduce start }");
}

TEST(PairThatDiffersAtFewValues, IsRefutedByMoreThanOneRandomInput) {
  expect("refuted: value", "buffer x : i2[1] dram in  buffer y : i2[1] dram out", "map y[0] *= x[0] over k:7 reduce start",
         "map y[0] *= x[0] over k:6 reduce start");
}

TEST(PairThatIsZeroInEveryRun, IsNotAcceptedByItsRuns) {
  // A product of 72 bytes is 0 modulo 256 whatever single element is planted, and hides that only the last 24 are multiplied.
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const std::string said = verdict("buffer x : i8[36] dram in  buffer w : i8[36] dram in  buffer y : i8[1] dram out",
                                     "map y[0] *= x[k] * w[k] over k:36 reduce start",
                                     "for b in 0..3 seq { map y[0] *= x[12*b + k] * w[12*b + k] over k:12 reduce start }", seed);
    EXPECT_FALSE(said.starts_with("tested")) << said;
  }
}

TEST(PairThatAgreesWithRoundingsOff, IsOpenWhereALatticeTermGrowsTooLarge) {
  // Rounding is monotone, so a maximum in two parts is the same one; the minimum over three of them has more terms than a lattice
  // term may have.
  expect("unsupported: identity undecided: the programs agree with rounding switched off",
         "buffer x : e5m2[12, 3] dram in  buffer w : e5m2[12, 3] dram in  buffer y : e5m2[1] dram out  buffer z : tf32[3] dram",
         "map z[j] max= x[k, j] + w[k, j] over k:12 reduce, j:3 start  map y[0] min= z[k] over k:3 reduce start",
         "map z[j] max= x[k, j] + w[k, j] over k:10 reduce, j:3 start  map z[j] max= x[k + 10, j] + w[k + 10, j] over k:2 "
         "reduce, j:3  "
         "map y[0] min= z[k] over k:3 reduce start");
}

TEST(LeastOfIntegersBeyondTheirDtype, DiffersWhereItIsTakenInParts) {
  // The least of 64-bit values, wrapped, and the least of wrapped values.
  const std::string fifth = "x[j, k] * x[j, k] * x[j, k] * x[j, k] * x[j, k]";
  expect("refuted: value", "buffer x : i32[9, 6] dram in range -1000..1001  buffer y : i32[9] dram out",
         "map y[j] min= " + fifth + " over j:9, k:6 reduce start",
         "for k in 0..6 seq { map y[j] min= " + fifth + " over j:9 start k == 0 }");
}

TEST(ProductThatOverflowsInOneOrderOnly, IsNotRefuted) {
  // 0 times a large number, or an infinite one times 0.
  expect("tested", "buffer y : f32[1] dram out", "map y[0] *= select(k == 0, 0, 1e20) over k:4 reduce start",
         "map y[0] *= select(k == 3, 0, 1e20) over k:4 reduce start");
}

}  // namespace
}  // namespace tileproof::oracle
