#include "oracle/explain/canvas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

using testing::ElementsAre;

TEST(Canvas, JoinsLinesWhereTheyMeet) {
  Canvas canvas;
  canvas.box(0, 0, 2, 4);
  canvas.vertical(2, 0, 2);
  canvas.text(1, 1, "a");
  EXPECT_THAT(canvas.lines(), ElementsAre("┌─┬─┐", "│a│ │", "└─┴─┘"));
}

TEST(Canvas, CrossesLines) {
  Canvas canvas;
  canvas.horizontal(1, 0, 2);
  canvas.vertical(1, 0, 2);
  EXPECT_THAT(canvas.lines(), ElementsAre(" │", "─┼─", " │"));
}

TEST(Canvas, LeavesNoBlanksAtTheEnds) {
  Canvas canvas;
  canvas.text(1, 3, "b  ");
  EXPECT_THAT(canvas.lines(), ElementsAre("", "   b"));
}

}  // namespace
}  // namespace tileproof::oracle
