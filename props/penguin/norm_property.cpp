// Means and variances, and gradients, in generated shapes on each machine: the meaning, the limits, and that there are enough of them.
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace tileproof::penguin {
namespace {

constexpr uint64_t first_seed = 90'000;

/// Calls `visit(original, machine)` for programs of a family, each on the machine that its shapes were drawn for.
template <class Visit>
void each_program(fuzz::GraphFamily family, uint64_t programs, const Visit& visit) {
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    auto choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices, family);
    SCOPED_TRACE(testing::Message() << machine.name << ", seed " << seed);
    visit(fuzz::generate_graph(choices, machine.budgets, {.family = family}), machine.machine);
    if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
  }
}

void expect_right_and_legal(const ir::Program& original, const pipeline::Stage& stage, const machine::Machine& machine) {
  const auto declines = [](const pipeline::Remark& remark) { return remark.kind == pipeline::RemarkKind::declined; };
  oracle::CheckOptions options{.keys = 1};
  if (std::ranges::none_of(stage.remarks, declines)) options.machine = &machine;
  const auto report = oracle::check(original, stage.program, options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, oracle::Verdict::tested)
      << oracle::headline(*report) << ir::print(original) << ir::print(stage.program);
}

TEST(MeanVarianceOfGraphs, KeepsMeaningAndLimitsOnEachMachine) {
  std::map<std::string, size_t> words;
  each_program(fuzz::GraphFamily::mean_variance, 400, [&](const ir::Program& original, const machine::Machine& machine) {
    const pipeline::Stage stage = compiled(original, "penguin", machine);
    std::set<std::string> here;
    for (const pipeline::Remark& remark : stage.remarks)
      if (remark.pass == "bn-mean-var") here.insert(remark.id);
    for (const std::string& word : here) ++words[word];
    expect_right_and_legal(original, stage, machine);
  });
  EXPECT_GE(words["statistics"], 100u);
  for (const std::string word : {"dearer", "sums-used", "rounded-sums", "written-between", "other-count"})
    EXPECT_GE(words[word], 5u) << word;
}

TEST(MeanVarianceOfGraphs, AreRightAndLegalWhateverStatisticsCost) {
  size_t statistics = 0;
  each_program(fuzz::GraphFamily::mean_variance, 400, [&](const ir::Program& original, const machine::Machine& machine) {
    const pipeline::Stage stage = compiled(original, "penguin{always=true}", machine);
    statistics += std::ranges::any_of(stage.remarks, [](const pipeline::Remark& remark) { return remark.id == "statistics"; });
    expect_right_and_legal(original, stage, machine);
  });
  EXPECT_GE(statistics, 250u);
}

TEST(MeanVarianceOfGraphs, AreDeterministicAndChangeNothingTheSecondTime) {
  each_program(fuzz::GraphFamily::mean_variance, 100, [](const ir::Program& original, const machine::Machine& machine) {
    const pipeline::Stage stage = compiled(original, "bn-mean-var", machine);
    EXPECT_EQ(compiled(original, "bn-mean-var", machine).program, stage.program);
    EXPECT_EQ(compiled(stage.program, "bn-mean-var", machine).program, stage.program);
  });
}

TEST(NormGradientOfGraphs, KeepsMeaningAndLimitsOnEachMachine) {
  each_program(fuzz::GraphFamily::norm_gradient, 200, [](const ir::Program& original, const machine::Machine& machine) {
    expect_right_and_legal(original, compiled(original, "penguin", machine), machine);
  });
}

}  // namespace
}  // namespace tileproof::penguin
