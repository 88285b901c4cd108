// The pipeline `penguin`: generated programs a second through generator, tiler and field check, on one core and on two; and graphs
// of 250 to 2,000 operations, whose tiling must not grow faster than n log n.
#include "compiler/analysis/count_points.h"
#include "compiler/ir/text.h"
#include "compiler/penguin/penguin.h"
#include "compiler/pipeline/run_pipeline.h"
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tileproof {
namespace {

const pipeline::Pipeline& penguin_steps() {
  static const pipeline::Pipeline steps =
      *pipeline::parse_pipeline("penguin", {penguin::passes(), {penguin::penguin_pipeline()}});
  return steps;
}

/// Programs of 3 operations and 800 points on average: what the counters `operations` and `points` show.
constexpr fuzz::GraphOptions small_graphs{.most_points = 1'100, .most_operations = 6};
constexpr uint64_t first_seed = 1, seeds = 2'000;  // of each thread

struct Tally {
  uint64_t programs = 0, operations = 0, points = 0, tested = 0, undecided = 0, refuted = 0;
  uint64_t left_alone = 0;  // a pass declined a statement, which is not legal where it stands; not checked
};

void count(const ir::Program& program, Tally& tally) {
  for (const auto& [statement, label] : ir::labelled_statements(program)) {
    std::vector<analysis::Dimension> axes;
    for (const ir::Axis& axis : statement->axes) axes.push_back({axis.name, {ir::integer(0), axis.extent}});
    tally.points += static_cast<uint64_t>(analysis::count_points(axes, {}, {}).points);
    ++tally.operations;
  }
}

/// From a seed to a verdict. `stages`: 1 generates, 2 tiles too, 3 checks the end too by the field tier, 4 by the real run after it too.
void try_seed(uint64_t seed, int64_t stages, Tally& tally) {
  fuzz::Choices choices = fuzz::Choices::from_seed(seed);
  const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
  const ir::Program program = fuzz::generate_graph(choices, machine.budgets, small_graphs);
  ++tally.programs;
  if (stages < 2) return count(program, tally);
  const auto stage = pipeline::run_pipeline(program, penguin_steps(), &machine.machine);
  if (!stage || stages < 3) return;
  if (std::ranges::any_of(stage->remarks,
                          [](const pipeline::Remark& remark) { return remark.kind == pipeline::RemarkKind::declined; })) {
    ++tally.left_alone;
    return;
  }
  oracle::CheckOptions options;
  options.machine = &machine.machine;
  options.keys = 1;
  options.threads = 1;
  options.ieee = stages > 3;
  const auto report = oracle::check(program, stage->program, options);
  if (!report) return;
  ++(report->verdict == oracle::Verdict::tested    ? tally.tested
     : report->verdict == oracle::Verdict::refuted ? tally.refuted
                                                   : tally.undecided);
}

void generated(benchmark::State& state) {
  Tally tally;
  const uint64_t first = first_seed + static_cast<uint64_t>(state.thread_index()) * seeds;
  for (auto _ : state) {
    for (uint64_t seed = first; seed < first + seeds; ++seed) try_seed(seed, state.range(0), tally);
  }
  const auto rounds = static_cast<double>(state.iterations());
  const auto each = [&](uint64_t sum) {
    return benchmark::Counter(static_cast<double>(sum) / static_cast<double>(tally.programs), benchmark::Counter::kAvgThreads);
  };
  state.counters["programs"] = benchmark::Counter(static_cast<double>(tally.programs), benchmark::Counter::kIsRate);
  if (state.range(0) == 1) {
    state.counters["operations"] = each(tally.operations);
    state.counters["points"] = each(tally.points);
  }
  if (state.range(0) >= 3) {
    state.counters["tested"] = static_cast<double>(tally.tested) / rounds;
    state.counters["refuted"] = static_cast<double>(tally.refuted) / rounds;
    state.counters["left alone"] = static_cast<double>(tally.left_alone) / rounds;
    state.counters["undecided"] = static_cast<double>(tally.undecided) / rounds;
  }
}
BENCHMARK(generated)->ArgName("stages")->DenseRange(1, 4)->Unit(benchmark::kMillisecond);
BENCHMARK(generated)->ArgName("stages")->Arg(3)->ThreadRange(1, 2)->UseRealTime()->Unit(benchmark::kMillisecond);

/// A chain of `operations`, in rounds of four: a matmul, a bias, a function, and the maxima of rows taken off.
ir::Program chain(int64_t operations) {
  std::string buffers = "buffer t0 : f32[300, 300] dram in\nbuffer w : f32[300, 300] dram in\nbuffer b : f32[300] dram in\n",
              statements;
  std::string last = "t0";
  for (int64_t i = 1; i <= operations; ++i) {
    const std::string next = fmt::format("t{}", i);
    const bool is_row = i % 4 == 3;
    buffers += fmt::format("buffer {} : f32[{}] dram{}\n", next, is_row ? "300" : "300, 300", i == operations ? " out" : "");
    switch (i % 4) {
      case 1:
        statements += fmt::format("matmul {}[m, n] += {}[m, k] * w[k, n] over m:300, n:300, k:300 reduce start\n", next, last);
        break;
      case 2: statements += fmt::format("map {}[m, n] = exp({}[m, n]) + b[n] over m:300, n:300\n", next, last); break;
      case 3: statements += fmt::format("reduce {}[m] max= {}[m, n] over m:300, n:300 reduce start\n", next, last); break;
      default: statements += fmt::format("map {}[m, n] = t{}[m, n] - {}[m] over m:300, n:300\n", next, i - 2, last);
    }
    last = next;
  }
  return ir::parse("tile 1\nprogram chain {\n" + buffers + statements + "}\n", "chain")->programs.front();
}

void tiling(benchmark::State& state) {
  const machine::Machine machine = *machine::find_machine("trn2");
  const ir::Program program = chain(state.range(0));
  for (auto _ : state) {
    const auto stage = pipeline::run_pipeline(program, penguin_steps(), &machine);
    if (!stage) {
      state.SkipWithError("the pipeline refused");
      return;
    }
    benchmark::DoNotOptimize(&stage->program);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(tiling)
    ->ArgName("operations")
    ->RangeMultiplier(2)
    ->Range(250, 2000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oNLogN);

}  // namespace
}  // namespace tileproof
