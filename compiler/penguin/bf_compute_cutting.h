// The pass `bf-compute-cutting`: cuts the free axes so that a tile keeps within its budget of elements in one partition.
#pragma once

#include "compiler/penguin/cut_rules.h"
#include "compiler/pipeline/pass.h"

namespace tileproof::penguin {

/// First the free axes of each statement by themselves, in the order in which they stand, which is not sorted again:
///
///   contraction       moving axes, to one PSUM bank
///   anything else     parallel free axes, to what the reduced ones, which stay whole, leave of the budget; where these alone are
///                     over it, they are cut as well, and partial results go from block to block
///
/// Then the cuts of the statements of a partition group (equal axis groups on partitions) are made one cut wherever their axis
/// groups have one order, so that their loops can be fused. Parts that leave the tile become loops (`B`).
/// Options: pg-tile-size (elements in one partition, for all but matmuls), uniform-tile, align.
/// Source: seed 000, tile_dag_free_axes; spec decisions E. Cutting reduced axes that are over the budget is our choice.
pipeline::Pass bf_compute_cutting(CutRules rules = {});

}  // namespace tileproof::penguin
