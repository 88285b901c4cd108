// What a tiled program asks of a machine: tiles, instructions, bytes. Read off the text; nothing is run.
#pragma once

#include "compiler/analysis/count_points.h"
#include "compiler/machine/machine.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tileproof::analysis {

/// The use of one on-chip space.
struct SpaceCost {
  std::string space;
  int64_t tiles = 0;        ///< buffers that come to life in it, over the whole run
  int64_t partitions = 0;   ///< the most that one buffer spans; 0: its buffers have no partition dims
  /// The most bytes that are live at one time, in each partition where the space has them. A buffer lives from the first to the
  /// last item of its block that touches it, and takes whole banks and multiples of the alignment: an upper bound on what the
  /// legality check measures, equal to it where no loop begins or ends a life halfway. Addresses are not looked at.
  int64_t bytes = 0;
  int64_t banks = 0;  ///< the same in banks; 0: the space has none
  bool operator==(const SpaceCost&) const = default;
};

/// Counts are of the whole run, with parameters at the highest values that are given. All saturate.
struct Cost {
  int64_t trips = 0;  ///< iterations of the innermost loops: tiles that are gone through
  std::map<std::string, int64_t> executions;  ///< instructions by opcode: statements, and groups that are one
  std::vector<SpaceCost> spaces;  ///< that hold a buffer, in the order of the machine (else of the text)
  /// Bytes that statements and moves carry from off-chip to on-chip spaces (`in`) and back (`out`): for every point that its
  /// conditions admit, each element that the value reads from off-chip, or the one that is written there.
  int64_t dma_in = 0, dma_out = 0;
  /// Of statements between on-chip buffers with partitions: a step handles one element in each partition at work. `lanes` is the steps times the
  /// partitions that the machine has, `busy_lanes` the sum of those at work, of the operand or result that spans most. Both are 0
  /// without a machine.
  int64_t lanes = 0, busy_lanes = 0;
  bool exact = true;  ///< false: trips, executions, tiles or DMA bytes are upper bounds (data-dependent control, or too large)
  bool operator==(const Cost&) const = default;
};

/// `program` is well formed. Off-chip are the spaces that the machine does not limit; without a machine, and where it does not
/// have the space, the one called `dram`. Opaque items move nothing.
Cost cost(const ir::Program& program, const machine::Machine* machine, const ParameterValues& parameters);
/// ... with every parameter at the top of its range.
Cost cost(const ir::Program& program, const machine::Machine* machine);

}  // namespace tileproof::analysis
