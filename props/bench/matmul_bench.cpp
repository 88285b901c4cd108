// A matmul of 512 x 512 x 512 in a domain, against the loop i, k, j in plain C++, measured in the same run. Everything is on: bounds,
// undefined values, owners, races.
#include "compiler/ir/text.h"
#include "oracle/equivalence/real_run.h"
#include "oracle/equivalence/signature.h"
#include "oracle/equivalence/tier.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace tileproof {
namespace {

constexpr int n = 512;

double seconds(auto&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void plain(std::vector<float>& y, const std::vector<float>& x, const std::vector<float>& w) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      const float a = x[static_cast<size_t>(i * n + k)];
      for (int j = 0; j < n; ++j) y[static_cast<size_t>(i * n + j)] += a * w[static_cast<size_t>(k * n + j)];
    }
  }
  benchmark::DoNotOptimize(y.data());
}

/// The best of five.
double plain_seconds() {
  std::vector<float> x(n * n, 1.5F), w(n * n, 0.5F);
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < 5; ++i) {
    std::vector<float> y(n * n);
    best = std::min(best, seconds([&] { plain(y, x, w); }));
  }
  return best;
}

const ir::Program& matmul() {
  static const ir::File file = *ir::parse(
      "tile 1\nprogram p {\n buffer x : f32[512, 512] dram in\n buffer w : f32[512, 512] dram in\n buffer y : f32[512, 512] dram "
      "out\n"
      " matmul y[m, n] += x[m, k] * w[k, n] over m:512, n:512, k:512 reduce start\n}\n",
      "matmul");
  return file.programs[0];
}

void against_plain(benchmark::State& state, auto&& run) {
  const double reference = plain_seconds();
  double best = std::numeric_limits<double>::max();
  for (auto _ : state) best = std::min(best, seconds(run));
  state.counters["plain ms"] = 1e3 * reference;
  state.counters["times plain"] = best / reference;
  state.SetItemsProcessed(state.iterations() * int64_t{n} * n * n);
}

void matmul_field(benchmark::State& state) {
  const oracle::Signature signature = oracle::signature_of(matmul(), matmul(), {});
  against_plain(state, [&] {
    benchmark::DoNotOptimize(oracle::run_tier(oracle::Tier::field, oracle::lower(matmul(), {}, {}), signature, {}, {}).points);
  });
}
void matmul_ieee(benchmark::State& state) {
  against_plain(state,
                [&] { benchmark::DoNotOptimize(oracle::run_real(oracle::lower(matmul(), {}, {}), {}, {}, 1, {}).run.points); });
}
BENCHMARK(matmul_field)->Unit(benchmark::kMillisecond);
BENCHMARK(matmul_ieee)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tileproof
