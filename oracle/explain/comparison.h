// Which elements of an output are right, as far as exact runs tell.
#pragma once

#include "oracle/equivalence/signature.h"
#include "oracle/explain/written.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::oracle {

enum class Mark : uint8_t { equal, different, undefined, unwritten };

struct Comparison {
  std::string failure;               ///< not empty: why there is nothing to show
  std::vector<std::string> tiers;    ///< that were run: an element that agrees in one of them is equal
  std::vector<Mark> marks;           ///< by element
};

/// The two programs of a check, lowered, with the options of the run that showed the finding.
struct LoweredPair {
  const ir::Program& original;
  const ir::Program& tiled;
  LoweredProgram original_code, tiled_code;
  Signature signature;
  RunOptions options;
};

/// Compares the outputs called `buffer`; `written` is of the tiled program. Runs the field tier, and those of max and exp where
/// elements still differ.
Comparison compare_elements(const LoweredPair& pair, const WrittenBuffer& written);

}  // namespace tileproof::oracle
