// The places of a program where something changes with a parameter.
#pragma once

#include "compiler/ir/program.h"

#include <vector>

namespace tileproof::oracle {

/// Expressions of parameters (and loop variables, axes and reads) that are 0 where one of the programs does something else: where
/// the sides of a comparison meet, an extent is 0, a remainder is 0, the arms of a min or max meet. Each text once, in textual
/// order, a bounded number.
std::vector<ir::Expression> parameter_meetings(const ir::Program& original, const ir::Program& tiled);

}  // namespace tileproof::oracle
