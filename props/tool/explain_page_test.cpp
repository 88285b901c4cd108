// The pictures that docs/explain.md shows are those that are drawn, and drawing them changes nothing else.
#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::tool {
namespace {

using testing::EndsWith;
using testing::StartsWith;

struct Example {
  std::string programs, pictures;
};

/// What stands between `fence` and the next ```, from `at` on; `at` moves behind it.
std::string block(const std::string& page, const std::string& fence, size_t& at) {
  const size_t begin = page.find(fence, at);
  if (begin == std::string::npos) return "";
  at = page.find("```", begin + fence.size());
  return page.substr(begin + fence.size(), at - begin - fence.size());
}

std::vector<Example> examples() {
  const std::string page = read_file("docs/explain.md");
  std::vector<Example> found;
  for (size_t at = 0;;) {
    Example example;
    example.programs = block(page, "\n```tile\n", at);
    if (example.programs.empty()) return found;
    example.pictures = block(page, "draws:\n\n```\n", at);
    found.push_back(example);
  }
}

TEST(ExplainPage, QuotesThePictures) {
  ASSERT_EQ(examples().size(), 2U);
  for (const Example& example : examples()) {
    const ScratchFolder scratch;
    scratch.file("pair.tile", example.programs);
    const Finished finished = tileproof({"check", "pair.tile", "--explain"}, {.folder = scratch.path("")});
    ASSERT_NE(example.pictures, "");
    EXPECT_THAT(finished.output, EndsWith("\n\n" + example.pictures));
  }
}

TEST(Explain, ComesAfterTheReportAndLeavesItAsItIs) {
  const ScratchFolder scratch;
  scratch.file("good", twice);
  scratch.file("tiles", twice_in_tiles);
  scratch.file("wrong", twice_with_wrong_tail);
  scratch.file("unwritten", twice_without_the_last);
  scratch.file("endless", endless);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", "good", "tiles"},
                                             {"check", "good", "wrong"},
                                             {"check", "good", "unwritten"},
                                             {"check", "unwritten", "good"},
                                             {"check", "good", "endless", "--max-points", "1K"}}) {
    const Finished plain = tileproof(words, {.folder = scratch.path("")});
    std::vector<std::string> more = words;
    more.emplace_back("--explain");
    const Finished explained = tileproof(more, {.folder = scratch.path("")});
    EXPECT_EQ(explained.exit, plain.exit);
    EXPECT_THAT(explained.output, StartsWith(plain.output + "\n"));
    EXPECT_GT(explained.output.size(), plain.output.size() + 1);
    EXPECT_EQ(explained.output, tileproof(more, {.folder = scratch.path("")}).output);
  }
}

TEST(Explain, EndsWithTheTime) {
  const ScratchFolder scratch;
  scratch.file("good", twice);
  scratch.file("endless", endless);
  const Finished finished =
      tileproof({"check", "good", "endless", "--timeout", "0.2", "--explain"}, {.folder = scratch.path("")});
  EXPECT_EQ(finished.exit, 3);
  EXPECT_THAT(finished.output, EndsWith("not drawn: the check was not decided\n"));
}

}  // namespace
}  // namespace tileproof::tool
