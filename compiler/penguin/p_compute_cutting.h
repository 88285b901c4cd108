// The pass `p-compute-cutting`: cuts the partition axes so that a tile has at most as many lanes as the machine.
#pragma once

#include "compiler/penguin/cut_rules.h"
#include "compiler/pipeline/pass.h"

namespace tileproof::penguin {

/// Splits and re-tags the `P` axes of each statement; what does not fit on the partitions leaves them:
///
///   a parallel axis      becomes a loop (`B`)
///                        ... or free (`F`), where the statement has no free axis; a single long one is delinearized then: the
///                        largest divisor that fits lies on partitions, a contiguous row in each
///   a reduced axis       becomes free and protected (`F`); of a contraction, a loop (`B`)
///
/// Tiles that are cut are aligned to the machine's partition_multiple, or said to be unaligned. A huge axis (more bytes than one
/// partition holds) without such a divisor stays in DRAM and is streamed: `nonlocal`.
/// Option uniform-tile: tiles divide.
///
/// Option reverse-tile: the tile of an axis takes every E/t-th element, `E/t*m + mb`, so that what one lane sees in all trips lies together in DRAM. Legal
/// where the axis is the only one on the partitions and not cut before, and the tile divides it; it is done in all statements that have the axis group
/// on their partitions, or in none. It costs as many trips, so no estimate asks for it. Source: seed 000, tile_dag_par_axes; spec decisions A, B, D.
pipeline::Pass p_compute_cutting(CutRules rules = {});

}  // namespace tileproof::penguin
