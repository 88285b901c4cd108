// For which values of one parameter an expression is 0.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/interpret/run.h"

#include <vector>

namespace tileproof::oracle {

__extension__ typedef __int128 WideInteger;

/// Values of the parameter near which `e` is 0 (the value and its neighbours), the likeliest first; some may lie outside of its
/// range. `others` fixes the other parameters; loop variables, axes and reads take what values they like.
std::vector<WideInteger> solve_parameter(const ir::Expression& e, const ir::Parameter& parameter, const Parameters& others);

}  // namespace tileproof::oracle
