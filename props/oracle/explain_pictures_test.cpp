// What is drawn for each kind of verdict.
#include "props/oracle/picture_case.h"

#include "tool/corpus_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Explain, MarksTheElementThatDiffersAndItsNeighbours) {
  EXPECT_THAT(
      pictures_of(twice, row + "for b in 0..3 par { map y[4*b + i] = 2 * x[min(4*b, 6) + i] over i:4 where 4*b + i < 10 }"),
      AllOf(HasSubstr("│....│....│X#│"), HasSubstr("│ * b=2 "), HasSubstr("* holds y[8]"), HasSubstr("│......+.-.│")));
}

TEST(Explain, MarksWhatNobodyWrote) {
  EXPECT_THAT(pictures_of(twice, row + "for b in 0..2 par { map y[4*b + i] = 2 * x[4*b + i] over i:4 }"),
              AllOf(HasSubstr("│....│....│X-│"), HasSubstr("│ * not ")));
}

TEST(Explain, MarksWhatIsUndefined) {
  EXPECT_THAT(pictures_of(twice, row + "buffer t : f32[10] dram\n  map t[i] = 2 * x[i] over i:8\n  map y[i] = t[i] over i:10"),
              AllOf(HasSubstr("│........X?│"), HasSubstr("who touches y[8]")));
}

TEST(Explain, ShowsElementsThatCountTwice) {
  const std::string total = "buffer x : f32[10] dram in\n  buffer y : f32[1] dram out\n";
  EXPECT_THAT(pictures_of(total + "reduce y[0] += x[k] over k:10 reduce start",
                          total + "for b in 0..3 seq { reduce y[0] += x[min(4*b, 6) + k] over k:4 reduce start b == 0 }"),
              AllOf(HasSubstr("│oooooo**oo│"),
                    HasSubstr("8 enter both, 0 only the original, 0 only the tiled program, 2 enter it more often")));
}

TEST(Explain, ShowsTheTwoIterationsOfARace) {
  EXPECT_THAT(pictures_of(twice, row + "buffer t : f32[1] dram\n  for i in 0..10 par { map t[0] = x[i]\n map y[i] = 2 * t[0] }"),
              AllOf(HasSubstr("│ i=0 "), HasSubstr("│ i=1 "), HasSubstr("no order: iterations of `i`, a par loop")));
}

TEST(Explain, ShowsTheTwoPointsOfARace) {
  EXPECT_THAT(pictures_of(twice, row + "map y[i] = 2 * x[i] over i:10, j:2"),
              AllOf(HasSubstr("at i=0 j=0"), HasSubstr("at i=0 j=1"), HasSubstr("no order: points of one statement")));
}

TEST(Explain, ShowsAPointThatReadsWhatAnotherWrites) {
  const std::string self = "buffer y : f32[10] dram inout\n";
  EXPECT_THAT(pictures_of(self + "for i in 0..9 seq { map y[i + 1] = y[i] }", self + "map y[i + 1] = y[i] over i:9"),
              AllOf(HasSubstr("reads y[1]"), HasSubstr("writes y[1]"), HasSubstr("no order: points of one statement")));
}

TEST(Explain, ShowsWhoReadsOutOfBounds) {
  EXPECT_THAT(pictures_of(twice, row + "for b in 0..3 par { map y[4*b + i] = 2 * x[4*b + i] over i:4 }"),
              AllOf(HasSubstr("who touches y[10]"), HasSubstr("b=2"), HasSubstr("i=2"), HasSubstr("<-- the finding")));
}

TEST(Explain, ShowsBuffersThatShareBytes) {
  EXPECT_THAT(
      pictures_of(twice, row + "buffer s : f32[10] sram at 0:0\n  buffer t : f32[2] sram at 0:32\n"
                               "load s[i] = x[i] over i:10\n  load t[i] = x[i] over i:2\n  map y[i] = 2 * s[i] over i:10"),
      AllOf(HasSubstr("memory of sram"), HasSubstr("0..39 |##"), HasSubstr("32..39 |  "), HasSubstr("!"),
            HasSubstr("t is written by load#2"), HasSubstr("who touches s[8]")));
}

TEST(Explain, ShowsWhatIsAliveTogether) {
  const auto toy = machine::find_machine("toy");   // 256 bytes in each partition of `pad`
  ASSERT_TRUE(toy.has_value());
  CheckOptions options;
  options.machine = &*toy;
  EXPECT_THAT(pictures_of(row + "map y[i] = x[i] over i:10",
                          row + "buffer s : f32[1 | 40] pad\n  buffer t : f32[1 | 40] pad\n  load s[p, i] = x[i] over p:1, i:5\n"
                                "load t[p, i] = x[5 + i] over p:1, i:5\n  store y[i] = s[p, i] over p:1, i:5\n"
                                "store y[5 + i] = t[p, i] over p:1, i:5",
                          options),
              AllOf(HasSubstr("memory of pad"), HasSubstr("160 bytes |=="), HasSubstr("!!|"), HasSubstr("256 bytes |--"),
                    HasSubstr("alive together: 320 bytes in a partition")));
}

TEST(Explain, DrawsNothingWhereNothingIsDecided) {
  CheckOptions options;
  options.max_points = 5;
  EXPECT_THAT(pictures_of(twice, twice, options), HasSubstr("not drawn: the check was not decided"));
}

TEST(Explain, SaysAtWhichParameters) {
  const std::string dynamic = "param n : 1..6\n  buffer x : f32[n] dram in\n  buffer y : f32[n] dram out\n";
  EXPECT_THAT(pictures_of(dynamic + "map y[i] = 2 * x[i] over i:n", dynamic + "map y[i] = 2 * x[min(i, 2)] over i:n"),
              testing::ContainsRegex("tiles of y.[4-6]. .at n=[4-6].\n"));
}

/// Every wrong program of the corpus gets a picture or a line that says why not, within the width, the same every time.
TEST(Explain, ExplainsTheCorpus) {
  const auto files = tool::corpus_files({"corpus/bad"});
  ASSERT_TRUE(files.has_value());
  size_t drawn = 0;
  for (const std::string& file : *files) {
    if (tool::is_original(file)) continue;
    const auto one = tool::load_corpus_case(file);
    ASSERT_TRUE(one.has_value()) << file;
    CheckOptions options;
    options.machine = one->machine.get();
    const ir::Program &original = one->programs.original.program, &tiled = one->programs.tiled.program;
    const auto report = check(original, tiled, options);
    ASSERT_TRUE(report.has_value()) << file;
    const Pictures pictures = explain(original, tiled, options, *report);
    ASSERT_FALSE(pictures.empty()) << file;
    for (const Picture& picture : pictures) {
      ASSERT_FALSE(picture.lines.empty()) << file;
      drawn += !picture.lines.front().starts_with("not drawn");
      for (const std::string& line : picture.lines) {
        const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });   // of UTF-8
        EXPECT_LE(columns, picture_width) << file << ": " << line;
      }
    }
    EXPECT_EQ(to_text(pictures), to_text(explain(original, tiled, options, *report))) << file;
  }
  EXPECT_GT(drawn, 200U);
}

}  // namespace
}  // namespace tileproof::oracle
