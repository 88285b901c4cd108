// The oracle, measured: no false alarm on right pairs, no slip accepted that a brute-force judge tells apart. Deeper runs:
// fuzz/campaign/campaign_main.cpp.
#include "compiler/ir/text.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/judge/judge.h"
#include "fuzz/retile/retile.h"
#include "oracle/equivalence/check.h"
#include "props/scaled.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <vector>

namespace tileproof {
namespace {

fuzz::Tally campaign(fuzz::CampaignOptions options) {
  std::atomic<uint64_t> done{0};
  return fuzz::run_campaign(options, done);
}

TEST(RightPairs, AreNeverRefutedAndSeldomUnsupported) {
  const fuzz::Tally tally = campaign({.pairs = scaled(3000), .slips = 0, .seed = 11});
  EXPECT_EQ(fuzz::shortcomings(tally), "") << fuzz::print(tally);
}

TEST(SlipsToldApart, AreRefutedAndNeverAccepted) {
  const fuzz::Tally tally = campaign({.pairs = 0, .slips = scaled(250), .seed = 12});
  EXPECT_EQ(fuzz::shortcomings(tally), "") << fuzz::print(tally);
  EXPECT_GE(tally.told_apart(), scaled(250) / 2);
}

/// The bytes are drawn by RapidCheck, so that a false alarm comes shrunk.
RC_GTEST_PROP(RightPairs, OfAnyBytesAreNotRefuted, ()) {
  const std::vector<uint8_t> bytes = *rc::gen::scale(10.0, rc::gen::arbitrary<std::vector<uint8_t>>());
  fuzz::Choices choices(bytes);
  const fuzz::RetiledPair pair = fuzz::retile(choices);
  oracle::CheckOptions options;
  options.threads = 1;
  const auto report = oracle::check(pair.original, pair.tiled, options);
  RC_ASSERT(report.has_value());
  if (report->verdict == oracle::Verdict::refuted || report->verdict == oracle::Verdict::harness_error)
    RC_FAIL(std::string(oracle::name(report->verdict)) + "\n" + ir::print(pair.original) + ir::print(pair.tiled));
}

/// Right by construction is a claim about the generator; the judge is asked, too.
TEST(RightPairs, AreNotToldApartByTheJudge) {
  for (uint64_t seed = 0; seed < scaled(150); ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    const fuzz::RetiledPair pair = fuzz::retile(choices);
    const fuzz::Judgement judgement = fuzz::judge(pair.original, pair.tiled, {.seed = 1, .most_planted = 4});
    ASSERT_NE(judgement.outcome, fuzz::Judgement::Outcome::told_apart) << "seed " << seed << ": " << judgement.why << "\n"
                                                                       << ir::print(pair.original) << ir::print(pair.tiled);
  }
}

TEST(Campaign, CountsTheSameForAnyNumberOfJobs) {
  const fuzz::Tally one = campaign({.pairs = 100, .slips = 30, .seed = 5, .jobs = 1});
  EXPECT_EQ(fuzz::print(one), fuzz::print(campaign({.pairs = 100, .slips = 30, .seed = 5, .jobs = 4})));
  EXPECT_NE(fuzz::print(one), fuzz::print(campaign({.pairs = 100, .slips = 30, .seed = 6, .jobs = 1})));
}

TEST(Judge, TellsApartWhatDiffersAtOneElement) {
  const auto program = [](const std::string& body) {
    return ir::parse("tile 1 program p { buffer x : f32[20] dram in  buffer y : f32[1] dram out " + body + " }", "test")
        .value()
        .programs.front();
  };
  const ir::Program most = program("map y[0] max= x[k] over k:20 reduce start");
  for (const auto& [body, outcome] : std::initializer_list<std::pair<const char*, fuzz::Judgement::Outcome>>{
           {"map y[0] max= x[k] over k:19 reduce start", fuzz::Judgement::Outcome::told_apart},
           {"map y[0] max= x[19 - k] over k:20 reduce start", fuzz::Judgement::Outcome::not_told_apart},
           {"map y[0] max= x[k] over k:21 reduce start", fuzz::Judgement::Outcome::told_apart}})
    EXPECT_EQ(fuzz::judge(most, program(body)).outcome, outcome) << body;
  EXPECT_EQ(fuzz::judge(program("map y[0] = nan"), most).outcome, fuzz::Judgement::Outcome::bad_original);
}

/// A tally with one count of each kind that must not occur.
TEST(Shortcomings, NameEachFailure) {
  fuzz::Tally tally;
  tally.pairs = {{"tested", 90}, {"refuted", 1}, {"unsupported", 4}, {"harness-error", 1}, {"bad-original", 4}};
  tally.slips["index"] = {
      {"told apart, refuted", 97}, {"told apart, tested", 1}, {"told apart, unsupported", 2}, {"not told apart, tested", 50}};
  const std::string wrong = fuzz::shortcomings(tally);
  for (const char* what :
       {"1 right pairs are refuted", "1 right pairs are harness errors", "1 slips that the judge tells apart are accepted",
        "4.00 % of the pairs are unsupported", "4.00 % of the pairs have a bad original", "97.000 % of the slips"})
    EXPECT_NE(wrong.find(what), std::string::npos) << what << "\n" << wrong;
}

}  // namespace
}  // namespace tileproof
