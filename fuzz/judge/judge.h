// The judge: do two programs differ on any of many concrete inputs?
//
// Both are run by the plain reference evaluator in exact arithmetic (exact.h): brute force, and nothing of the oracle's tiers or
// ladder. It says only that two programs differ, with the input; never that they are the same. (Inputs with planted elements are
// so many that the fast interpreter looks at them first, and the plain one where that sees a difference.)
#pragma once

#include "compiler/ir/program.h"

#include <cstdint>
#include <string>

namespace tileproof::fuzz {

struct Judgement {
  enum class Outcome : uint8_t {
    not_told_apart,
    told_apart,
    bad_original,   ///< the original itself has a finding, or a NaN in an output, on every input tried
  };
  Outcome outcome = Outcome::not_told_apart;
  std::string why;  ///< told apart: the finding of the second program, or the element and both values; bad original: its finding
  uint64_t inputs = 0;  ///< that were tried
};

struct JudgeOptions {
  uint64_t seed = 1;
  int64_t most_planted = 40;  ///< elements that are planted at both extremes, those of the first inputs first
};

/// Stops at the first difference. Precondition: the programs are well formed, and their interfaces agree.
Judgement judge(const ir::Program& original, const ir::Program& tiled, const JudgeOptions& options = {});

}  // namespace tileproof::fuzz
