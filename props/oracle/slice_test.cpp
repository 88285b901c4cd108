#include "oracle/explain/slice.h"

#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

TEST(Slice, OfTwoDimsIsTheBuffer) {
  const Slice slice({3, 5}, {1, 2});
  EXPECT_EQ(slice.rows(), 3);
  EXPECT_EQ(slice.columns(), 5);
  EXPECT_EQ(slice.element(1, 2), 7U);
  EXPECT_EQ(slice.text("y"), "y[3, 5]");
}

TEST(Slice, OfOneDimIsARow) {
  const Slice slice({5}, {3});
  EXPECT_EQ(slice.rows(), 1);
  EXPECT_EQ(slice.columns(), 5);
  EXPECT_EQ(slice.column(), 3);
}

TEST(Slice, OfNoDimIsOneElement) {
  const Slice slice({}, {});
  EXPECT_EQ(slice.rows(), 1);
  EXPECT_EQ(slice.columns(), 1);
  EXPECT_EQ(slice.element(0, 0), 0U);
  EXPECT_EQ(slice.text("y"), "y");
}

TEST(Slice, OfFourDimsGoesThroughTheElement) {
  const Slice slice({2, 3, 4, 5}, {1, 2, 3, 4});
  EXPECT_EQ(slice.element(slice.row(), slice.column()), 119U);
  EXPECT_EQ(slice.element(0, 0), 100U);
  EXPECT_EQ(slice.text("y"), "y[1, 2, 0..3, 0..4] of y[2, 3, 4, 5]");
}

TEST(Slice, ShowsDimsThatHaveSomethingToShow) {
  const Slice slice({4, 1, 6, 1}, {3, 0, 5, 0});
  EXPECT_EQ(slice.rows(), 4);
  EXPECT_EQ(slice.columns(), 6);
  EXPECT_FALSE(slice.is_part());
}

TEST(Slice, MovesIndicesInside) {
  const Slice slice({4}, {9});
  EXPECT_EQ(slice.column(), 3);
}

TEST(Slice, CanBeEmpty) { EXPECT_TRUE(Slice({0, 4}, {}).is_empty()); }

}  // namespace
}  // namespace tileproof::oracle
