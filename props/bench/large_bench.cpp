// Whole checks of large programs, on all cores that a check can use: the matmul of 300 x 800 x 3200 with its tiled partner, and one
// matmul with a tiled partner from 10^4 to 10^9 points, which shows that the time is linear in them.
#include "compiler/ir/text.h"
#include "oracle/equivalence/check.h"
#include "tool/corpus_file.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <string>

namespace tileproof {
namespace {

/// Of this process until now, in MiB.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void whole_check(benchmark::State& state, const ir::Program& original, const ir::Program& tiled,
                 const machine::Machine* machine = nullptr) {
  oracle::CheckOptions options;
  options.machine = machine;
  uint64_t points = 0;
  for (auto _ : state) {
    const auto report = oracle::check(original, tiled, options);
    if (!report || report->verdict != oracle::Verdict::tested) {
      state.SkipWithError("the check did not pass");
      return;
    }
    points += report->points;
  }
  state.SetItemsProcessed(static_cast<int64_t>(points));
  state.counters["points"] = benchmark::Counter(static_cast<double>(points), benchmark::Counter::kAvgIterations);
  state.counters["peak MiB"] = peak_memory();
}

void matmul_300x800x3200(benchmark::State& state) {
  const auto one = tool::load_corpus_case("corpus/tiled/penguin/matmul_bias_relu.tile");
  if (!one) {
    state.SkipWithError("corpus/tiled is not here; run from the root of the repository");
    return;
  }
  whole_check(state, one->programs.original.program, one->programs.tiled.program, one->machine.get());
}
BENCHMARK(matmul_300x800x3200)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

/// About 10^`exponent` points, in tiles of 32 x 64 x 16.
ir::File matmul_pair(int64_t exponent) {
  const auto n = static_cast<int64_t>(std::lround(std::cbrt(std::pow(10, exponent))));
  return *ir::parse(
      fmt::format("tile 1\nprogram original {{\n"
                  " buffer x : f32[{0}, {0}] dram in\n buffer w : f32[{0}, {0}] dram in\n buffer y : f32[{0}, {0}] dram out\n"
                  " matmul y[m, n] += x[m, k] * w[k, n] over m:{0}, n:{0}, k:{0} reduce start\n}}\n"
                  "tile 1\nprogram tiled {{\n"
                  " buffer x : f32[{0}, {0}] dram in\n buffer w : f32[{0}, {0}] dram in\n buffer y : f32[{0}, {0}] dram out\n"
                  " for mb in 0..{1} par {{ for nb in 0..{2} par {{\n"
                  "  buffer acc : f32[32, 64] psum\n"
                  "  for kb in 0..{3} seq {{\n"
                  "   matmul acc[m, n] += x[32*mb + m, 16*kb + k] * w[16*kb + k, 64*nb + n] over m:32, n:64, k:16 reduce\n"
                  "          where 32*mb + m < {0} and 64*nb + n < {0} and 16*kb + k < {0} start kb == 0\n"
                  "  }}\n"
                  "  store y[32*mb + m, 64*nb + n] = acc[m, n] over m:32, n:64 where 32*mb + m < {0} and 64*nb + n < {0}\n"
                  " }} }}\n}}\n",
                  n, (n + 31) / 32, (n + 63) / 64, (n + 15) / 16),
      "matmul");
}

void points_ten_to_the(benchmark::State& state) {
  const ir::File file = matmul_pair(state.range(0));
  whole_check(state, file.programs[0], file.programs[1]);
}
BENCHMARK(points_ten_to_the)->DenseRange(4, 9)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace tileproof
