// docs/pipelines.md shows a pass to begin with: it is compiled here, and right.
#include "compiler/ir/text.h"
#include "compiler/pipeline/run_pipeline.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/pipeline/passes/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tileproof::pipeline {
namespace {

using testing::HasSubstr;

const std::string& page() {
  static const std::string text = *ir::read_text("docs/pipelines.md");
  return text;
}

/// What the first block of that kind behind `head` holds.
std::string block(const std::string& head, const std::string& fence) {
  const size_t begin = page().find(fence + "\n", page().find(head));
  if (begin == std::string::npos) return "";
  const size_t first = begin + fence.size() + 1;
  return page().substr(first, page().find("```", first) - first);
}

const std::string chapter = "## A pass to begin with";

Stage run(const ir::Program& program, const std::string& steps) {
  return run_pipeline(program, parse_pipeline(steps, test_registry()).value(), nullptr).value();
}

TEST(PipelinesPage, QuotesThePassThatIsCompiledHere) {
  const std::string quoted = block(chapter, "```cpp");
  ASSERT_GE(std::ranges::count(quoted, '\n'), 20);
  EXPECT_THAT(*ir::read_text("props/pipeline/passes/tile_first_axis.cpp"), HasSubstr(quoted));
}

TEST(PipelinesPage, ShowsTheLinesToEditForAPassOfOnesOwn) {
  const std::string cmake = *ir::read_text("CMakeLists.txt");
  const std::string library = block("For `tileproof` to know it", "```"),
                    end = block("the pass is added in front of the line", "```cpp");
  ASSERT_NE(library, "");
  ASSERT_NE(end, "");
  EXPECT_THAT(cmake, HasSubstr(library));
  EXPECT_THAT(cmake, HasSubstr("tileproof_library(tileproof_tool tool USES"));
  EXPECT_THAT(*ir::read_text("tool/passes.cpp"), HasSubstr(end));
}

TEST(PipelinesPage, ShowsWhatThePassMakes) {
  const ir::Program before = ir::parse(block(chapter, "```tile"), "before").value().programs.front();
  EXPECT_EQ(ir::print(run(before, "tile-first-axis{size=4}").program), block("`tile-first-axis{size=4}` makes of it", "```tile"));
}

TEST(PipelinesPage, ShowsAPassThatIsRightOnEachProgramOfTheCorpusThatIsQuicklyChecked) {
  size_t checked = 0, tiled = 0;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/real")) {
    const ir::Program before = ir::parse(*ir::read_text(entry.path().string()), "before").value().programs.front();
    const Stage stage = run(before, "tile-first-axis{size=7}");
    const auto report = oracle::check(before, stage.program, {.keys = 1, .max_points = 10'000});
    ASSERT_TRUE(report.has_value()) << entry.path();
    if (report->verdict == oracle::Verdict::unsupported || report->verdict == oracle::Verdict::timeout) continue;
    EXPECT_EQ(report->verdict, oracle::Verdict::tested) << entry.path() << oracle::headline(*report);
    ++checked;
    tiled += static_cast<size_t>(std::ranges::count(stage.remarks, "tiled", &Remark::id));
  }
  EXPECT_GE(checked, 10u);
  EXPECT_GE(tiled, 5u);
}

}  // namespace
}  // namespace tileproof::pipeline
