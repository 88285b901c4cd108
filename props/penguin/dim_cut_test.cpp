#include "compiler/penguin/divisor.h"
#include "props/penguin/cut_model.h"

#include <gtest/gtest.h>

#include <limits>

namespace tileproof::penguin {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

DimCut cut_of(const Extents& extents, int64_t cut_size, CutOptions options = {}) {
  const auto cut = compute_cut(extents, cut_size, options);
  return cut ? *cut : DimCut{.dim = 999, .tile = -1};
}

CutError error_of(const Extents& extents, int64_t cut_size, CutOptions options = {}) {
  const auto cut = compute_cut(extents, cut_size, options);
  EXPECT_FALSE(cut) << *cut;
  return cut ? CutError::no_such_dim : cut.error();
}

struct Example {
  Extents extents;
  DimCut cut;
};

void PrintTo(const Example& example, std::ostream* stream) { *stream << fmt::format("{}", fmt::join(example.extents, ",")); }

class WorkedExample : public testing::TestWithParam<Example> {};

TEST_P(WorkedExample, IsCutAsItsSourceSays) { EXPECT_EQ(cut_of(GetParam().extents, 512), GetParam().cut); }

INSTANTIATE_TEST_SUITE_P(Seed000, WorkedExample,
                         testing::Values(Example{{4, 2, 2, 2, 128}, {.dim = 4, .tile = 16}}, Example{{4, 2, 2, 2, 8}, {}},
                                         Example{{8192, 2}, {.dim = 0, .tile = 512}}, Example{{448, 16}, {.dim = 0, .tile = {}}},
                                         Example{{16, 8192}, {.dim = 1, .tile = 32}}, Example{{}, {}}));

/// A maximum over [56, 12800 reduced] is laid out as 12800 partitions and 56 free, and cut into 12 blocks of 5: the reduced rest
/// of 100 is charged first.
INSTANTIATE_TEST_SUITE_P(Seed003, WorkedExample, testing::Values(Example{{100, 56}, {.dim = 1, .tile = 5}}));

TEST(ComputeCut, TakesWhatFitsExactlyWhole) {
  EXPECT_EQ(cut_of({512, 3}, 512), (DimCut{.dim = 0, .tile = {}}));
  EXPECT_EQ(cut_of({512}, 512), DimCut{});
  EXPECT_EQ(cut_of({513}, 512), (DimCut{.dim = 0, .tile = 512}));
}

TEST(ComputeCut, SplitsOffTwoSlicesAndMore) {
  EXPECT_EQ(cut_of({200, 3}, 512), (DimCut{.dim = 1, .tile = 2}));
  EXPECT_EQ(cut_of({257, 3}, 512), (DimCut{.dim = 0, .tile = {}}));
  EXPECT_EQ(cut_of({4, 128, 2}, 512), (DimCut{.dim = 1, .tile = {}}));
}

TEST(ComputeCut, LeavesARaggedTailUnlessAskedForUniformTiles) {
  EXPECT_EQ(cut_of({600, 2}, 512), (DimCut{.dim = 0, .tile = 512}));
  EXPECT_EQ(cut_of({3, 1000}, 512), (DimCut{.dim = 1, .tile = 170}));
  EXPECT_EQ(cut_of({3, 1000}, 512, {.uniform = true}), (DimCut{.dim = 1, .tile = 125}));
}

TEST(ComputeCut, TakesUnitExtentsAlong) {
  EXPECT_EQ(cut_of({448, 1, 16}, 512), (DimCut{.dim = 1, .tile = {}}));
  EXPECT_EQ(cut_of({1, 1, 5}, 1), (DimCut{.dim = 1, .tile = {}}));
}

TEST(ComputeCut, HasNothingToCutWhereAnExtentIsZero) {
  EXPECT_EQ(cut_of({0}, 1), DimCut{});
  EXPECT_EQ(cut_of({1000, 0, 1000}, 1), DimCut{});
  EXPECT_EQ(cut_of({most, most, 0}, 1), DimCut{});
}

TEST(ComputeCut, CutsToSingleElementsUnderACutSizeOfOne) {
  EXPECT_EQ(cut_of({7, 3}, 1), (DimCut{.dim = 0, .tile = 1}));
  EXPECT_EQ(cut_of({1, 1}, 1), DimCut{});
}

TEST(ComputeCut, MovesLeftFromAPrimeExtentThatMustBeUniform) {
  EXPECT_EQ(cut_of({4, 521}, 512, {.uniform = true}), (DimCut{.dim = 0, .tile = {}}));
}

TEST(ComputeCut, FlagsAPrimeFirstExtentThatMustBeUniform) {
  EXPECT_EQ(cut_of({521}, 512, {.uniform = true}), (DimCut{.dim = 0, .tile = 1, .degenerate = true}));
  EXPECT_EQ(cut_of({521}, 1, {.uniform = true}), (DimCut{.dim = 0, .tile = 1})) << "the budget asks for it";
}

TEST(ComputeCut, AlignsTheProductAndNotTheTileOfOneDimension) {
  EXPECT_EQ(cut_of({3, 100}, 128, {.multiple = 32}), (DimCut{.dim = 1, .tile = 32}));
  EXPECT_EQ(cut_of({300}, 100, {.multiple = 32}), (DimCut{.dim = 0, .tile = 96}));
}

TEST(ComputeCut, FlagsWhatCannotBeAligned) {
  EXPECT_EQ(cut_of({5, 64}, 128, {.multiple = 32}), (DimCut{.dim = 1, .tile = 25, .unaligned = true}));
  EXPECT_EQ(cut_of({100, 5}, 128, {.multiple = 32}), (DimCut{.dim = 0, .tile = {}, .unaligned = true}));
}

TEST(ComputeCut, ExemptsFromAlignmentWhatFitsWhole) { EXPECT_EQ(cut_of({5, 5}, 128, {.multiple = 32}), DimCut{}); }

TEST(ComputeCut, PrefersAUniformTileThatIsAligned) {
  EXPECT_EQ(cut_of({192}, 128, {.uniform = true, .multiple = 32}), (DimCut{.dim = 0, .tile = 96}));
  EXPECT_EQ(cut_of({150}, 128, {.uniform = true, .multiple = 32}), (DimCut{.dim = 0, .tile = 75, .unaligned = true}));
}

TEST(ComputeCut, TakesProductsBeyond64BitsAsOverTheBudget) {
  const int64_t large = int64_t{1} << 62;
  EXPECT_EQ(cut_of({large, large}, large), (DimCut{.dim = 0, .tile = {}}));
  EXPECT_EQ(cut_of({large, 2}, most), (DimCut{.dim = 0, .tile = {}}));
  EXPECT_EQ(cut_of({3, most}, most), (DimCut{.dim = 1, .tile = most / 3}));
  EXPECT_EQ(cut_of({most, most, most}, most), (DimCut{.dim = 0, .tile = {}}));
  EXPECT_EQ(cut_of({most}, large), (DimCut{.dim = 0, .tile = large}));
}

TEST(ComputeCut, RefusesWhatIsNoShapeAndNoBudget) {
  EXPECT_EQ(error_of({4}, 0), CutError::cut_size_below_one);
  EXPECT_EQ(error_of({4}, -512), CutError::cut_size_below_one);
  EXPECT_EQ(error_of({4, -1}, 512), CutError::negative_extent);
  EXPECT_EQ(error_of({0, -1}, 512), CutError::negative_extent);
  EXPECT_EQ(error_of({4}, 512, {.multiple = 0}), CutError::multiple_below_one);
}

TEST(ComputeCut, GivesUpOnADivisorOfAHugePrime) {
  const int64_t prime = 4611686018427387847;  // the largest below 2^62
  EXPECT_EQ(error_of({prime}, prime - 1, {.uniform = true}), CutError::divisor_search_too_long);
  EXPECT_EQ(cut_of({prime}, 8192, {.uniform = true}), (DimCut{.dim = 0, .tile = 1, .degenerate = true}));
}

TEST(CutErrors, EachHaveATextOfTheirOwn) {
  std::vector<std::string_view> texts;
  for (int i = 0; i <= static_cast<int>(CutError::swap_over_budget); ++i) {
    texts.push_back(text(static_cast<CutError>(i)));
    EXPECT_FALSE(texts.back().empty()) << i;
  }
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
}

TEST(LargestDivisor, IsTheOneThatTryingAllGives) {
  for (int64_t extent = 1; extent <= 300; ++extent) {
    int64_t best = 1;
    for (int64_t bound = 1; bound <= extent + 2; ++bound) {
      if (bound <= extent && extent % bound == 0) best = bound;
      EXPECT_EQ(largest_divisor(extent, bound), best) << extent << " up to " << bound;
    }
  }
}

TEST(LargestDivisor, IsFoundFromAboveTheSquareRootWhereTheExtentIsLarge) {
  EXPECT_EQ(largest_divisor(int64_t{1} << 62, (int64_t{1} << 61) + 5), int64_t{1} << 61);
  EXPECT_EQ(largest_divisor(3 * ((int64_t{1} << 31) - 1), 1'000'000), 3);
}

}  // namespace
}  // namespace tileproof::penguin
