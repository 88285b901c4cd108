#include "compiler/penguin/axis_cut.h"

#include "props/penguin/cut_model.h"

#include <gtest/gtest.h>

#include <concepts>

namespace tileproof::penguin {
namespace {

using Lists = std::pair<Extents, Extents>;

constexpr int64_t roomy = 1 << 20;

/// Extents of the loop list and of the tile list.
Lists lists(const Extents& extents, const DimCut& cut, std::optional<SwapTile> swap = {}) {
  const auto result = cut_axes(named(extents), cut, swap);
  if (!result) {
    ADD_FAILURE() << text(result.error());
    return {};
  }
  return {extents_of(result->loop), extents_of(result->tile)};
}

CutError error_of(const Extents& extents, const DimCut& cut, std::optional<SwapTile> swap = {}) {
  const auto result = cut_axes(named(extents), cut, swap);
  EXPECT_FALSE(result);
  return result ? CutError::needs_cascade : result.error();
}

// The four worked examples of seed 000, cut_axes.

TEST(CutAxes, PutsTheInnerFactorAndTheAxesLeftOfItIntoTheTile) {
  EXPECT_EQ(lists({2, 4, 8}, {.dim = 1, .tile = 2}), (Lists{{2, 8}, {2, 2}}));
}

TEST(CutAxes, PutsTheOuterFactorAndTheAxesRightOfItIntoASwappedTile) {
  EXPECT_EQ(lists({2, 4, 8}, {.dim = 1, .tile = 2}, SwapTile{16}), (Lists{{2, 2}, {2, 8}}));
}

TEST(CutAxes, PutsTheWholeAxisIntoTheTileWithoutATileSize) {
  EXPECT_EQ(lists({2, 4, 8}, {.dim = 1, .tile = {}}), (Lists{{8}, {2, 4}}));
}

TEST(CutAxes, PutsEverythingIntoTheTileWithoutADim) { EXPECT_EQ(lists({2, 4, 8}, {}), (Lists{{}, {2, 4, 8}})); }

TEST(CutAxes, SaysHowOldIndicesAreMadeOfNewOnes) {
  const auto cut = cut_axes(named(Extents{3, 14, 5}), {.dim = 1, .tile = 4});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->loop, (PriorityOrder<CutAxis>{{"b_o", 4}, {"c", 5}}));
  EXPECT_EQ(cut->tile, (PriorityOrder<CutAxis>{{"a", 3}, {"b_i", 4}}));
  EXPECT_EQ(index_expression(*cut, 0), "a");
  EXPECT_EQ(index_expression(*cut, 1), "4*b_o + b_i");
  EXPECT_EQ(index_expression(*cut, 2), "c");
  EXPECT_EQ(cut->split, 1U);
  EXPECT_EQ(cut->trips, 4);
  EXPECT_EQ(cut->tail, 2);
}

TEST(CutAxes, MakesTheFactorOfASwappedTileTheHighOne) {
  const auto cut = cut_axes(named(Extents{256}), {.dim = 0, .tile = 128}, SwapTile{128});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->loop, (PriorityOrder<CutAxis>{{"a_i", 2}}));
  EXPECT_EQ(cut->tile, (PriorityOrder<CutAxis>{{"a_o", 128}}));
  EXPECT_EQ(index_expression(*cut, 0), "2*a_o + a_i");
  EXPECT_EQ(cut->tail, 0);
}

TEST(CutAxes, TakesATileOfTheWholeExtentForNoSplit) {
  EXPECT_EQ(cut_axes(named(Extents{2, 4, 8}), {.dim = 1, .tile = 4}), cut_axes(named(Extents{2, 4, 8}), {.dim = 1, .tile = {}}));
}

TEST(CutAxes, RefusesWhatIsNoCut) {
  EXPECT_EQ(error_of({2, 4}, {.dim = 1, .tile = 5}), CutError::tile_out_of_range);
  EXPECT_EQ(error_of({2, 4}, {.dim = 1, .tile = 0}), CutError::tile_out_of_range);
  EXPECT_EQ(error_of({2, 0}, {.dim = 1, .tile = 1}), CutError::tile_out_of_range);
  EXPECT_EQ(error_of({2, 4}, {.dim = {}, .tile = 2}), CutError::tile_without_dim);
  EXPECT_EQ(error_of({2, 4}, {.dim = 2, .tile = {}}), CutError::no_such_dim);
  EXPECT_EQ(error_of({}, {.dim = 0, .tile = {}}), CutError::no_such_dim);
  EXPECT_EQ(error_of({2, -4}, {}), CutError::negative_extent);
}

TEST(CutAxes, RefusesASwapThatReversesNothing) {
  EXPECT_EQ(error_of({2, 4, 8}, {.dim = 1, .tile = {}}, SwapTile{roomy}), CutError::swap_without_tile);
  EXPECT_EQ(error_of({2, 4, 8}, {.dim = 1, .tile = 4}, SwapTile{roomy}), CutError::swap_without_tile);
  EXPECT_EQ(error_of({2, 4, 8}, {}, SwapTile{roomy}), CutError::swap_without_tile);
}

TEST(CutAxes, RefusesASwapOfAFactorThatIsNotWhole) {
  EXPECT_EQ(error_of({10}, {.dim = 0, .tile = 4}, SwapTile{roomy}), CutError::swap_does_not_divide);
}

TEST(CutAxes, RefusesASwapWhoseTileIsOverTheBudget) {
  EXPECT_EQ(error_of({2, 4, 8}, {.dim = 1, .tile = 2}, SwapTile{15}), CutError::swap_over_budget);
  EXPECT_EQ(error_of({4, int64_t{1} << 62, int64_t{1} << 62}, {.dim = 0, .tile = 2}, SwapTile{roomy}),
            CutError::swap_over_budget);
  EXPECT_EQ(error_of({4}, {.dim = 0, .tile = 2}, SwapTile{0}), CutError::cut_size_below_one);
}

TEST(AxisOrders, AreTheReverseOfEachOther) {
  const PriorityOrder<int> priority{1, 2, 3};
  EXPECT_EQ(emission_order(priority), (EmissionOrder<int>{3, 2, 1}));
  EXPECT_EQ(priority_order(emission_order(priority)), priority);
}

TEST(AxisOrders, DoNotMix) {
  static_assert(!std::convertible_to<PriorityOrder<int>, EmissionOrder<int>>);
  static_assert(!std::constructible_from<EmissionOrder<int>, PriorityOrder<int>>);
  static_assert(!std::equality_comparable_with<PriorityOrder<int>, EmissionOrder<int>>);
  static_assert(!std::convertible_to<std::vector<int>, PriorityOrder<int>>);
}

}  // namespace
}  // namespace tileproof::penguin
