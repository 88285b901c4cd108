// Which values of the parameters a check runs.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/interpret/run.h"

namespace tileproof::oracle {

/// All parameters at their lowest, all at their highest, and each at the values around every constant that the programs use and
/// around small multiples of it, the others in the middle. At most 24 (our choice); one empty set where there are no parameters.
std::vector<Parameters> parameter_values(const ir::Program& original, const Kinds& kinds);

}  // namespace tileproof::oracle
