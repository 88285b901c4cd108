#include "tool/corpus_file.h"

#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::tool {
namespace {

using oracle::CheckReport;
using oracle::FindingId;
using oracle::Tier;
using oracle::Verdict;
using testing::HasSubstr;

CheckReport report(Verdict verdict, Tier tier = Tier::none, std::vector<oracle::Finding> findings = {}) {
  CheckReport report;
  report.verdict = verdict;
  report.tier = tier;
  report.findings = std::move(findings);
  return report;
}

oracle::Finding finding(FindingId id, std::string statement, std::string buffer) {
  return {id, std::move(statement), std::move(buffer), {}, {}, {}};
}

TEST(Expectation, ReadsAFindingWithItsStatementAndBuffer) {
  const auto expectation = parse_expectation("race store#1 y");
  ASSERT_TRUE(expectation);
  EXPECT_TRUE(expectation->met_by(report(Verdict::refuted, Tier::none, {finding(FindingId::race, "store#1", "y")})));
  EXPECT_FALSE(expectation->met_by(report(Verdict::refuted, Tier::none, {finding(FindingId::race, "store#2", "y")})));
  EXPECT_FALSE(expectation->met_by(report(Verdict::refuted, Tier::none, {finding(FindingId::race, "store#1", "z")})));
  EXPECT_FALSE(expectation->met_by(report(Verdict::refuted, Tier::none, {finding(FindingId::value, "store#1", "y")})));
  EXPECT_FALSE(expectation->met_by(report(Verdict::tested, Tier::field)));
}

TEST(Expectation, LooksAtTheDecisiveFindingOnly) {
  const auto expectation = parse_expectation("race store#1 y");
  ASSERT_TRUE(expectation);
  EXPECT_FALSE(expectation->met_by(report(
      Verdict::refuted, Tier::none, {finding(FindingId::value, "store#1", "y"), finding(FindingId::race, "store#1", "y")})));
}

TEST(Expectation, TakesADashForNone) {
  const auto expectation = parse_expectation("not-written - y");
  ASSERT_TRUE(expectation);
  EXPECT_TRUE(expectation->met_by(report(Verdict::refuted, Tier::none, {finding(FindingId::not_written, "-", "y")})));
  EXPECT_TRUE(expectation->met_by(report(Verdict::refuted, Tier::none, {finding(FindingId::not_written, "", "y")})));
}

TEST(Expectation, ReadsAVerdictWithItsTierOrFinding) {
  const auto lattice = parse_expectation("tested lattice");
  ASSERT_TRUE(lattice);
  EXPECT_TRUE(lattice->met_by(report(Verdict::tested, Tier::lattice)));
  EXPECT_FALSE(lattice->met_by(report(Verdict::tested, Tier::field)));
  const auto race = parse_expectation("bad-original race");
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->met_by(report(Verdict::bad_original, Tier::none, {finding(FindingId::race, "map#1", "y")})));
  EXPECT_FALSE(race->met_by(report(Verdict::refuted, Tier::none, {finding(FindingId::race, "map#1", "y")})));
  const auto unsupported = parse_expectation("unsupported");
  ASSERT_TRUE(unsupported);
  EXPECT_TRUE(unsupported->met_by(report(Verdict::unsupported)));
}

TEST(Expectation, AsksForAPassWhereTheHeaderIsSilent) {
  EXPECT_TRUE(Expectation{}.met_by(report(Verdict::tested, Tier::exp)));
  EXPECT_TRUE(Expectation{}.met_by(report(Verdict::proved)));
  EXPECT_FALSE(Expectation{}.met_by(report(Verdict::unsupported)));
  EXPECT_FALSE(Expectation{}.met_by(report(Verdict::timeout)));
}

TEST(Expectation, RoundTripsThroughItsText) {
  for (const std::string text :
       {"race store#1 y", "not-written - y", "tested lattice", "refuted value", "bad-original race", "unsupported", "passes"}) {
    const auto expectation = parse_expectation(text);
    ASSERT_TRUE(expectation) << text;
    EXPECT_EQ(to_string(*expectation), text);
  }
}

TEST(Expectation, NamesWhatIsWrong) {
  for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{{"", "nothing is expected"},
                                                                                   {"racy store#1 y", "`racy`"},
                                                                                   {"race store#1", "2 words where"},
                                                                                   {"race", "one word where"},
                                                                                   {"tested latice", "`latice`"},
                                                                                   {"refuted latice", "`latice`"}}) {
    const auto expectation = parse_expectation(text);
    ASSERT_FALSE(expectation) << text;
    EXPECT_THAT(expectation.error().message, HasSubstr(what));
    EXPECT_NE(expectation.error().mend, "");
  }
}

