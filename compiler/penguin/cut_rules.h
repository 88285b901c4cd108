// The arithmetic that the cutting passes decide with, as functions that they are given.
#pragma once

#include "compiler/penguin/axis_cut.h"
#include "compiler/penguin/cut_params.h"
#include "compiler/penguin/group_cut.h"

#include <functional>

namespace tileproof::penguin {

/// Each with the contract of the function that it is by default. Other rules make another tiler of the same passes.
struct CutRules {
  using Cut = std::expected<DimCut, CutError>;
  using Extents = std::span<const int64_t>;

  std::function<Cut(Extents, const ComputeCutParams&)> partition = partition_cut;
  std::function<Cut(Extents, Extents protected_extents, const ComputeCutParams&)> free = free_cut;
  std::function<Cut(Extents, const ComputeCutParams&)> stationary = stationary_cut;
  std::function<Cut(Extents, const ComputeCutParams&)> moving = moving_cut;
  std::function<Cut(Extents, int64_t cut_size, CutOptions)> reduction =
      compute_cut;   ///< of reduced axes that are over the budget
  std::function<std::expected<AxisCut, CutError>(const PriorityOrder<CutAxis>&, const DimCut&)> axes =
      [](const PriorityOrder<CutAxis>& list, const DimCut& cut) { return cut_axes(list, cut); };
  std::function<std::expected<std::vector<DimCut>, CutError>(std::span<const GroupMember>)> group = align_group;
};

}  // namespace tileproof::penguin
