// Reductions along the partitions in generated graphs, on each machine: the meaning, the limits, and that there are enough of them.
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"
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

constexpr uint64_t first_seed = 70'000, programs = 400;
const std::string to_stages = "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,loop-splitting";

/// The layout that the rule of par-axes-annotation does not choose: one reduced axis of each reduction lies on the partitions, and all others are free.
ir::Program with_reduced_lanes(ir::Program program, fuzz::Choices& choices) {
  for (ir::Statement* s : whole_tensor_statements(program)) {
    std::vector<size_t> reduced;
    for (size_t i = 0; i < s->axes.size(); ++i)
      if (s->axes[i].kind == ir::AxisKind::reduce) reduced.push_back(i);
    if (reduced.empty()) continue;
    for (ir::Axis& axis : s->axes) set_class(axis, AxisClass::free);
    set_class(s->axes[choices.pick(reduced)], AxisClass::partition);
  }
  return program;
}

/// Calls `visit(original, machine)` for graphs with a reduction that becomes stages, each on the machine that its shapes were drawn for, laid out by
/// the rule and otherwise. Returns how many reductions there were, by the way that was chosen.
template <class Visit>
std::map<std::string, size_t> each_split(const Visit& visit) {
  std::map<std::string, size_t> ways;
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    for (const fuzz::GraphMachine& machine : fuzz::graph_machines()) {
      SCOPED_TRACE(testing::Message() << machine.name << ", seed " << seed);
      auto choices = fuzz::Choices::from_seed(seed);
      const ir::Program drawn = fuzz::generate_graph(choices, machine.budgets);
      const ir::Program original = seed % 2 == 0 ? drawn : with_reduced_lanes(drawn, choices);
      const pipeline::Stage stage = compiled(original, to_stages, machine.machine);
      size_t splits = 0;
      for (const pipeline::Remark& remark : stage.remarks) {
        if (remark.id != "split") continue;
        ++splits;
        ++ways[remark.text.substr(0, remark.text.find(':'))];
      }
      if (splits == 0) continue;
      visit(original, machine.machine);
      if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return ways;
    }
  }
  return ways;
}

TEST(LoopSplittingOfGraphs, KeepsMeaningAndLimitsOnEachMachine) {
  const auto ways = each_split([](const ir::Program& original, const machine::Machine& machine) {
    const pipeline::Stage stage = compiled(original, "penguin", machine);
    const bool declines = std::ranges::any_of(
        stage.remarks, [](const pipeline::Remark& remark) { return remark.kind == pipeline::RemarkKind::declined; });
    oracle::CheckOptions options{.keys = 1};
    if (!declines) options.machine = &machine;
    const auto report = oracle::check(original, stage.program, options);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, oracle::Verdict::tested)
        << oracle::headline(*report) << ir::print(original) << ir::print(stage.program);
  });
  for (const std::string way :
       {"2 stages, by ones-matmul", "2 stages, by partition-reduce", "3 stages, by cascade", "4 stages, by cascade"})
    EXPECT_GE(ways.contains(way) ? ways.at(way) : 0, 20u) << way;
}

TEST(LoopSplittingOfGraphs, LeavesNoReducedAxisOnThePartitionsButThatOfASumOfOneInstruction) {
  each_split([](const ir::Program& original, const machine::Machine& machine) {
    const pipeline::Stage stage = compiled(original, to_stages, machine);
    std::set<std::string> declined;
    for (const pipeline::Remark& remark : stage.remarks)
      if (remark.kind == pipeline::RemarkKind::declined) declined.insert(remark.statement);
    const std::vector<Tensors> tensors = tensors_of(stage.program);
    const std::vector<const ir::Statement*> statements = whole_tensor_statements(stage.program);
    for (size_t i = 0; i < statements.size(); ++i) {
      const auto operation = operation_of(*statements[i], tensors[i], machine);
      if (!operation || operation->kind != OperationKind::reduction || !declined.empty()) continue;
      const bool has_way = find_tag(statements[i]->tags, "by") != nullptr;
      EXPECT_EQ(!axes_of(*statements[i], AxisClass::partition, true).empty(), has_way) << ir::print(stage.program);
    }
  });
}

TEST(LoopSplittingOfGraphs, IsDeterministicAndChangesNothingTheSecondTime) {
  each_split([](const ir::Program& original, const machine::Machine& machine) {
    const pipeline::Stage stage = compiled(original, to_stages, machine);
    EXPECT_EQ(compiled(original, to_stages, machine).program, stage.program);
    EXPECT_EQ(compiled(stage.program, "loop-splitting", machine).program, stage.program);
  });
}

}  // namespace
}  // namespace tileproof::penguin
