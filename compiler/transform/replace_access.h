// Reading a copy instead of what was copied, or the other way round.
#pragma once

#include "compiler/transform/environment.h"
#include "compiler/transform/refusal.h"

#include <string>

namespace tileproof::transform {

/// In `body[reader]`, a statement, the reads of `from` (in value, indices and conditions) become reads of the other side of
/// `body[copy]`, an assignment `A[a...] = B[b...]` before it, of which `from` is one side.
///
///     store y[8*i + m] = t[m] over m:8            store y[8*i + m] = t[m] over m:8
///     map z[8*i + j] = exp(y[8*i + j]) over j:8   map z[8*i + j] = exp(t[j]) over j:8
///
/// Legal: both sides are of one dtype; for each read there is a point of the copy that names its element (each axis of the copy is by
/// itself, times a number, in some index), it lies inside of the axes, and the conditions of the copy at that point are among
/// those of the reader or hold always; nothing between the two, nor the copy itself, writes either side again, and no buffer at an address does.
/// Refusals: not_a_nest, not_a_copy, unknown_buffer, dtype_differs, not_covered, written_between.
Outcome<> replace_access(ir::Block& body, size_t copy, size_t reader, const std::string& from, const Environment& environment);

}  // namespace tileproof::transform
