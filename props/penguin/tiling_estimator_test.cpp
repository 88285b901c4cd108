// Costs in trips, on the example of spec passes 3.3 and against a count of what is executed.
#include "compiler/penguin/tiling_estimator.h"
#include "compiler/analysis/cost.h"
#include "props/penguin/corpus_program.h"

#include <gtest/gtest.h>

#include <limits>

namespace tileproof::penguin {
namespace {

using enum PartitionWay;

const EstimateLimits trn2_limits{.max_tripcount = {}, .moving_free = 512, .engine_free = 65536};
const PartitionReduction worked{.loops = {{56, 5}}, .reduced_loops = {}, .free = 5};

bool anything(PartitionWay) { return true; }

// 12 = ceil(56 / 5) blocks.
TEST(TilingEstimator, CountsTheWorkedExample) {
  EXPECT_EQ(base_trips(worked.loops, trn2_limits), 12);
  EXPECT_EQ(estimate(ones_matmul, worked, trn2_limits), 24);
  EXPECT_EQ(estimate(partition_reduce, worked, trn2_limits), 24);
  EXPECT_EQ(estimate(cascade, worked, trn2_limits), 48);
}

TEST(TilingEstimator, LeavesOutTheTranspositionBackOfOneElement) {
  EXPECT_EQ(estimate(cascade, {.loops = {{56, 5}}, .reduced_loops = {}, .free = 1}, trn2_limits), 36);
}

TEST(TilingEstimator, CountsReducedLoopsForTheFirstStageAlone) {
  const PartitionReduction sum{.loops = {{2, 1}}, .reduced_loops = {{782, 512}}, .free = 1};
  EXPECT_EQ(estimate(ones_matmul, sum, trn2_limits), 2 * 2 + 2);
}

TEST(TilingEstimator, CountsAMatmulForEachBankOfColumns) {
  EXPECT_EQ(estimate(ones_matmul, {.loops = {{3, 1}}, .reduced_loops = {}, .free = 513}, trn2_limits), 3 * (1 + 2));
}

TEST(TilingEstimator, CallsACandidateInvalidWhoseFactorIsAboveMaxTripcount) {
  EstimateLimits limits = trn2_limits;
  limits.max_tripcount = 12;
  EXPECT_EQ(estimate(cascade, worked, limits), 48);
  limits.max_tripcount = 11;
  for (const PartitionWay way : {ones_matmul, partition_reduce, cascade}) EXPECT_EQ(estimate(way, worked, limits), std::nullopt);
  EXPECT_EQ(cheapest(estimates(worked, limits), anything), std::nullopt);
}

TEST(TilingEstimator, SaturatesAtTheEndOf64Bits) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(estimate(cascade, {.loops = {{most, 1}, {most, 1}}, .reduced_loops = {{most, 1}}, .free = most}, trn2_limits), most);
}

TEST(TilingEstimator, ChoosesTheCheapestThatIsLegalAndOfEqualsTheSimplest) {
  EXPECT_EQ(cheapest({24, 24, 48}, anything), ones_matmul);
  EXPECT_EQ(cheapest({25, 24, 48}, anything), partition_reduce);
  EXPECT_EQ(cheapest({24, 24, 20}, anything), cascade);
  EXPECT_EQ(cheapest({24, 24, 48}, [](PartitionWay way) { return way != ones_matmul; }), partition_reduce);
  EXPECT_EQ(cheapest({24, 24, 48}, [](PartitionWay) { return false; }), std::nullopt);
  EXPECT_EQ(cheapest({std::nullopt, std::nullopt, 48}, anything), cascade);
}

TEST(TilingEstimator, LooksOnly) {
  const machine::Machine machine = *machine::find_machine("trn2");
  const ir::Program cut = compiled(corpus_program("reduce_max_56x12800"),
                                   "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting", machine)
                              .program;
  const std::string before = ir::print(cut);
  const PartitionReduction stages = stages_of(*ir::labelled_statements(cut)[0].first, Extents(cut));
  const Estimates first = estimates(stages, estimate_limits(machine)), second = estimates(stages, estimate_limits(machine));
  EXPECT_EQ(ir::print(cut), before);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, (Estimates{24, 24, 48}));
}

// What is estimated of the way that is taken is what is counted in the end.
TEST(TilingEstimator, AgreesWithTheTripsThatAreCounted) {
  const machine::Machine machine = *machine::find_machine("trn2");
  for (const auto& [name, trips] : {std::pair{"reduce_max_56x12800", 48}, {"sum_2x100000", 6}})
    EXPECT_EQ(analysis::cost(compiled(corpus_program(name), "penguin", machine).program, &machine).trips, trips) << name;
}

}  // namespace
}  // namespace tileproof::penguin
