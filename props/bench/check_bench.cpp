// How many checks a second, on one core: every pair of a folder of corpus/speed, parsed beforehand, with all that a check does.
#include "oracle/equivalence/signature.h"
#include "oracle/equivalence/tier.h"
#include "tool/corpus_file.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace tileproof {
namespace {

std::vector<tool::CorpusCase> pairs(const std::string& folder) {
  std::vector<tool::CorpusCase> cases;
  const auto files = tool::corpus_files({folder});
  if (!files) return cases;
  for (const std::string& file : *files) {
    if (auto one = tool::load_corpus_case(file)) cases.push_back(std::move(*one));
  }
  return cases;
}

/// Statement points of the original and of the tiled program, each executed once.
uint64_t points(const tool::CorpusCase& one) {
  const ir::Program &original = one.programs.original.program, &tiled = one.programs.tiled.program;
  const oracle::Signature signature = oracle::signature_of(original, tiled, {});
  const auto of = [&](const ir::Program& program) {
    return oracle::run_tier(oracle::Tier::field, oracle::lower(program, {}, {}), signature, {}, {}).points;
  };
  return of(original) + of(tiled);
}

void checks(benchmark::State& state, const std::string& folder) {
  const std::vector<tool::CorpusCase> cases = pairs(folder);
  if (cases.empty()) {
    state.SkipWithError((folder + " is not here; run from the root of the repository").c_str());
    return;
  }
  oracle::CheckOptions options;
  options.threads = 1;
  int64_t done = 0, passed = 0;
  for (auto _ : state) {
    for (const tool::CorpusCase& one : cases) {
      const auto report = oracle::check(one.programs.original.program, one.programs.tiled.program, options);
      passed += report && report->verdict == oracle::Verdict::tested;
      ++done;
    }
  }
  if (passed != done) state.SkipWithError("a check did not pass");
  uint64_t sum = 0;
  for (const tool::CorpusCase& one : cases) sum += points(one);
  state.SetItemsProcessed(done);
  state.counters["pairs"] = static_cast<double>(cases.size());
  state.counters["points a pair"] = static_cast<double>(sum) / static_cast<double>(cases.size());
}

BENCHMARK_CAPTURE(checks, plain, "corpus/speed/plain")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(checks, max_or_exp, "corpus/speed/ordered")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tileproof
