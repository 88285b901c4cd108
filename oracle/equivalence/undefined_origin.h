// Says of undefined values in outputs where they were undefined first.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/finding.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/run.h"

#include <vector>

namespace tileproof::oracle {

/// Runs `program` (lowered: `code`) once more if one of the findings is `poison-output`, and adds to the detail of each the statement that
/// computed with something undefined first, its place, and what was undefined.
void explain_undefined(std::vector<Finding>& findings, const ir::Program& program, const LoweredProgram& code,
                       const RunOptions& options);

}  // namespace tileproof::oracle
