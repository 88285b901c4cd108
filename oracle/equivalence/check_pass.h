// The check for callers in C++: whatever a pass makes, well formed or not, gives a report or diagnostics.
#pragma once

#include "oracle/equivalence/check.h"

#include <expected>
#include <functional>

namespace tileproof::oracle {

/// A tiler: makes the tiled program of the original.
using Pass = std::function<ir::Program(const ir::Program&)>;

/// `check`, for programs that nobody has verified. Errors: the original or the tiled program is not well formed, or their
/// interfaces differ; the `file` of a diagnostic is "original" or "tiled".
std::expected<CheckReport, ir::Diagnostics> check_programs(const ir::Program& original, const ir::Program& tiled,
                                                           const CheckOptions& options = {});

/// Runs the pass and checks what it made against what it was given. Exceptions of the pass pass through.
std::expected<CheckReport, ir::Diagnostics> check_pass(const ir::Program& original, const Pass& pass,
                                                       const CheckOptions& options = {});

}  // namespace tileproof::oracle
