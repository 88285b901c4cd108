// A right program is the same as itself, whatever it is: no false alarm on generated programs.
#include "compiler/ir/text.h"
#include "fuzz/generate/generate.h"
#include "oracle/equivalence/check.h"
#include "props/scaled.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tileproof {
namespace {

/// Ten thousand programs, in parts that run side by side.
class CheckOfAProgramWithItself : public testing::TestWithParam<uint64_t> {};
constexpr uint64_t parts = 5;

TEST_P(CheckOfAProgramWithItself, PassesForGeneratedPrograms) {
  std::map<std::string, uint64_t> unsupported;
  for (uint64_t seed = GetParam(); seed < scaled(10'000); seed += parts) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    const ir::Program program = fuzz::generate_program(choices);
    oracle::CheckOptions options;
    options.threads = 1;
    const auto report = oracle::check(program, program, options);
    ASSERT_TRUE(report.has_value());
    if (report->verdict == oracle::Verdict::unsupported) {
      ++unsupported[report->reason];
      continue;
    }
    ASSERT_EQ(report->verdict, oracle::Verdict::tested)
        << "seed " << seed << ": " << oracle::name(report->verdict) << " " << report->reason << " "
        << (report->findings.empty()
                ? ""
                : std::string(oracle::name(report->findings.front().id)) + " " + report->findings.front().detail)
        << "\n"
        << ir::print(program);
    ASSERT_EQ(report->tier, oracle::Tier::field);
  }
  for (const auto& [reason, count] : unsupported) ADD_FAILURE() << count << " programs are unsupported: " << reason;
}
INSTANTIATE_TEST_SUITE_P(Parts, CheckOfAProgramWithItself, testing::Range<uint64_t>(0, parts));

}  // namespace
}  // namespace tileproof
