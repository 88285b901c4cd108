// A run in a domain against the same loops in plain C++, measured in the same run: a matmul of 512 x 512 x 512 against the loop i, k,
// j, and an elementwise map of 16 Mi elements. Everything is on: bounds, undefined values, owners, races.
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

constexpr size_t elements = size_t{16} << 20;

void plain_map(std::vector<float>& y, const std::vector<float>& x) {
  for (size_t i = 0; i < elements; ++i) y[i] = 2 * x[i] + 1;
  benchmark::DoNotOptimize(y.data());
}

double plain_map_seconds() {
  std::vector<float> x(elements, 1.5F), y(elements);
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < 5; ++i) best = std::min(best, seconds([&] { plain_map(y, x); }));
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

const ir::Program& map() {
  static const ir::File file = *ir::parse(
      "tile 1\nprogram p {\n buffer x : f32[4096, 4096] dram in\n buffer y : f32[4096, 4096] dram out\n"
      " map y[i, j] = 2 * x[i, j] + 1 over i:4096, j:4096\n}\n",
      "map");
  return file.programs[0];
}

/// What comes before any map: 16 Mi inputs are drawn, and one of them is used.
const ir::Program& inputs() {
  static const ir::File file = *ir::parse(
      "tile 1\nprogram p {\n buffer x : f32[4096, 4096] dram in\n buffer y : f32[1] dram out\n"
      " copy y[i] = x[i, 0] over i:1\n}\n",
      "inputs");
  return file.programs[0];
}

void against_plain(benchmark::State& state, double reference, int64_t points, auto&& run) {
  double best = std::numeric_limits<double>::max();
  for (auto _ : state) best = std::min(best, seconds(run));
  state.counters["plain ms"] = 1e3 * reference;
  state.counters["times plain"] = best / reference;
  state.SetItemsProcessed(state.iterations() * points);
}

void in_field(const ir::Program& program) {
  const oracle::Signature signature = oracle::signature_of(program, program, {});
  benchmark::DoNotOptimize(oracle::run_tier(oracle::Tier::field, oracle::lower(program, {}, {}), signature, {}, {}).points);
}
void in_ieee(const ir::Program& program) {
  benchmark::DoNotOptimize(oracle::run_real(oracle::lower(program, {}, {}), {}, {}, 1, {}).run.points);
}

void matmul_field(benchmark::State& state) {
  against_plain(state, plain_seconds(), int64_t{n} * n * n, [] { in_field(matmul()); });
}
void matmul_ieee(benchmark::State& state) {
  against_plain(state, plain_seconds(), int64_t{n} * n * n, [] { in_ieee(matmul()); });
}
void map_field(benchmark::State& state) {
  against_plain(state, plain_map_seconds(), int64_t{elements}, [] { in_field(map()); });
}
void map_inputs_alone(benchmark::State& state) {
  against_plain(state, plain_map_seconds(), int64_t{elements}, [] { in_field(inputs()); });
}
void map_ieee(benchmark::State& state) {
  against_plain(state, plain_map_seconds(), int64_t{elements}, [] { in_ieee(map()); });
}
BENCHMARK(matmul_field)->Unit(benchmark::kMillisecond);
BENCHMARK(matmul_ieee)->Unit(benchmark::kMillisecond);
BENCHMARK(map_field)->Unit(benchmark::kMillisecond);
BENCHMARK(map_inputs_alone)->Unit(benchmark::kMillisecond);
BENCHMARK(map_ieee)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tileproof
