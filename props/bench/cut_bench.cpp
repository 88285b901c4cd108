// One compute_cut, over shapes of rank 1 to 5: below 50 ns where the tile need not be uniform.
#include "compiler/penguin/dim_cut.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace tileproof {
namespace {

void cuts(benchmark::State& state, penguin::CutOptions options) {
  const std::vector<std::vector<int64_t>> shapes{{8192}, {448, 16}, {3, 1000}, {16, 8192, 4}, {4, 2, 2, 2, 128}, {100, 56}};
  int64_t done = 0;
  for (auto _ : state) {
    for (const std::vector<int64_t>& shape : shapes) benchmark::DoNotOptimize(penguin::compute_cut(shape, 512, options));
    done += static_cast<int64_t>(shapes.size());
  }
  state.counters["time_per_cut"] =
      benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(cuts, plain, penguin::CutOptions{});
BENCHMARK_CAPTURE(cuts, aligned, penguin::CutOptions{.multiple = 32});
BENCHMARK_CAPTURE(cuts, uniform, penguin::CutOptions{.uniform = true});

}  // namespace
}  // namespace tileproof
