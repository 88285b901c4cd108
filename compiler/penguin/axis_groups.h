// Axes of different statements that index the same dimension of a tensor match; an axis group is all that match each other.
// Source: seed 000, partition-group analysis. The numbering is our choice.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/penguin/operation.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tileproof::penguin {

/// For each statement and each of its axes, the number of its group, from 0. `tensors`: what each statement sees.
///
/// Two axes match where each is the whole index of one dimension of a tensor and their extents are equal. Numbers ascend from
/// high to low priority wherever the accesses allow it: in each statement, an axis that indexes the destination further to the
/// right has the lower number, unless the statements contradict each other. Linear in the accesses, but for sorting.
std::vector<std::vector<int64_t>> axis_groups(std::span<const ir::Statement* const> statements, std::span<const Tensors> tensors);

}  // namespace tileproof::penguin
