// Partial results of a reduction in a buffer of their own.
#pragma once

#include "compiler/transform/environment.h"
#include "compiler/transform/refusal.h"

#include <optional>
#include <string>
#include <string_view>

namespace tileproof::transform {

/// The buffer of partial results, and the opcode of the reduction that merges them.
struct Partial {
  std::string name;
  std::string space = "dram";
  std::string opcode = "reduce";
};

/// `axis`, a reduce axis of `body[index]`, becomes a parallel axis of the statement, which writes partial results (its dims: `axis`, then the
/// axes that are not reduce axes), and a second reduction over it follows. The statement stands at index + 1.
///
///     sum y[m] += x[m, 8*c + k] over m:4, c:8 reduce, k:8 reduce start
///     buffer p : f32[8, 4] dram
///     sum p[c, m] += x[m, 8*c + k] over m:4, c:8, k:8 reduce start
///     reduce y[m] += p[c, m] over m:4, c:8 reduce start
///
/// Conditions that name no other reduce axis restrict both; `start` and `stop` of the original are those of the second.
///
/// Legal: all updates are associative and commutative, so: the partial results survive in the accumulate dtype, which is theirs
/// (partial_results.h); no seq axis; the destination is not read, and its indices name no reduce axis; the extents of the dims are positive
/// and name no loop.
/// Refusals: not_a_nest, no_such_axis, bad_name, unknown_buffer, order_would_change, reads_destination, destination_varies, partials_round,
/// extent_varies, may_be_empty.
Outcome<> rfactor(ir::Block& body, size_t index, std::string_view axis, const Partial& partial, Environment& environment);

}  // namespace tileproof::transform
