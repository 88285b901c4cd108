// The reference evaluator and the fast interpreter agree on every program: on values, findings, points, writers and overwritten elements.
// Deeper runs: fuzz/generate/agree_main.cpp and fuzz/target/evaluator_fuzzer.cpp.
#include "compiler/ir/text.h"
#include "fuzz/generate/agreement.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/probe_domain.h"
#include "oracle/domain/field.h"
#include "oracle/equivalence/signature.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tileproof {
namespace {

using fuzz::Choices;
using Wildness = fuzz::GenerateOptions::Wildness;

struct Case {
  ir::Program program;
  oracle::RunOptions options;

  Case(Choices choices, Wildness wildness)
      : program(fuzz::generate_program(choices, {.wildness = wildness, .most_points = 512})),
        options(fuzz::generate_run(program, choices)) {}

  std::string in_probe() const {
    return fuzz::disagreement(program, options, [&] { return fuzz::ProbeDomain(options.key); });
  }
  std::string in_field() const {
    const oracle::Signature signature = oracle::signature_of(program, program, options.kinds);
    return fuzz::disagreement(program, options, [&] { return oracle::Field(signature, {}, options.key); });
  }
};

// The bytes are drawn by RapidCheck, so that it can shrink them.
RC_GTEST_PROP(Interpreters, AgreeOnProgramsOfAnyBytes, ()) {
  const std::vector<uint8_t> bytes = *rc::gen::scale(10.0, rc::gen::arbitrary<std::vector<uint8_t>>());
  const Case wild(Choices(bytes), Wildness::wild);
  if (const std::string difference = wild.in_probe(); !difference.empty()) RC_FAIL(difference + "\n" + ir::print(wild.program));
}

TEST(Interpreters, AgreeOnThreeThousandWildPrograms) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Case wild(Choices::from_seed(seed), Wildness::wild);
    ASSERT_EQ(wild.in_probe(), "") << "seed " << seed << "\n" << ir::print(wild.program);
  }
}

TEST(Interpreters, AgreeInTheFieldOnAThousandLegalPrograms) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Case legal(Choices::from_seed(seed), Wildness::legal_only);
    ASSERT_EQ(legal.in_field(), "") << "seed " << seed << "\n" << ir::print(legal.program);
  }
}

TEST(LegalGeneratedPrograms, HaveNoFindings) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Case legal(Choices::from_seed(seed), Wildness::legal_only);
    oracle::Field domain(oracle::signature_of(legal.program, legal.program, legal.options.kinds), {}, legal.options.key);
    const auto run = oracle::evaluate_reference(legal.program, domain, legal.options);
    ASSERT_EQ(run.status, oracle::RunStatus::done) << run.reason << "\n" << ir::print(legal.program);
    ASSERT_TRUE(run.findings.empty()) << "seed " << seed << ": " << *fuzz::keys(run.findings, true).begin() << "\n"
                                      << ir::print(legal.program);
  }
}

/// What wild programs run into, and in at least how many of 2000: about half of what they did when the figures were set.
constexpr std::pair<oracle::FindingId, int> floors[] = {
    {oracle::FindingId::out_of_bounds, 150},
    {oracle::FindingId::poison_output, 100},
    {oracle::FindingId::poison_index, 10},
    {oracle::FindingId::not_written, 150},
    {oracle::FindingId::race, 60},
    {oracle::FindingId::overlap, 25},
    {oracle::FindingId::while_limit, 5},
    {oracle::FindingId::valid_claim, 10},
    {oracle::FindingId::stop_claim, 8},
    {oracle::FindingId::nan_output, 15},
    {oracle::FindingId::view, 5},
};

TEST(WildGeneratedPrograms, RunIntoEveryKindOfFinding) {
  std::map<oracle::FindingId, int> programs;
  int without = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Case wild(Choices::from_seed(seed), Wildness::wild);
    fuzz::ProbeDomain domain(wild.options.key);
    std::set<oracle::FindingId> found;
    for (const oracle::Finding& f : oracle::evaluate_reference(wild.program, domain, wild.options).findings) found.insert(f.id);
    for (const oracle::FindingId id : found) ++programs[id];
    without += found.empty();
  }
  for (const auto& [id, floor] : floors) EXPECT_GE(programs[id], floor) << oracle::name(id);
  EXPECT_GE(without, 400) << "wrong programs only say nothing about right ones";
}

}  // namespace
}  // namespace tileproof
