// The hunt for faults of a tiler: programs are drawn, tiled and checked on all processors until the time or the number is over.
//
// Case number i depends on the seed and on i alone, and of the cases of one key the one with the lowest number is kept; so a hunt of a
// fixed number of cases finds the same whatever the number of threads.
#pragma once

#include "fuzz/generate/distribution.h"
#include "fuzz/generate/graph.h"
#include "fuzz/generate/graph_machine.h"
#include "fuzz/hunt/outcome.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tileproof::fuzz {

/// A program for the tiler, and the machine whose budgets it was drawn about.
struct HuntCase {
  ir::Program program;
  const GraphMachine* machine = nullptr;
};

struct HuntOptions {
  uint64_t seed = 1;
  uint64_t first = 0;  ///< number of the first case
  std::optional<uint64_t> runs;  ///< cases; nullopt: until the deadline
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  unsigned jobs = 1;
  GraphOptions graphs{.most_product_points = 10'000'000};
  std::vector<ir::Program> programs;  ///< tried instead of drawn ones, if there are any; then `first` and `runs` do not count
  const GraphMachine* machine = nullptr;  ///< nullptr: one of graph_machines() for each case
  bool judges_machine = true;  ///< false: the tiler is given no machine, and no limits are judged
  oracle::CheckOptions check;  ///< but its machine
  std::set<std::string, std::less<>> known;  ///< keys that are no news
  uint64_t most_reductions = 20'000;  ///< tests of the reducer for one find; 0: finds are kept as drawn
};

/// Of one key.
struct Find {
  uint64_t number = 0;  ///< of the case
  HuntCase original;  ///< reduced, once that is done
  Outcome outcome;  ///< of the program above
  bool is_reduced = false;
};

struct HuntReport {
  std::map<std::string, uint64_t> outcomes;  ///< cases by the name of their outcome
  std::map<std::string, std::map<std::string, uint64_t>>
      reasons;  ///< of "refused" and "undecided": cases by why, numbers left out
  std::map<std::string, uint64_t> keys;  ///< cases of each key, known ones too
  std::map<std::string, Find> finds;  ///< by key, but the known
  Distribution drawn;
  std::string unusable;  ///< why the tiler cannot be run at all, which ends a hunt; empty: it can

  uint64_t cases() const { return drawn.programs; }
};

/// What others see of a hunt while it runs, and how they end it.
struct HuntWatch {
  std::atomic<uint64_t> cases{0}, finds{0};
  std::atomic<bool> stop{false};
};

/// `make_tiler` is called once for each thread. `keep` is told of each find at once, as drawn, and again when it has been reduced, or when
/// a case with a lower number turns up; never by two threads at a time.
HuntReport hunt(const std::function<Tiler()>& make_tiler, const HuntOptions& options,
                const std::function<void(const std::string& key, const Find&)>& keep, HuntWatch& watch);

/// What case `number` of a seed is.
HuntCase draw_case(uint64_t number, const HuntOptions& options);

/// Smaller while the key of its outcome stays.
Find reduced(Find find, const Tiler& tiler, const HuntOptions& options, const std::atomic<bool>& stop);

}  // namespace tileproof::fuzz
