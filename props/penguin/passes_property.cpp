// Each pass of the tiler on generated graphs: the same meaning, well formed, deterministic, idempotent; and the end is legal.
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/cut_params.h"
#include "compiler/penguin/extents.h"
#include "compiler/penguin/operation.h"
#include "compiler/transform/localize.h"
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace tileproof::penguin {
namespace {

constexpr uint64_t first_seed = 40'000, programs = 150;

pipeline::Pipeline whole_pipeline() { return *pipeline::parse_pipeline("penguin", {passes(), {penguin_pipeline()}}); }

struct Drawn {
  const fuzz::GraphMachine& machine;
  ir::Program program;
};

Drawn draw(uint64_t seed) {
  auto choices = fuzz::Choices::from_seed(seed);
  const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
  return {machine, fuzz::generate_graph(choices, machine.budgets)};
}

/// Calls `visit(before, step, stage, machine)` for each pass of each program.
template <class Visit>
void each_stage(const Visit& visit) {
  const pipeline::Pipeline pipeline = whole_pipeline();
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    const Drawn drawn = draw(seed);
    ir::Program program = drawn.program;
    for (const pipeline::Step& step : pipeline.steps) {
      SCOPED_TRACE(testing::Message() << step.pass.name << ", seed " << seed);
      auto stage = pipeline::run_step(program, step, &drawn.machine.machine);
      ASSERT_TRUE(stage.has_value());
      visit(program, step, *stage, drawn);
      if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
      program = std::move(stage->program);
    }
  }
}

/// Statements outside of loops that compute from tensors to tensors, with no tile between them.
size_t whole_tensor_statements_between_tensors(const ir::Program& program) {
  const std::vector<const ir::Statement*> statements = whole_tensor_statements(program);
  const std::vector<Tensors> tensors = tensors_of(program);
  size_t count = 0;
  for (size_t i = 0; i < statements.size(); ++i) {
    bool is_whole = tensors[i].find(statements[i]->destination)->space == "dram";
    for (const transform::ReadPath& path : transform::reads_of(*statements[i]))
      is_whole = is_whole && tensors[i].find(transform::read_at(*statements[i], path)->name)->space == "dram";
    count += is_whole;
  }
  return count;
}

TEST(PenguinPasses, KeepTheMeaning) {
  each_stage([](const ir::Program&, const pipeline::Step&, const pipeline::Stage& stage, const Drawn& drawn) {
    const auto report = oracle::check(drawn.program, stage.program, {.keys = 1});
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(stage.program);
  });
}

TEST(PenguinPasses, AreDeterministicAndLeaveTheirInputAlone) {
  each_stage([](const ir::Program& before, const pipeline::Step& step, const pipeline::Stage& stage, const Drawn& drawn) {
    const ir::Program copy = before;
    const auto again = pipeline::run_step(before, step, &drawn.machine.machine);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(before, copy);
    EXPECT_EQ(again->program, stage.program);
    EXPECT_EQ(again->remarks, stage.remarks);
    EXPECT_EQ(again->obligations, stage.obligations);
  });
}

TEST(PenguinPasses, ChangeNothingTheSecondTime) {
  each_stage([](const ir::Program&, const pipeline::Step& step, const pipeline::Stage& stage, const Drawn& drawn) {
    const auto again = pipeline::run_step(stage.program, step, &drawn.machine.machine);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(ir::print(again->program), ir::print(stage.program));
  });
}

TEST(PenguinPasses, SayWhyTheyLeaveAStatementAlone) {
  each_stage([](const ir::Program&, const pipeline::Step& step, const pipeline::Stage& stage, const Drawn&) {
    const bool speaks_of_tensors = step.pass.name == "tensor-tile-delinearizer";
    for (const pipeline::Remark& remark : stage.remarks) {
      EXPECT_FALSE(remark.text.empty()) << remark.id;
      EXPECT_EQ(remark.statement == "-", speaks_of_tensors) << remark.id;
    }
  });
}

/// What the tilers of special forms take is a group; the other passes answer for all else.
TEST(Penguin, TilesEachStatementOrSaysWhyItDoesNot) {
  const std::string special = "bn-mean-var,quantize-mx";
  pipeline::Pipeline others = whole_pipeline();
  others.steps.erase(others.steps.begin(), others.steps.begin() + 2);
  const auto expect_answers = [&](const ir::Program& original, const machine::Machine& machine) {
    const pipeline::Stage first = compiled(original, special, machine);
    const std::set<const ir::Statement*> taken = tiled_statements(first.program);
    const auto is_taken = [](const pipeline::Remark& remark) { return remark.id == "statistics" || remark.id == "quantized"; };
    const auto stage = pipeline::run_pipeline(first.program, others, &machine);
    ASSERT_TRUE(stage.has_value());
    std::ptrdiff_t answered = std::ranges::count_if(first.remarks, is_taken);
    for (const auto& [statement, label] : ir::labelled_statements(first.program)) {
      if (taken.contains(statement)) continue;
      ++answered;
      size_t tiled = 0, declined = 0;
      for (const pipeline::Remark& remark : stage->remarks) {
        if (remark.statement != label) continue;
        tiled += remark.id == "generated";
        declined += remark.kind == pipeline::RemarkKind::declined;
      }
      EXPECT_EQ(tiled, declined > 0 ? 0u : 1u) << label << " of\n" << ir::print(first.program);
    }
    EXPECT_EQ(answered, std::ssize(ir::labelled_statements(original))) << ir::print(original);
  };
  for (uint64_t seed = first_seed; seed < first_seed + 10 * programs; ++seed) {
    const Drawn drawn = draw(seed);
    expect_answers(drawn.program, drawn.machine.machine);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  for (const std::string machine : {"trn2", "trn3"})
    for (const std::string& name : corpus_programs()) expect_answers(corpus_program(name), *machine::find_machine(machine));
}

/// Statements that are on chip after the pipeline, and only those, are said to be tiled.
TEST(Penguin, LeavesInDramExactlyWhatItSaysThatItLeaves) {
  const pipeline::Pipeline pipeline = whole_pipeline();
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    const Drawn drawn = draw(seed);
    const auto stage = pipeline::run_pipeline(drawn.program, pipeline, &drawn.machine.machine);
    ASSERT_TRUE(stage.has_value());
    std::set<std::string> declined;
    for (const pipeline::Remark& remark : stage->remarks)
      if (remark.kind == pipeline::RemarkKind::declined) declined.insert(remark.statement);
    EXPECT_EQ(whole_tensor_statements_between_tensors(stage->program), declined.size())
        << "seed " << seed << ir::print(stage->program);
  }
}

TEST(Penguin, MakesLegalProgramsWhereItDeclinesNothing) {
  const pipeline::Pipeline pipeline = whole_pipeline();
  size_t whole = 0;
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    const Drawn drawn = draw(seed);
    const auto stage = pipeline::run_pipeline(drawn.program, pipeline, &drawn.machine.machine);
    ASSERT_TRUE(stage.has_value());
    const bool declines = std::ranges::any_of(
        stage->remarks, [](const pipeline::Remark& remark) { return remark.kind == pipeline::RemarkKind::declined; });
    if (declines) continue;
    ++whole;
    const auto report = oracle::check(drawn.program, stage->program, {.machine = &drawn.machine.machine, .keys = 1});
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, oracle::Verdict::tested) << "seed " << seed << ", " << oracle::headline(*report);
  }
  EXPECT_GE(whole * 100, programs * 97) << "the tiler declines more than its share";
}

