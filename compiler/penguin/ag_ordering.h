// One order of all axis groups, so that cuts of different statements agree on what stays in the tile.
// Source: seed 000, axis ordering, and spec passes 2.1; the weights and the ties are our choice.
#pragma once

#include "compiler/pipeline/pass.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tileproof::penguin {

/// `low` stands to the left of `high` in accesses that move `weight` bytes. A forced one cannot be walked in the other order without a transpose.
struct OrderingEdge {
  size_t low = 0, high = 0;
  int64_t weight = 0;
  bool is_forced = false;
};

/// The axis groups 0 .. count - 1 from low to high: the highest is the last to leave a tile, and its elements are neighbours.
///
/// Edges that lead down in the order are broken. Where the edges have no cycle none is; a forced one is broken only where forced edges
/// alone have a cycle; and without forced ones those broken weigh no more than half of all. It is the greedy rule for feedback arc sets
/// by Eades, Lin and Smyth (1993): what nothing is above goes to the high end, what nothing is below to the low end, and else the
/// group whose outgoing weight exceeds the incoming one the most, of those that break no forced edge. Of equals the least number goes lowest, so that an order is
/// kept.
/// Preconditions: weights >= 0, ends below `count` and apart. Time n log n in groups and edges.
std::vector<size_t> order_axis_groups(size_t count, std::span<const OrderingEdge> edges);

/// The pass `ag-ordering`: numbers the axis groups of the program in that order (`ag=N`, the highest number is the highest priority). The passes after
/// it sort the axes of a class by it.
///
/// Every access gives an edge from each free axis to the next one on its right, by the bytes that it moves: elements of the iteration domain
/// along its axes, times those of an element. Forced: the kept dimensions of a `tensor_reduce` lie before the reduced ones.
pipeline::Pass ag_ordering();

}  // namespace tileproof::penguin
