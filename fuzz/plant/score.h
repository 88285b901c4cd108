// The score of the harness: of the planted bugs, how many it finds and how fast; beside it, what it says of the right tiler.
#pragma once

#include "fuzz/plant/hunt.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tileproof::plant {

struct ScoreOptions {
  uint64_t seeds = 5;          ///< hunts for each bug, with the seeds 1 to this
  HuntLimits limits;           ///< of one hunt
  uint64_t programs = 20'000;  ///< for the right tiler
  int jobs = 0;                ///< threads; 0: one for each processor
  std::function<void(const std::string&)> progress;   ///< from any thread; may be empty
};

/// One bug, over all seeds.
struct Row {
  const PlantedBug* bug = nullptr;
  std::vector<Hunt> hunts;   ///< by seed

  bool found() const;   ///< by every hunt
  /// Over the hunts that found it; 0 where none did. The nearest rank: the least value that so many in a hundred are not above.
  double cases(int percentile) const;
  double seconds(int percentile) const;
  std::vector<std::string> findings() const;  ///< ascending, each once
  Seer cheapest() const;  ///< over all finds
  const Find* smallest() const;  ///< the find of the fewest statements, then the shortest text; nullptr: none
};

struct RightTiler {
  uint64_t programs = 0;
  std::map<std::string, uint64_t> false_alarms;  ///< by what was said
  std::map<std::string, uint64_t> unsupported;  ///< by the reason
  std::vector<uint64_t> alarming;  ///< the first cases of seed 0 that raised one
};

struct Score {
  std::vector<Row> rows;
  RightTiler right;

  uint64_t found() const;
  uint64_t false_alarms() const;
  uint64_t unsupported() const;
  uint64_t harness_errors() const;
  double median_seconds() const;  ///< of the medians of the rows
};

/// Deterministic but for the seconds, whatever the threads, while no hunt runs out of time.
Score score(std::span<const PlantedBug* const> bugs, const ScoreOptions& options);

/// Tables for people.
std::string print(const Score& score);

}  // namespace tileproof::plant
