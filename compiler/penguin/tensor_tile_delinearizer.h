// The pass `tensor-tile-delinearizer`: a dimension that several axes index together becomes several dimensions.
#pragma once

#include "compiler/ir/interval.h"
#include "compiler/pipeline/pass.h"

#include <cstdint>

namespace tileproof::penguin {

/// Whether the part of an index that is no multiple of `tile` and lies in `low` is a place inside of one tile of so many elements.
bool lies_in_a_tile(ir::Interval low, int64_t tile);

/// Splits dimensions of the program's own tensors in DRAM:
///
///     buffer z : f32[512] dram                                  buffer z : f32[32, 16] dram
///     map z[16*a + b + 32] = exp(x[a, b]) over a:30, b:16       map z[a + 2, b] = exp(x[a, b]) over a:30, b:16
///
/// so that each dimension has an axis of its own, by which axis groups are found and partitions are chosen. The tile is the largest factor
/// of an axis in some access that divides the extent and that all accesses of the tensor agree with.
///
/// Legal: row-major order does not change, so the pair of indices must be quotient and remainder of the index at all points: the terms that
/// are no multiples of the tile, with the remainder of the constant, stay within [0, tile). All accesses of the tensor are rewritten, or
/// none (`fits` says whether one may be). Left alone: tensors with a role, an address, a view or a claim about their content, and those that
/// something other than statements and conditions names. Source: seed 000 and spec passes 3.1; which tile is taken is our choice.
pipeline::Pass tensor_tile_delinearizer(bool (*fits)(ir::Interval low, int64_t tile) = lies_in_a_tile);

}  // namespace tileproof::penguin
