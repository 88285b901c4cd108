// An axis of a statement as a loop around it.
#pragma once

#include "compiler/transform/environment.h"
#include "compiler/transform/refusal.h"

#include <string_view>

namespace tileproof::transform {

/// `nest` is a statement, or a perfect nest of loops around one. The axis becomes the innermost loop, with its name, extent and tags.
///
///     mac acc[m] += x[m, b, k] over m:8, b:4 reduce, k:16 reduce start
///     for b in 0..4 seq { mac acc[m] += x[m, b, k] over m:8, k:16 reduce start b == 0 }
///
/// A parallel axis becomes a loop of any kind; a reduce axis or a seq axis a seq loop. `start C` becomes `C and loop == 0`, `stop C`
/// becomes `C and loop == extent - 1`.
///
/// Legal: a parallel axis if no seq axis stands before it (points of one seq step would be torn apart), and, for concurrent loops, if the
/// elements of the destination are whole bytes and nothing is clobbered; a seq axis if it is the first of them; a reduce axis if there is no seq axis, partial
/// results survive in the destination (partial_results.h), and, where `start` or `stop` stand, the loop has an iteration and no condition
/// names this reduce axis alone: such a condition would then restrict what is initialised. A reduce axis of a single iteration, by its
/// number, needs no room for partial results.
/// Refusals: not_a_nest, no_such_axis, loop_kind, order_would_change, shares_bytes, partials_round, may_be_empty, initialises_less,
/// unknown_buffer.
///
/// `environment` learns the loop.
Outcome<> move_to_loop(ir::Item& nest, std::string_view axis, ir::LoopKind kind, Environment& environment);

/// The statement inside of a perfect nest of loops; nullptr: it is none.
ir::Statement* statement_of_nest(ir::Item& nest);

}  // namespace tileproof::transform