/// No pass swaps; a tiler that does gives its rule.
TEST(PenguinPasses, CarryOutARuleThatSwaps) {
  CutRules swapping;
  size_t swaps = 0;
  swapping.axes = [&](const PriorityOrder<CutAxis>& axes, const DimCut& cut) {
    auto swapped = axes.size() == 1 ? cut_axes(axes, cut, SwapTile{cut.tile.value_or(1)}) : cut_axes(axes, cut);
    const auto plain = cut_axes(axes, cut);
    if (!swapped || axes.size() != 1) return plain;
    EXPECT_EQ(swapped->trips, plain->trips) << "an estimate by trips would prefer one of them";
    ++swaps;
    return swapped;
  };
  const pipeline::Pipeline pipeline = *pipeline::parse_pipeline("penguin", {passes(swapping), {penguin_pipeline()}});
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    const Drawn drawn = draw(seed);
    const auto stage = pipeline::run_pipeline(drawn.program, pipeline, &drawn.machine.machine);
    ASSERT_TRUE(stage.has_value());
    const auto report = oracle::check(drawn.program, stage->program, {.keys = 1});
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(stage->program);
  }
  EXPECT_GE(swaps, programs / 10);
}

/// Products of the extents of the axes in a tile, by what they may hold.
TEST(PenguinPasses, KeepEveryTileWithinItsBudgets) {
  each_stage([](const ir::Program&, const pipeline::Step& step, const pipeline::Stage& stage, const Drawn& drawn) {
    if (step.pass.name != "bf-compute-cutting") return;
    const auto params = compute_cut_params(drawn.machine.machine);
    ASSERT_TRUE(params.has_value());
    const std::vector<Tensors> tensors = tensors_of(stage.program);
    const Extents extents(stage.program);
    const std::vector<const ir::Statement*> statements = whole_tensor_statements(stage.program);
    for (size_t at = 0; at < statements.size(); ++at) {
      const ir::Statement* s = statements[at];
      const auto operation = operation_of(*s, tensors[at], drawn.machine.machine);
      if (!operation) continue;
      const auto product = [&](AxisClass axis_class, bool reduced) {
        int64_t result = 1;
        for (const size_t i : axes_of(*s, axis_class, reduced))
          result *= std::max<int64_t>(1, extents.largest(s->axes[i].extent));
        return result;
      };
      const int64_t lanes = product(AxisClass::partition, false), rows = product(AxisClass::partition, true);
      const int64_t free = product(AxisClass::free, false), summed = product(AxisClass::free, true);
      if (operation->kind == OperationKind::contraction) {
        EXPECT_LE(rows, params->par_axes_cut_size);
        EXPECT_LE(lanes, params->stationary_free_cut_size);
        EXPECT_LE(free, params->moving_free_cut_size);
      } else {
        EXPECT_LE(lanes * rows, params->par_axes_cut_size);
        if (operation->kind == OperationKind::scan) continue;   // its axis is whole in a tile, however long
        EXPECT_LE(free * summed, free_budget(*params));
      }
    }
  });
}

}  // namespace
}  // namespace tileproof::penguin
