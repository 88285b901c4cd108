// Each pass of the tiler on generated graphs: the same meaning, well formed, deterministic, idempotent; and the end is legal.
#include "compiler/ir/text.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/cut_params.h"
#include "compiler/penguin/extents.h"
#include "compiler/penguin/operation.h"
#include "compiler/penguin/penguin.h"
#include "compiler/pipeline/run_pipeline.h"
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  each_stage([](const ir::Program&, const pipeline::Step&, const pipeline::Stage& stage, const Drawn&) {
    for (const pipeline::Remark& remark : stage.remarks) {
      EXPECT_FALSE(remark.text.empty()) << remark.id;
      EXPECT_NE(remark.statement, "-") << remark.id;
    }
  });
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

/// Products of the extents of the axes in a tile, by what they may hold.
TEST(PenguinPasses, KeepEveryTileWithinItsBudgets) {
  each_stage([](const ir::Program&, const pipeline::Step& step, const pipeline::Stage& stage, const Drawn& drawn) {
    if (step.pass.name != "bf-compute-cutting") return;
    const auto params = compute_cut_params(drawn.machine.machine);
    ASSERT_TRUE(params.has_value());
    const Tensors tensors(stage.program);
    const Extents extents(stage.program);
    for (const ir::Statement* s : whole_tensor_statements(stage.program)) {
      const auto operation = operation_of(*s, tensors, drawn.machine.machine);
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
        EXPECT_LE(free * summed, free_budget(*params));
      }
    }
  });
}

}  // namespace
}  // namespace tileproof::penguin
