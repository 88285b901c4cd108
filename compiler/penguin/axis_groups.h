// Axes of different statements that index the same dimension of a tensor match; an axis group is all that match each other.
// Source: seed 000, partition-group analysis.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/penguin/operation.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tileproof::penguin {

/// For each statement and each of its axes, the number of its group, from 0. `tensors`: what each statement sees.
///
/// Two axes match where each is the whole index of one dimension of a tensor, but of no other one there, and their extents are equal. The
/// numbers follow the first axis of each group; ag_ordering.h puts them in order. Linear in the accesses, but for sorting.
std::vector<std::vector<int64_t>> axis_groups(std::span<ir::Statement* const> statements, std::span<const Tensors> tensors);

}  // namespace tileproof::penguin
