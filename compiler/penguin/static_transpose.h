// The pass `static-transpose`: the order in which the elements of tensors on chip lie along the free dimension.
#pragma once

#include "compiler/pipeline/pass.h"

namespace tileproof::penguin {

/// Sorts the dims of each tensor that stays on chip by the numbers of the axis groups that walk them, the highest innermost: what is walked in a tile
/// without a break lies there without one. No data is moved: declaration and all accesses change together. The dims on the partitions stay where they are, and
/// the order stays where the elements that are walked with neighbours next to each other, weighed by how often, become no more. A second run changes nothing.
/// Source: seed 000, StaticTransposeLocalTensor; spec passes 2.2. That it comes behind the cuts, where it is known what stays on chip, is our choice.
pipeline::Pass static_transpose();

}  // namespace tileproof::penguin
