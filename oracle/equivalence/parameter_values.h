// Which values of the parameters a check runs.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/interpret/run.h"

#include <cstdint>
#include <vector>

namespace tileproof::oracle {

/// Combinations of parameter values, in the order they are to be run; no combination twice.
struct ParameterValues {
  std::vector<Parameters> first;   ///< run whatever they cost; one empty combination where there are no parameters
  std::vector<Parameters> more;    ///< run as far as the points of a check go
  uint64_t combinations = 1;       ///< how many there are in all; 2^63 where there are more
};

/// The interesting combinations of two programs with the same parameters, then (up to 2,000 in all) all others.
///
/// Interesting are the ends and the middle of the ranges, two values between them, and the values where something in one of the
/// programs changes: where the two sides of a comparison, the arms of a min or max, or an extent and 0 meet, and where a `floordiv`
/// or `mod` comes round; each of them with its neighbours. The other parameters are in the middle, and, where they take part, also
/// at their ends and at interesting values of their own. Then the neighbourhood of each constant (Kinds::borders), and products of
/// the interesting values of each parameter.
///
/// At most 32 come first and at most 512 in all where the others are not run (our choice). Source: docs/verdicts.md.
ParameterValues parameter_values(const ir::Program& original, const ir::Program& tiled, const Kinds& kinds);

}  // namespace tileproof::oracle
