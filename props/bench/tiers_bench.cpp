// What the rungs after the field tier cost, as multiples of it: over the corpus, for the checks that need them (the field tier differs,
// or the pair is refuted). Everything that such a check does is counted: richer tiers, real runs, origins, the report's numbers.
#include "oracle/equivalence/signature.h"
#include "oracle/equivalence/tier.h"
#include "oracle/interpret/kinds.h"
#include "tool/corpus_file.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tileproof {
namespace {

double seconds(auto&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Cost {
  double times = 0, seconds = 0;
  std::string file;
};

/// nullopt: the field tier decides, or parameters and patterns make it more than one run.
std::optional<Cost> cost_after_field(const std::string& file) {
  const auto one = tool::load_corpus_case(file);
  if (!one) return std::nullopt;
  const ir::Program &original = one->programs.original.program, &tiled = one->programs.tiled.program;
  if (!original.parameters.empty()) return std::nullopt;
  const oracle::Kinds kinds = oracle::common_kinds(original, tiled);
  if (!kinds.index_inputs.empty()) return std::nullopt;
  oracle::CheckOptions options;
  options.threads = 1;
  std::optional<oracle::CheckReport> report;
  const double whole = seconds([&] {
    if (auto checked = oracle::check(original, tiled, options)) report = std::move(*checked);
  });
  if (!report || report->tier == oracle::Tier::field || !report->difference) {
    if (!report || report->tier <= oracle::Tier::field) return std::nullopt;
  }
  const oracle::Signature signature = oracle::signature_of(original, tiled, kinds);
  const double field = seconds([&] {
    for (int key = 0; key < report->keys; ++key) {
      for (const ir::Program* program : {&original, &tiled}) {
        oracle::RunOptions run;
        run.key = static_cast<uint64_t>(key);
        run.kinds = kinds;
        benchmark::DoNotOptimize(
            oracle::run_tier(oracle::Tier::field, oracle::lower(*program, {}, kinds), signature, {}, run).points);
      }
    }
  });
  return Cost{whole / field, whole, file};
}

void after_field(benchmark::State& state) {
  std::vector<Cost> costs;
  for (auto _ : state) {
    const auto files = tool::corpus_files({"corpus/bad", "corpus/odd", "corpus/pairs", "corpus/tiled"});
    if (!files) continue;
    for (const std::string& file : *files) {
      if (auto cost = cost_after_field(file)) costs.push_back(std::move(*cost));
    }
  }
  if (costs.empty()) {
    state.SkipWithError("corpus is not here; run from the root of the repository");
    return;
  }
  std::ranges::sort(costs, std::greater{}, &Cost::times);
  state.counters["checks"] = static_cast<double>(costs.size());
  state.counters["times field, worst"] = costs.front().times;
  state.counters["times field, median"] = costs[costs.size() / 2].times;
  std::string label;
  for (size_t i = 0; i < std::min<size_t>(5, costs.size()); ++i)
    label += fmt::format("\n    {:6.1f} x {:8.1f} ms  {}", costs[i].times, 1e3 * costs[i].seconds, costs[i].file);
  state.SetLabel(label);
}
BENCHMARK(after_field)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace tileproof
