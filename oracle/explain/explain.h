// The report of a check in pictures: what was written where, what differs, and what it was computed from. docs/explain.md shows
// them. They come from runs of their own, which decide nothing.
#pragma once

#include "oracle/equivalence/check.h"
#include "oracle/explain/picture.h"

#include <chrono>

namespace tileproof::oracle {

/// What helps most for the verdict: of a pass the tiles of each output; of a finding on values the tiles, the elements around the
/// one that differs, and its origins; of a race the two accesses; of a finding on memory the bytes of the buffers; of others the
/// accesses to the element. What cannot be drawn is a line that says why. The arguments are those of the check that gave
/// `report`; runs end at `deadline`. Costs a few runs more, and memory in proportion to the outputs. The same check gives the
/// same pictures, unless the time is over.
Pictures explain(const ir::Program& original, const ir::Program& tiled, const CheckOptions& options, const CheckReport& report,
                 std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

/// For people: each picture under its title, indented, after an empty line.
std::string to_text(const Pictures& pictures);

}  // namespace tileproof::oracle
