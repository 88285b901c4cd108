// Whatever was found of a pair, the reducer ends, and leaves well-formed programs that show the same.
#include "compiler/ir/verify.h"
#include "fuzz/generate/generate.h"
#include "fuzz/reduce/same_finding.h"
#include "fuzz/retile/retile.h"
#include "fuzz/slip/slip.h"
#include "props/scaled.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tileproof {
namespace {

bool has_index_inputs(const oracle::CheckReport& report) { return report.pattern_matters || !report.patterns.empty(); }

TEST(ReduceSlips, EndsWithTheSameFindInWellFormedPrograms) {
  oracle::CheckOptions options;
  options.threads = 1;
  options.max_points = 5'000'000;
  const fuzz::Judge judge = fuzz::pair_judge(options);
  std::map<std::string, uint64_t> seen;
  uint64_t operations = 0, left = 0;
  for (uint64_t seed = 0; seed < scaled(60); ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    fuzz::Subject subject;
    if (seed % 2 == 0) {
      fuzz::RetiledPair pair = fuzz::retile(choices, {.identity_percent = 0});
      subject.programs = {std::move(pair.original), std::move(pair.tiled)};
    } else {   // integers that steer, views, groups and loops of all kinds
      subject.programs.assign(2, fuzz::generate_program(choices));
    }
    if (!fuzz::make_slip(subject.programs[1], choices)) continue;
    const fuzz::Judgement judgement = judge(subject);
    if (!judgement.report) continue;   // a slip in the range of an input
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
  }
  for (const auto& [what, count] : seen) fmt::print("{}: {}\n", what, count);
  fmt::print("{} of {} operations left\n", left, operations);
  EXPECT_GE(seen["reduced"], scaled(30));
  EXPECT_GE(seen["parameters"], scaled(2));
  EXPECT_GE(seen["index inputs"], scaled(2));
  EXPECT_LE(3 * left, 2 * operations);
}

}  // namespace
}  // namespace tileproof
