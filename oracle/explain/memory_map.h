// Where the buffers of a memory space lie, as a run declares them.
#pragma once

#include "compiler/machine/machine.h"
#include "oracle/explain/picture.h"
#include "oracle/finding.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/run.h"

namespace tileproof::oracle {

/// The space of the finding's buffer. If that has an address: the byte ranges of the buffers that have one, those that meet it
/// first. If not: the buffers that are alive together when the most bytes are, one behind the other. `machine`: whose capacity is
/// drawn; may be null.
Picture memory_map(const ir::Program& program, const LoweredProgram& code, const RunOptions& options,
                   const machine::Machine* machine, const Finding& finding);

}  // namespace tileproof::oracle
