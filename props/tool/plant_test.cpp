// `tileproof plant`, and the page about it.
#include "props/tool/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tileproof::tool {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json record_of(std::vector<std::string> words, int exit) {
  words.insert(words.begin(), "plant");
  words.insert(words.end(), {"--format", "json"});
  const Finished finished = tileproof(words);
  EXPECT_EQ(finished.exit, exit) << finished.errors;
  const ScratchFolder scratch;
  const Finished judged =
      run_process({"jsonschema", "-i", scratch.file("record.json", finished.output), "docs/record.schema.json"});
  EXPECT_EQ(judged.exit, 0) << judged.output << judged.errors << finished.output;
  return json::parse(finished.output, nullptr, false);
}

TEST(Plant, SaysWhichBugsWereFound) {
  const json record = record_of({"no-tail-on-stores", "never-begins", "--programs", "50", "--seeds", "3"}, 0);
  EXPECT_EQ(record["planted"], 2);
  EXPECT_EQ(record["found"], 2);
  EXPECT_EQ(record["false_alarms"], 0);
  EXPECT_EQ(record["programs"], 50);
  EXPECT_EQ(record["bugs"][0]["name"], "no-tail-on-stores");
  EXPECT_EQ(record["bugs"][0]["cheapest"], "alone");
  EXPECT_GE(record["bugs"][0]["cases"]["median"], 1);
}

TEST(Plant, SaysThatABugWasMissed) {
  // Not all bugs show in the first program of a seed.
  const json record = record_of({"first-of-the-group", "--programs", "0", "--seeds", "1", "--cases", "1"}, 1);
  EXPECT_EQ(record["found"], 0);
  EXPECT_EQ(record["verdict"], "does-not-pass");
  EXPECT_EQ(record["bugs"][0]["cheapest"], nullptr);
}

TEST(Plant, ListsAllBugs) {
  const json record = record_of({"--list"}, 0);
  EXPECT_GE(record["bugs"].size(), 60U);
  EXPECT_EQ(record["bugs"].size(), record["planted"]);
  EXPECT_EQ(record["bugs"][0]["name"], "one-element-over");
  EXPECT_EQ(record["bugs"][0]["source"], "decisions A.2");
}

TEST(Plant, RefusesABugThatThereIsNot) {
  const Finished finished = tileproof({"plant", "no-tail-on-store"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, HasSubstr("tileproof plant: error: no planted bug is called `no-tail-on-store`; did you mean"));
  EXPECT_EQ(record_of({"no-tail-on-store"}, 2)["verdict"], "bad-input");
}

TEST(Plant, RefusesAnOptionThatThereIsNot) { EXPECT_EQ(record_of({"--sedes", "3"}, 2)["verdict"], "bad-input"); }

TEST(Plant, SaysWhereTheProgramOfTheWrongTilersShouldBe) {
  const ScratchFolder scratch;
  const std::string alone = scratch.path("tileproof");
  std::filesystem::copy_file(executable(), alone);
  const Finished finished = run_process({alone, "plant"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, HasSubstr(scratch.path("tileproof-plant") + " cannot be started; build it beside tileproof"));
}

TEST(PlantingPage, QuotesTheTableOfTheCommand) {
  const std::string page = read_file("docs/planting.md");
  std::istringstream lines(page.substr(page.find("\n$ tileproof plant --programs 0\n")));
  std::string line;
  std::getline(lines, line), std::getline(lines, line), std::getline(lines, line);   // the command, the head
  EXPECT_THAT(line, testing::StartsWith("bug "));
  const json bugs = record_of({"--list"}, 0)["bugs"];
  for (const json& bug : bugs) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_THAT(line, testing::StartsWith(bug["name"].get<std::string>() + " "));
    EXPECT_THAT(line, HasSubstr(" " + bug["source"].get<std::string>() + " "));
    EXPECT_THAT(line, testing::Not(HasSubstr("MISSED"))) << "which the page would have to speak of";
  }
  const auto all = std::to_string(bugs.size());
  EXPECT_THAT(page, HasSubstr("\n" + all + " of " + all + " planted bugs found"));
}

}  // namespace
}  // namespace tileproof::tool
