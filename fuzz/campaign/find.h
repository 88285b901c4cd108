// A find: a pair of programs on which the oracle and a campaign are at odds.
#pragma once

#include "oracle/equivalence/check.h"

#include <string>

namespace tileproof::fuzz {

struct Find {
  const ir::Program& original;
  const ir::Program& tiled;
  const oracle::CheckReport& report;
  uint64_t seed = 0, number = 0;   ///< of the campaign, and of the case in it
  std::string note;                ///< more lines for people
};

/// Writes `folder/KIND-SEED-NUMBER.before.tile` and `.after.tile`, which `tileproof check` takes. Each appears whole or not at all.
/// An empty folder: nothing is written. What cannot be written is reported on standard error.
void write_find(const std::string& folder, const std::string& kind, const Find& find);

}  // namespace tileproof::fuzz
