// The grid of tiles is what the run wrote: borders, extents, the tail, and what nobody wrote.
#include "props/oracle/picture_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TileGrid, ShowsTheTailAsSmallAsItIs) {
  EXPECT_THAT(pictures_of(twice, row + "for b in 0..3 par { map y[4*b + i] = 2 * x[4*b + i] over i:4 where 4*b + i < 10 }"),
              AllOf(HasSubstr("0..3 "), HasSubstr("4..7 "), HasSubstr("8..9\n"),
                    HasSubstr("│ b=0                    │ b=1                    │ b=2        │"),
                    HasSubstr("columns: 3 pieces of 4, the last of 2")));
}

TEST(TileGrid, ShowsTheLastWriterWhereTilesOverlap) {
  EXPECT_THAT(pictures_of(twice, row + "for b in 0..3 seq { map y[min(4*b, 6) + i] = 2 * x[min(4*b, 6) + i] over i:4 }"),
              AllOf(HasSubstr("4..5 "), HasSubstr("6..9\n"), HasSubstr("columns: 3 pieces of 2 to 4")));
}

TEST(TileGrid, NamesTheStatementWhereNoLoopTellsTilesApart) {
  EXPECT_THAT(pictures_of(twice, row + "map y[i] = 2 * x[i] over i:4\n  store y[4 + i] = 2 * x[4 + i] over i:6"),
              AllOf(HasSubstr("│ map#1 "), HasSubstr("│ store#1 ")));
}

TEST(TileGrid, JoinsWhatOneIterationWrote) {
  const std::string square = "buffer x : f32[4, 4] dram in\n  buffer y : f32[4, 4] dram out\n";
  const std::string pictures = pictures_of(square + "map y[i, j] = x[i, j] over i:4, j:4",
                                           square + "for c in 0..2 par { map y[i, 2*c + j] = x[i, 2*c + j] over i:4, j:2 }");
  EXPECT_THAT(pictures, AllOf(HasSubstr("rows: 1 piece of 4"), HasSubstr("columns: 2 pieces of 2")));
}

TEST(TileGrid, ShowsAMove) {
  const std::string moved = row + "buffer t : f32[10] dram\n  map t[i] = 2 * x[i] over i:10\n  move y = t";
  EXPECT_THAT(pictures_of(twice, moved), HasSubstr("move or"));
  EXPECT_THAT(pictures_of(row + "map y[i] = x[i] over i:10", row + "move y = x"),
              AllOf(HasSubstr("move or"), Not(HasSubstr("not "))));
}

TEST(TileGrid, ShowsWhatAnInoutBufferKeeps) {
  const std::string kept = "buffer y : f32[10] dram inout\n";
  EXPECT_THAT(pictures_of(kept + "map y[i] = 1 over i:4", kept + "for i in 0..4 par { map y[i] = 1 }"),
              AllOf(HasSubstr("i=0"), HasSubstr("not"), HasSubstr("written")));
}

TEST(TileGrid, ShowsIntegersThatSteer) {
  const std::string steering = "buffer n : i32[4] dram out\n  buffer x : f32[4] dram in\n  buffer y : f32[4] dram out\n";
  EXPECT_THAT(pictures_of(steering + "map n[i] = i over i:4\n  map y[i] = x[n[i]] over i:4",
                          steering + "for b in 0..2 seq { map n[2*b + i] = 2*b + i over i:2 }\n  map y[i] = x[n[i]] over i:4"),
              HasSubstr("the statement is known, not the iteration"));
}

TEST(TileGrid, DrawsOneElement) {
  const std::string total = "buffer x : f32[10] dram in\n  buffer y : f32[1] dram out\n";
  EXPECT_THAT(
      pictures_of(total + "reduce y[0] += x[k] over k:10 reduce start", total + "reduce y[0] += x[k] over k:10 reduce start"),
      HasSubstr("tiles of y[1]"));
}

TEST(TileGrid, DrawsASliceOfFourDims) {
  const std::string four = "buffer x : f32[2, 3, 4, 5] dram in\n  buffer y : f32[2, 3, 4, 5] dram out\n";
  const std::string body = "map y[a, b, c, d] = x[a, b, c, d] over b:3, c:4, d:5";
  EXPECT_THAT(pictures_of(four + "map y[a, b, c, d] = x[a, b, c, d] over a:2, b:3, c:4, d:5",
                          four + "for a in 0..2 par { " + body + " }"),
              HasSubstr("tiles of y[0, 0, 0..3, 0..4] of y[2, 3, 4, 5]"));
}

TEST(TileGrid, LeavesOutTheMiddleOfManyTiles) {
  const std::string wide = "buffer x : f32[400, 400] dram in\n  buffer y : f32[400, 400] dram out\n";
  const std::string pictures =
      pictures_of(wide + "map y[i, j] = x[i, j] over i:400, j:400",
                  wide +
                      "for r in 0..45 par { for c in 0..45 par {\n map y[9*r + i, 9*c + j] = x[9*r + i, 9*c + j] over i:9, j:9 "
                      "where 9*r + i < 400 and 9*c + j < 400\n } }");
  EXPECT_THAT(pictures, AllOf(HasSubstr("..."), HasSubstr("396..399"), HasSubstr("r=44"), HasSubstr("c=0"),
                              HasSubstr("rows: 45 pieces of 9, the last of 4;  columns: 45 pieces of 9, the last of 4")));
}

}  // namespace
}  // namespace tileproof::oracle
