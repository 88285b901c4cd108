// Whether integers of 32 bits wrap where it counts, for one set of parameter values: interval arithmetic over the declared ranges.
#pragma once

#include "oracle/domain/domain.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/run.h"

#include <vector>

namespace tileproof::oracle {

/// Whether the program narrows into i32 or u32 at all where more counts than the class modulo 2^32: nothing can wrap otherwise.
bool narrows_words(const LoweredProgram& program);

struct WordRanges {
  bool wrap = true;  ///< some narrowing may be given an integer that its dtype does not hold; true if the run was not done
  std::vector<bool> held;  ///< by Site: what these narrowings are given is always held
};
WordRanges word_ranges(const LoweredProgram& program, const Signature& signature, const RunOptions& options);

}  // namespace tileproof::oracle
