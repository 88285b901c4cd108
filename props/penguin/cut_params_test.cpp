#include "compiler/penguin/cut_params.h"

#include "props/penguin/cut_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tileproof::penguin {
namespace {

ComputeCutParams of(const std::string& machine) {
  const auto found = machine::find_machine(machine);
  if (!found) throw std::runtime_error("no machine " + machine);
  const auto params = compute_cut_params(*found);
  if (!params) throw std::runtime_error(ir::to_string(params.error().front()));
  return *params;
}

DimCut value(const std::expected<DimCut, CutError>& cut) { return cut ? *cut : DimCut{.dim = 999, .tile = -1}; }

TEST(ComputeCutParams, AreTheConstantsOfTheMachine) {
  const ComputeCutParams trn2 = of("trn2");
  EXPECT_EQ(trn2.par_axes_cut_size, 128);
  EXPECT_EQ(trn2.partition_multiple, 32);
  EXPECT_EQ(trn2.cut_size, 512);
  EXPECT_EQ(trn2.stationary_free_cut_size, 128);
  EXPECT_EQ(trn2.moving_free_cut_size, 512);
  EXPECT_EQ(of("inf1").stationary_free_cut_size, 64);
}

TEST(ComputeCutParams, KeepAMovingTileWithinOneBank) { EXPECT_EQ(of("trn3").moving_free_cut_size, 512); }

TEST(ComputeCutParams, NameEveryConstantThatAMachineLacks) {
  const auto params = compute_cut_params(*machine::find_machine("torq-sl2610"));
  ASSERT_FALSE(params);
  EXPECT_EQ(params.error().size(), 6U);
  EXPECT_THAT(ir::to_string(params.error().front()),
              testing::HasSubstr("error: cuts need the constant pmax, which this machine does not have; write `constant pmax"));
}

TEST(ComputeCutParams, RefuseAConstantBelowOne) {
  machine::Machine machine = *machine::find_machine("trn2");
  for (machine::Constant& constant : machine.constants) {
    if (constant.name == "pmax") constant.value = 0;
  }
  const auto params = compute_cut_params(machine);
  ASSERT_FALSE(params);
  EXPECT_EQ(params.error().size(), 1U);
}

TEST(ComputeCutParams, TakeTheMostParticularBudgetForFreeAxes) {
  ComputeCutParams params = of("trn2");
  EXPECT_EQ(free_budget(params), 512);
  params.default_free_cut_size = 1;
  EXPECT_EQ(free_budget(params), 1);
  params.free_cut_size = 2;
  EXPECT_EQ(free_budget(params), 2);
  params.free_axes_cut_size = 3;
  EXPECT_EQ(free_budget(params), 3);
  params.override_tile_size = 4;
  EXPECT_EQ(free_budget(params), 4);
}

TEST(PartitionCut, FillsThePartitions) {
  EXPECT_EQ(value(partition_cut(Extents{300}, of("trn2"))), (DimCut{.dim = 0, .tile = 128}));
  EXPECT_EQ(value(partition_cut(Extents{12800}, of("trn2"))), (DimCut{.dim = 0, .tile = 128})) << "seed 003: 128 x 100";
}

TEST(PartitionCut, LeavesAloneWhatFits) { EXPECT_EQ(value(partition_cut(Extents{5}, of("trn2"))), DimCut{}); }

TEST(PartitionCut, AlignsWhatItCuts) {
  EXPECT_EQ(value(partition_cut(Extents{3, 100}, of("trn2"))), (DimCut{.dim = 1, .tile = 32}));
  EXPECT_EQ(value(partition_cut(Extents{5, 64}, of("trn2"))), (DimCut{.dim = 1, .tile = 25, .unaligned = true}));
}

TEST(PartitionCut, GoesNoFurtherRightThanItIsTold) {
  ComputeCutParams params = of("trn2");
  params.par_axes_cut_idx = 0;
  EXPECT_EQ(value(partition_cut(Extents{4, 8}, params)), (DimCut{.dim = 0, .tile = {}, .unaligned = true}));
  EXPECT_EQ(value(partition_cut(Extents{32, 8}, params)), (DimCut{.dim = 0, .tile = {}}));
  EXPECT_EQ(value(partition_cut(Extents{300, 8}, params)), (DimCut{.dim = 0, .tile = 128}));
  EXPECT_EQ(value(partition_cut(Extents{4}, params)), DimCut{});
  params.par_axes_cut_idx = 2;
  EXPECT_EQ(partition_cut(Extents{4, 8}, params).error(), CutError::no_such_dim);
}

TEST(FreeCut, ChargesProtectedAxesFirst) {
  EXPECT_EQ(value(free_cut(Extents{56}, Extents{100}, of("trn2"))), (DimCut{.dim = 0, .tile = 5})) << "seed 003: 12 x 5";
  EXPECT_EQ(value(free_cut(Extents{700}, Extents{4}, of("trn2"))), (DimCut{.dim = 0, .tile = 128}));
  EXPECT_EQ(value(free_cut(Extents{700}, {}, of("trn2"))), (DimCut{.dim = 0, .tile = 512}));
}

TEST(FreeCut, NeedsACascadeWhereProtectedAxesAloneAreOverTheBudget) {
  EXPECT_EQ(free_cut(Extents{56}, Extents{513}, of("trn2")).error(), CutError::needs_cascade);
  EXPECT_EQ(value(free_cut(Extents{56}, Extents{512}, of("trn2"))), (DimCut{.dim = 0, .tile = 1}));
  EXPECT_EQ(free_cut(Extents{56}, Extents{int64_t{1} << 40, int64_t{1} << 40}, of("trn2")).error(), CutError::needs_cascade);
}

TEST(FreeCut, RefusesWhatIsNoExtentAndNoBudget) {
  EXPECT_EQ(free_cut(Extents{56}, Extents{-1}, of("trn2")).error(), CutError::negative_extent);
  ComputeCutParams params = of("trn2");
  params.override_tile_size = 0;
  EXPECT_EQ(free_cut(Extents{56}, {}, params).error(), CutError::cut_size_below_one);
}

TEST(FreeCut, TakesAnEmptyReductionForFree) { EXPECT_EQ(value(free_cut(Extents{56}, Extents{0}, of("trn2"))), DimCut{}); }

RC_GTEST_PROP(FreeCut, KeepsTheWholeTileWithinTheBudget, ()) {
  const Extents extents = *extents_from(1), kept = *extents_from(1);
  ComputeCutParams params = of("trn2");
  params.free_cut_size = *cut_sizes();
  const auto cut = free_cut(extents, kept, params);
  RC_ASSERT(cut.has_value() == (product(kept) <= *params.free_cut_size));
  if (cut) RC_ASSERT(elements(extents, *cut) * product(kept) <= *params.free_cut_size);
}

TEST(MatmulCuts, HaveBudgetsOfTheirOwn) {
  EXPECT_EQ(value(stationary_cut(Extents{300}, of("trn2"))), (DimCut{.dim = 0, .tile = 128}));
  EXPECT_EQ(value(moving_cut(Extents{3200}, of("trn2"))), (DimCut{.dim = 0, .tile = 512}));
}

TEST(MatmulCuts, AreUniformApart) {
  ComputeCutParams params = of("trn2");
  params.uniform_tile_moving_free = true;
  EXPECT_EQ(value(moving_cut(Extents{3200}, params)), (DimCut{.dim = 0, .tile = 400}));
  EXPECT_EQ(value(stationary_cut(Extents{300}, params)), (DimCut{.dim = 0, .tile = 128}));
  params = of("trn2");
  params.uniform_tile = true;
  EXPECT_EQ(value(moving_cut(Extents{3200}, params)), (DimCut{.dim = 0, .tile = 512}));
  EXPECT_EQ(value(stationary_cut(Extents{300}, params)), (DimCut{.dim = 0, .tile = 100}));
}

TEST(MatmulCuts, TakeNoMoreThanTheTileSizeThatIsGiven) {
  ComputeCutParams params = of("trn2");
  params.moving_free_cut_idx = 1;
  params.moving_free_cut_tilesize = 8;
  EXPECT_EQ(value(moving_cut(Extents{4, 100, 3}, params)), (DimCut{.dim = 1, .tile = 8}));
  EXPECT_EQ(value(moving_cut(Extents{4, 7, 3}, params)), (DimCut{.dim = 1, .tile = {}}));
  EXPECT_EQ(value(moving_cut(Extents{1000, 100, 3}, params)), (DimCut{.dim = 0, .tile = 512}));
  params.moving_free_cut_tilesize = 5000;
  EXPECT_EQ(value(moving_cut(Extents{4, 200, 3}, params)), (DimCut{.dim = 1, .tile = 128}));
  params.moving_free_cut_tilesize = 0;
  EXPECT_EQ(moving_cut(Extents{4, 200}, params).error(), CutError::tile_out_of_range);
  params.moving_free_cut_idx.reset();
  EXPECT_EQ(moving_cut(Extents{4, 200}, params).error(), CutError::tile_without_dim);
}

}  // namespace
}  // namespace tileproof::penguin
