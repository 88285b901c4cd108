// How many checks a second: every pair of corpus/pairs, parsed beforehand, with all that a check does.
#include "tool/corpus_file.h"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <vector>

namespace tileproof {
namespace {

std::vector<tool::CorpusCase> pairs() {
  std::vector<tool::CorpusCase> cases;
  const auto files = tool::corpus_files({"corpus/pairs"});
  if (!files) return cases;
  for (const std::string& file : *files) {
    if (auto one = tool::load_corpus_case(file)) cases.push_back(std::move(*one));
  }
  return cases;
}

/// `right_only`: the pairs that pass in the field tier, as nearly all checks of a working tiler do.
void check_pairs(benchmark::State& state, bool right_only) {
  std::vector<tool::CorpusCase> cases = pairs();
  oracle::CheckOptions options;
  options.threads = 1;
  const auto run = [&](const tool::CorpusCase& one) {
    return oracle::check(one.programs.original.program, one.programs.tiled.program, options);
  };
  std::erase_if(cases, [&](const tool::CorpusCase& one) {
    if (!right_only) return false;
    const auto report = run(one);
    return !report || report->tier != oracle::Tier::field || report->verdict != oracle::Verdict::tested ||
           report->counted.contains("narrowings exempt");
  });
  if (cases.empty()) {
    state.SkipWithError("corpus/pairs is not here; run from the root of the repository");
    return;
  }
  uint64_t points = 0;
  int64_t checks = 0;
  for (auto _ : state) {
    for (const tool::CorpusCase& one : cases) {
      const auto report = run(one);
      if (report) points += report->points;
      ++checks;
    }
  }
  state.SetItemsProcessed(checks);
  state.counters["points a check"] = static_cast<double>(points) / static_cast<double>(checks);
}

BENCHMARK_CAPTURE(check_pairs, right_in_field, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_pairs, all, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tileproof
