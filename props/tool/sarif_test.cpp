// SARIF: a result a finding, with its place; what is not decided makes the invocation unsuccessful.
#include "props/tool/ci_folder.h"

#include "oracle/equivalence/report.h"
#include "tool/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace tileproof::tool {
namespace {

using testing::HasSubstr;

void expect_valid(const ScratchFolder& scratch, const std::string& text) {
  const Finished judged = run_process({"jsonschema", "-i", scratch.file("log.json", text), "props/tool/sarif.schema.json"});
  EXPECT_EQ(judged.exit, 0) << judged.output << judged.errors << text;
}

class Sarif : public testing::Test {
 protected:
  CiFolder folder;
  nlohmann::json log;

  Finished run(std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "sarif"});
    Finished finished = folder.run(words);
    expect_valid(folder.scratch, finished.output);
    log = nlohmann::json::parse(finished.output, nullptr, false);
    return finished;
  }
  const nlohmann::json& results() const { return log["runs"][0]["results"]; }
  const nlohmann::json& invocation() const { return log["runs"][0]["invocations"][0]; }
  const nlohmann::json& notifications() const { return invocation()["toolExecutionNotifications"]; }
};

TEST_F(Sarif, HasNoResultsForAPass) {
  EXPECT_EQ(run({"check", "good", "tiles"}).exit, 0);
  EXPECT_TRUE(results().empty());
  EXPECT_EQ(invocation()["executionSuccessful"], true);
  EXPECT_EQ(invocation()["exitCode"], 0);
}

TEST_F(Sarif, HasAResultAtTheStatementOfAFinding) {
  EXPECT_EQ(run({"check", "good", "wrong"}).exit, 1);
  ASSERT_EQ(results().size(), 1U);
  const nlohmann::json& result = results()[0];
  EXPECT_EQ(result["ruleId"], "TP001");
  EXPECT_THAT(result["message"]["text"].get<std::string>(), HasSubstr("y[8]"));
  const nlohmann::json& place = result["locations"][0];
  EXPECT_EQ(place["physicalLocation"]["artifactLocation"]["uri"], "wrong");
  EXPECT_EQ(place["physicalLocation"]["region"]["startLine"], 6);
  EXPECT_EQ(place["physicalLocation"]["region"]["startColumn"], 5);
  EXPECT_EQ(place["logicalLocations"][0]["fullyQualifiedName"], "twice/map#1");
  EXPECT_EQ(result["properties"]["element"], nlohmann::json({8}));
  EXPECT_EQ(result["properties"]["missing"], nlohmann::json({"x[8]"}));
  EXPECT_EQ(result["properties"]["command"], "tileproof check good wrong --seed 1");
  EXPECT_EQ(invocation()["executionSuccessful"], true) << "a refutation is a result, not a failure to decide";
}

TEST_F(Sarif, NamesTheRuleOfEachResultByItsIndex) {
  run({"check", "good", "wrong"});
  const nlohmann::json& rules = log["runs"][0]["tool"]["driver"]["rules"];
  for (const nlohmann::json& result : results()) EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
}

TEST_F(Sarif, HasARuleWithAPageForEachFinding) {
  run({"check", "good", "tiles"});
  const nlohmann::json& rules = log["runs"][0]["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), oracle::all_findings().size() + 1);
  for (size_t i = 0; i < oracle::all_findings().size(); ++i) {
    EXPECT_EQ(rules[i]["id"], oracle::code(oracle::all_findings()[i]));
    EXPECT_TRUE(std::filesystem::exists(rules[i]["properties"]["page"].get<std::string>()));
  }
}

TEST_F(Sarif, PutsTheFindingsOfABadOriginalIntoTheOriginal) {
  EXPECT_EQ(run({"check", "unwritten", "good"}).exit, 2);
  ASSERT_FALSE(results().empty());
  EXPECT_EQ(results()[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "unwritten");
  EXPECT_EQ(invocation()["executionSuccessful"], false);
}

TEST_F(Sarif, SaysWhatWasNotDecided) {
  EXPECT_EQ(run({"check", "good", "endless", "--max-points", "1K"}).exit, 3);
  EXPECT_EQ(invocation()["executionSuccessful"], false);
  ASSERT_FALSE(notifications().empty());
  EXPECT_THAT(notifications()[0]["message"]["text"].get<std::string>(), HasSubstr("timeout: "));
}

TEST_F(Sarif, SaysWhatIsWrongWithTheInput) {
  EXPECT_EQ(run({"check", "good", "broken"}).exit, 2);
  EXPECT_EQ(invocation()["executionSuccessful"], false);
  const nlohmann::json& place = notifications()[0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "broken");
  EXPECT_EQ(place["region"]["startLine"], 2);
}

TEST_F(Sarif, IsValidForWrongUsage) {
  EXPECT_EQ(run({"check", "good", "tiles", "--keys", "many"}).exit, 2);
  EXPECT_EQ(run({"check", "good", "no such file"}).exit, 2);
  EXPECT_EQ(run({"chekc"}).exit, 2);
}

TEST_F(Sarif, HasAResultForEachFileOfAReplayThatIsNotAsExpected) {
  EXPECT_EQ(run({"replay", "corpus"}).exit, 2);
  std::set<std::string> seen;
  for (const nlohmann::json& result : results())
    seen.insert(result["ruleId"].get<std::string>() + " " +
                result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].get<std::string>());
  EXPECT_EQ(seen, (std::set<std::string>{"not-as-expected corpus/harmless.tile", "TP001 corpus/surprise.tile"}));
}

TEST_F(Sarif, HoldsThePicturesOfACheckThatIsExplained) {
  run({"check", "good", "wrong", "--explain"});
  EXPECT_FALSE(results()[0]["properties"]["explanation"].empty());
  run({"check", "good", "tiles", "--explain"});
  EXPECT_FALSE(log["runs"][0]["properties"]["explanation"].empty());
}

TEST_F(Sarif, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(run({"replay", "corpus", "--jobs", "1"}).output, run({"replay", "corpus", "--jobs", "4"}).output);
}

TEST_F(Sarif, EscapesPathsIntoUris) {
  folder.scratch.file("a:b c%.tile", twice_with_wrong_tail);
  run({"check", "good", "a:b c%.tile"});
  EXPECT_EQ(results()[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%3Ab%20c%25.tile");
}

TEST(SarifText, TakesAnyBytes) {
  const ScratchFolder scratch;
  Judged judged;
  judged.name = "a\x01\xff";
  judged.errors = {{"\x02\xfe.tile", {1, 1}, std::string("zero\0", 5), "\x1b[0m"}};
  expect_valid(scratch, sarif("check", ExitCode::bad_input, {&judged, 1}));
}

}  // namespace
}  // namespace tileproof::tool
