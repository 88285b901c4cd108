// A sum as a sum of products, for engines that add up by multiplying.
#pragma once

#include "compiler/transform/localize.h"

namespace tileproof::transform {

/// Before `body[index]`, a sum, declares a tile and fills it with ones (`ones.opcode`); the value becomes its product with the tile.
/// The statement stands at index + 2.
///
///     reduce y[m] += p[r, m] over m:4, r:8 reduce start
///     buffer one : f32[8 | 1] sbuf
///     memset one[r, 0] = 1 over r:8
///     reduce y[m] += one[r, 0] * p[r, m] over m:4, r:8 reduce start
///
/// Legal: the update is `+=`; the value is a float and the dtype (`ones.dtype`, which must be given) the one that it accumulates in, f32 or
/// f64: a value is computed in these, and 1 times it is the value; extents of the dims as for localize_read.
/// Refusals: not_a_nest, order_would_change (another update), dtype_differs, bad_name, axes_differ, extent_varies, may_be_empty, bad_tile.
Outcome<> multiply_by_ones(ir::Block& body, size_t index, const Tile& ones, Environment& environment);

}  // namespace tileproof::transform
