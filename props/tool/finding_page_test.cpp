// docs/findings has a page for each finding, and the example on it shows that finding.
#include "oracle/equivalence/report.h"
#include "oracle/finding.h"
#include "props/tool/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace tileproof::oracle {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// What stands between `fence` and the next ```.
std::string block(const std::string& page, const std::string& fence) {
  const size_t begin = page.find(fence);
  if (begin == std::string::npos) return "";
  return page.substr(begin + fence.size(), page.find("```", begin + fence.size()) - begin - fence.size());
}

class FindingPage : public testing::TestWithParam<FindingId> {
 protected:
  std::string content = tool::read_file(page(GetParam()));
};

TEST_P(FindingPage, IsTitledByCodeAndName) {
  EXPECT_THAT(content, StartsWith("# " + code(GetParam()) + " " + std::string(name(GetParam())) + "\n"));
}

TEST_P(FindingPage, SaysHowToMendIt) { EXPECT_THAT(content, HasSubstr("## How to mend it\n\n* ")); }

TEST_P(FindingPage, HasAnExampleThatShowsIt) {
  const std::string example = block(content, "\n```tile\n");
  ASSERT_NE(example, "");
  const tool::Finished finished = tool::tileproof({"check", "-", "--format", "json"}, {.input = example});
  const nlohmann::json record = nlohmann::json::parse(finished.output, nullptr, false);
  ASSERT_TRUE(record.is_object() && record.contains("findings") && !record["findings"].empty())
      << finished.output << finished.errors;
  EXPECT_EQ(record["findings"][0]["id"], code(GetParam()));
}

TEST_P(FindingPage, QuotesTheReport) {
  const tool::ScratchFolder scratch;
  scratch.file("pair.tile", block(content, "\n```tile\n"));
  const tool::Finished finished = tool::tileproof({"check", "pair.tile"}, {.folder = scratch.path("")});
  std::istringstream quoted(block(content, "`tileproof check` says:\n\n```\n"));
  EXPECT_TRUE(quoted.str().starts_with("refuted: ") || quoted.str().starts_with("bad-original: "));
  for (std::string line; std::getline(quoted, line);) EXPECT_THAT(finished.output, HasSubstr(line + "\n"));
}

INSTANTIATE_TEST_SUITE_P(All, FindingPage, testing::ValuesIn(all_findings().begin(), all_findings().end()),
                         [](const auto& information) { return code(information.param); });

TEST(Findings, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const FindingId id : all_findings()) {
    EXPECT_TRUE(names.insert(name(id)).second) << name(id);
    EXPECT_NE(summary(id), "");
  }
}

TEST(Findings, HavePagesAndPagesHaveFindings) {
  std::set<std::string> pages;
  for (const FindingId id : all_findings()) pages.insert(code(id) + ".md");
  for (const auto& entry : std::filesystem::directory_iterator("docs/findings")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("TP")) {
      EXPECT_TRUE(pages.contains(name)) << name;
    }
  }
}

}  // namespace
}  // namespace tileproof::oracle
