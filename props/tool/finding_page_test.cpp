// docs/findings has a page for each finding, and the example on it shows that finding.
#include "oracle/equivalence/report.h"
#include "oracle/finding.h"
#include "props/tool/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace tileproof::oracle {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// What stands between ```LANGUAGE and the next ```.
std::string code_block(const std::string& page, const std::string& language) {
  const std::string fence = "```" + language + "\n";
  const size_t begin = page.find(fence);
  if (begin == std::string::npos) return "";
  return page.substr(begin + fence.size(), page.find("```", begin + 3) - begin - fence.size());
}

class FindingPage : public testing::TestWithParam<FindingId> {
 protected:
  std::string content = tool::read_file(page(GetParam()));
};

TEST_P(FindingPage, IsTitledByCodeAndName) { EXPECT_THAT(content, StartsWith("# " + code(GetParam()) + " " + std::string(name(GetParam())) + "\n")); }

TEST_P(FindingPage, SaysHowToMendIt) { EXPECT_THAT(content, HasSubstr("## How to mend it\n\n* ")); }

TEST_P(FindingPage, HasAnExampleThatShowsIt) {
  const std::string example = code_block(content, "tile");
  ASSERT_NE(example, "");
  const tool::Finished finished = tool::tileproof({"check", "-", "--format", "json"}, {.input = example});
  EXPECT_EQ(finished.exit, 1) << finished.output << finished.errors;
  const nlohmann::json record = nlohmann::json::parse(finished.output, nullptr, false);
  ASSERT_TRUE(record.is_object() && !record["findings"].empty()) << finished.output;
  EXPECT_EQ(record["findings"][0]["id"], code(GetParam()));
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
