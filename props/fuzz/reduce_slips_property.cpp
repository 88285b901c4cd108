// Whatever was found of a pair, the reducer ends, and leaves well-formed programs that show the same.
#include "compiler/ir/verify.h"
#include "fuzz/reduce/same_finding.h"
#include "fuzz/retile/retile.h"
#include "fuzz/slip/slip.h"
#include "oracle/equivalence/report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace tileproof {
namespace {

uint64_t scaled(uint64_t count) {
  const char* const scale = std::getenv("TILEPROOF_SCALE");
  return count * (scale != nullptr ? std::strtoull(scale, nullptr, 10) : 1);
}

bool has_index_inputs(const oracle::CheckReport& report) { return !report.patterns.empty(); }

TEST(ReduceSlips, EndsWithTheSameFindInWellFormedPrograms) {
  oracle::CheckOptions options;
  options.threads = 1;
  options.max_points = 5'000'000;
  const fuzz::Judge judge = fuzz::pair_judge(options);
  const uint64_t first =
      std::getenv("TILEPROOF_FIRST") != nullptr ? std::strtoull(std::getenv("TILEPROOF_FIRST"), nullptr, 10) : 0;
  std::map<std::string, uint64_t> seen;
  uint64_t operations = 0, left = 0;
  for (uint64_t seed = first; seed < first + scaled(60); ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    fuzz::RetiledPair pair = fuzz::retile(choices, {.identity_percent = 0});
    if (!fuzz::make_slip(pair.tiled, choices)) continue;
    const fuzz::Subject subject{.programs = {std::move(pair.original), std::move(pair.tiled)}, .pipeline = {}};
    const fuzz::Judgement judgement = judge(subject);
    ASSERT_TRUE(judgement.report) << seed;
    const oracle::Verdict verdict = judgement.report->verdict;
    if (verdict != oracle::Verdict::refuted && verdict != oracle::Verdict::unsupported) continue;
    const fuzz::FindingTrait trait = fuzz::trait_of(judgement);
    fuzz::ReduceLimits limits;
    limits.tests = 1'500;
    limits.may_stand_for = fuzz::same_meaning(trait, options);
    const fuzz::Reduction result = fuzz::reduce(subject, fuzz::same_finding(trait, judge), limits);
    EXPECT_NE(result.end, fuzz::Reduction::End::not_interesting) << seed << "\n" << fuzz::print(subject);
    for (const ir::Program& program : result.subject.programs) EXPECT_TRUE(ir::verify(program, "-").empty()) << seed;
    const fuzz::Judgement last = judge(result.subject);
    EXPECT_TRUE(trait.is_kept_by(fuzz::trait_of(last))) << seed << "\n" << fuzz::print(result.subject);
    EXPECT_LE(fuzz::size_of(result.subject), fuzz::size_of(subject)) << seed;
    operations += fuzz::size_of(subject).operations;
    left += fuzz::size_of(result.subject).operations;
    ++seen["reduced"];
    seen["to the end"] += result.end == fuzz::Reduction::End::smallest;
    seen["parameters"] += !subject.programs.front().parameters.empty();
    seen["index inputs"] += has_index_inputs(*judgement.report);
    seen["unsupported"] += verdict == oracle::Verdict::unsupported;
    if (std::getenv("REDUCE_SHOW") != nullptr)
      fmt::print("## {} {} {}\n{}\n", seed, oracle::headline(*judgement.report), result.tests, fuzz::print(result.subject));
  }
  for (const auto& [what, count] : seen) RecordProperty(what.substr(0, what.find(' ')), static_cast<int>(count));
  if (std::getenv("REDUCE_SHOW") != nullptr)
    for (const auto& [what, count] : seen) fmt::print("{}: {}\n", what, count);
  fmt::print("{} of {} operations left\n", left, operations);
  EXPECT_GE(seen["reduced"], scaled(30));
  EXPECT_GE(seen["parameters"], scaled(2));
  EXPECT_GE(seen["index inputs"], scaled(2));
  EXPECT_LE(3 * left, operations);
}

}  // namespace
}  // namespace tileproof
