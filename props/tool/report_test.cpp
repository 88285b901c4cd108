#include "oracle/equivalence/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tileproof::oracle {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CheckSubject subject() {
  CheckSubject subject;
  subject.original_file = "before.tile";
  subject.original_program = "matmul";
  subject.tiled_file = "after.tile";
  subject.tiled_program = "matmul";
  subject.seed = 7;
  subject.command = "check before.tile after.tile --seed 7";
  return subject;
}

CheckReport refuted() {
  CheckReport report;
  report.verdict = Verdict::refuted;
  report.tier = Tier::field;
  report.findings = {{FindingId::value, "store#1", "y", {0, 44}, {14, 5}, "the values differ"}};
  report.difference = Difference{.buffer = "y",
                                 .element = {0, 44},
                                 .original = "3.5",
                                 .tiled = "4.5",
                                 .input = "x[0, 3] = 8, the others random (seed 7)",
                                 .differing = 12,
                                 .compared = 9600,
                                 .missing = {"x[1, 65536..99999]"},
                                 .extra = {},
                                 .repeated = {"x[0, 0]"},
                                 .writer = "store#1",
                                 .writer_location = {14, 5}};
  report.warnings = {{FindingId::value, "store#2", "y", {3}, {15, 5}, "y[3] is overwritten before anyone reads it"}};
  report.counted = {{"overwritten elements", 3}};
  report.points = 2304000;
  report.compared = 9600;
  report.keys = 3;
  report.patterns = {"random", "lowest"};
  report.parameters = {{{"n", 1}}, {{"m", 2}, {"n", 5}}};
  report.failing_parameters = {{"n", 5}};
  return report;
}

TEST(TextReport, BeginsWithTheVerdict) { EXPECT_THAT(text_report(refuted(), subject()), StartsWith("refuted: value (TP001)\n")); }

TEST(TextReport, ShowsTheCounterexample) {
  const std::string text = text_report(refuted(), subject());
  EXPECT_THAT(text, HasSubstr("y[0, 44] is the smallest index that differs (12 of 9,600 elements)\n"));
  EXPECT_THAT(text, HasSubstr("  original    3.5\n  tiled       4.5\n  input       x[0, 3] = 8, the others random (seed 7)\n"));
  EXPECT_THAT(text,
              HasSubstr("  missing     x[1, 65536..99999]\n  repeated    x[0, 0]\n  written by  store#1 at after.tile:14:5\n"));
}

TEST(TextReport, ShowsAllThatWasRunAndCounted) {
  const std::string text = text_report(refuted(), subject());
  EXPECT_THAT(text, HasSubstr("  tier        field\n"));
  EXPECT_THAT(text, HasSubstr("9,600 elements of each run, 3 keys, seed 7\n"));
  EXPECT_THAT(text, HasSubstr("  patterns    random, lowest\n  parameters  n=1; m=2 n=5\n  fails at    n=5\n  counted     "
                              "overwritten elements: 3\n"));
  EXPECT_THAT(text, HasSubstr("store#2 at after.tile:15:5: y[3] is overwritten before anyone reads it\n"));
  EXPECT_THAT(text, HasSubstr("  points      2,304,000\n"));
}

TEST(TextReport, EndsWithThePageAndTheCommand) {
  EXPECT_THAT(
      text_report(refuted(), subject()),
      testing::EndsWith("  page        docs/findings/TP001.md\n  replay      tileproof check before.tile after.tile --seed 7\n"));
}

TEST(TextReport, PointsIntoTheOriginalWhereThatIsAtFault) {
  CheckReport report = refuted();
  report.verdict = Verdict::bad_original;
  report.difference.reset();
  report.findings = {{FindingId::race, "map#1", "y", {3}, {4, 3}, ""}};
  const std::string text = text_report(report, subject());
  EXPECT_THAT(text, StartsWith("bad-original: race (TP105)\n"));
  EXPECT_THAT(text, HasSubstr("race (TP105) in map#1 on y[3], before.tile:4:3\n"));
}

TEST(TextReport, SaysWhyItCannotTell) {
  CheckReport report;
  report.verdict = Verdict::unsupported;
  report.reason = "identity undecided";
  EXPECT_THAT(text_report(report, subject()), StartsWith("unsupported: identity undecided\n"));
}

TEST(TextReport, SaysThatNothingWasCompared) {
  CheckReport report;
  report.verdict = Verdict::tested;
  report.tier = Tier::field;
  report.keys = 3;
  EXPECT_THAT(text_report(report, subject()), HasSubstr("0 elements of each run"));
}

TEST(TextReport, ListsTheFirstOfManyFindings) {
  CheckReport report = refuted();
  report.findings.resize(20, report.findings.front());
  EXPECT_THAT(text_report(report, subject()), HasSubstr("and 12 more\n"));
}

TEST(TextReport, NamesAMachineOnlyIfOneWasJudgedBy) {
  CheckSubject judged = subject();
  EXPECT_THAT(text_report(refuted(), judged), HasSubstr("no machine limits were judged"));
  judged.machine = "trn2";
  EXPECT_THAT(text_report(refuted(), judged), Not(HasSubstr("no machine limits were judged")));
}

TEST(JsonRecord, HoldsEverythingThatTheReportHolds) {
  const nlohmann::json record = nlohmann::json::parse(json_record(refuted(), subject()));
  EXPECT_EQ(record["verdict"], "refuted");
  EXPECT_EQ(record["exit"], 1);
  EXPECT_EQ(record["findings"][0]["id"], "TP001");
  EXPECT_EQ(record["findings"][0]["at"]["line"], 14);
  EXPECT_EQ(record["difference"]["element"], (std::vector<int>{0, 44}));
  EXPECT_EQ(record["difference"]["missing"][0], "x[1, 65536..99999]");
  EXPECT_EQ(record["warnings"][0]["statement"], "store#2");
  EXPECT_EQ(record["counted"]["overwritten elements"], 3);
  EXPECT_EQ(record["parameters"][1]["m"], 2);
  EXPECT_EQ(record["failing_parameters"]["n"], 5);
  EXPECT_EQ(record["replay"], "tileproof check before.tile after.tile --seed 7");
}

TEST(JsonRecord, MendsNamesThatAreNotUtf8) {
  CheckSubject odd = subject();
  odd.tiled_file = "after\xff.tile";
  EXPECT_TRUE(nlohmann::json::accept(json_record(refuted(), odd)));
}

TEST(Grouped, PutsThousandsApart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(2304000), "2,304,000");
}

}  // namespace
}  // namespace tileproof::oracle
