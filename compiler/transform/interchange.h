// Two loops, one inside of the other, in the other order.
#pragma once

#include "compiler/transform/environment.h"
#include "compiler/transform/refusal.h"

namespace tileproof::transform {

/// `outer` and the loop that is all of its body change places, with their kinds and tags.
///
///     for a in 0..4 par { for b in 0..8 seq { S } }     for b in 0..8 seq { for a in 0..4 par { S } }
///
/// Legal: the bounds of the inner loop do not name the outer one; neither is a shard or thread loop; and the order of what is carried is
/// kept:
///   * the outer loop is par: nothing passes between its iterations, or they would race; or
///   * each buffer that the body writes and does not declare is *apart* in one of the loops: one of its indices is the same multiple of the
///     loop variable in all accesses, and what is added to it stays below that multiple, so that no two iterations meet (an inner par
///     loop, made outermost, must be the one); or
///   * both are seq, and the body is one accumulation that carries partial results which survive (partial_results.h), begun in the
///     first iteration of both loops, or of neither.
/// Refusals: not_a_nest, bounds_depend, crosses_units, order_would_change.
Outcome<> interchange(ir::Loop& outer, const Environment& environment);

}  // namespace tileproof::transform