TEST(CorpusHeader, EndsAtTheFirstLineThatIsNoComment) {
  const auto header = parse_corpus_header(
      "# before ../real/matmul.tile\n#  why:  it looks wrong\n\n# machine trn2\ntile 1\n# expect unsupported\n", "x.tile");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->before, "../real/matmul.tile");
  EXPECT_EQ(header->why, "it looks wrong");
  EXPECT_EQ(header->machine, "trn2");
  EXPECT_EQ(header->expect, std::nullopt);
}

TEST(CorpusHeader, RefusesWhatIsNearlyAWordOfIt) {
  for (const std::string line : {"# machin trn2", "# befor ../real/x.tile", "# expct tested field", "# Machine trn2"}) {
    const auto header = parse_corpus_header("# why: a header\n" + line + "\n\ntile 1\n", "x.tile");
    ASSERT_FALSE(header.has_value()) << line;
    EXPECT_EQ(header.error()[0].location.line, 2u) << line;
  }
  EXPECT_TRUE(
      parse_corpus_header("# Machines have limits, and before they are met\n# expects nothing\n\ntile 1\n", "x").has_value());
}

TEST(CorpusHeader, TakesEachOfItsWordsOnce) {
  for (const std::string line : {"# before a.tile", "# pipeline penguin", "# machine trn2", "# right by itself", "# why: it is",
                                 "# bug: one", "# models a compiler", "# pair: a", "# source: seed 000", "# expect tested"}) {
    const auto header = parse_corpus_header("# a comment\n" + line + "\n\n" + line + "\ntile 1\n", "x.tile");
    ASSERT_FALSE(header.has_value()) << line;
    EXPECT_EQ(header.error()[0].location, (ir::Location{4, 1})) << line;
    EXPECT_THAT(header.error()[0].message, HasSubstr("the first is line 2")) << line;
    EXPECT_NE(header.error()[0].mend, "") << line;
  }
}

TEST(CorpusHeader, RefusesWordsThatNameNothing) {
  for (const std::string word : {"before", "pipeline", "machine", "expect"}) {
    const auto header = parse_corpus_header("# " + word + " \ntile 1\n", "x.tile");
    ASSERT_FALSE(header.has_value()) << word;
    EXPECT_EQ(header.error()[0].location, (ir::Location{1, 1})) << word;
    EXPECT_THAT(header.error()[0].mend, HasSubstr("write `# " + word + " ")) << word;
  }
}

TEST(CorpusHeader, LocatesABadExpectation) {
  const auto header = parse_corpus_header("# bug: none\n# expect nothing much\ntile 1\n", "x.tile");
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().front().file, "x.tile");
  EXPECT_EQ(header.error().front().location, (ir::Location{2, 1}));
}

TEST(CorpusCase, FindsTheOriginalBesideTheFile) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path("before"));
  scratch.file("before/twice.tile", twice);
  const auto one = load_corpus_case(scratch.file("tiles.tile", "# before before/twice.tile\n" + std::string(twice_in_tiles)));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->programs.original.file, scratch.path("before/twice.tile"));
  EXPECT_EQ(one->programs.tiled.file, scratch.path("tiles.tile"));
}

TEST(CorpusCase, AsksForAnOriginal) {
  const ScratchFolder scratch;
  const auto one = load_corpus_case(scratch.file("alone.tile", twice));
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().front().mend, HasSubstr("# before FILE"));
}

TEST(CorpusCase, AsksForAnExpectationInBad) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path("bad"));
  const auto one = load_corpus_case(scratch.file("bad/pair.tile", pair_of(twice, std::string(twice_in_tiles))));
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().front().mend, HasSubstr("# expect"));
}

TEST(CorpusFiles, AreSortedAndOfOneKind) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path("deep"));
  scratch.file("b.tile", "");
  scratch.file("a.tile", "");
  scratch.file("deep/c.tile", "");
  scratch.file("notes.txt", "");
  const auto files = corpus_files({scratch.path("")});
  ASSERT_TRUE(files);
  EXPECT_EQ(*files, (std::vector<std::string>{scratch.path("a.tile"), scratch.path("b.tile"), scratch.path("deep/c.tile")}));
  EXPECT_FALSE(corpus_files({scratch.path("missing")}));
}

}  // namespace
}  // namespace tileproof::tool
