// Operations of one partition group that are cut at the same place have the same loops around their tiles, and can be fused.
#pragma once

#include "compiler/penguin/dim_cut.h"

#include <vector>

namespace tileproof::penguin {

/// One operation of a group: the axis group of each of its dimensions, in priority order and so ascending, and its own cut.
/// An axis group has the same extent and the same rank by priority in all members.
struct GroupMember {
  std::vector<size_t> axis_groups;
  DimCut cut;
};

/// The cut of the group: the one whose tile holds least in prefix order (fewer axis groups, then the smaller tile), for every
/// member that has the axis group that is cut there; the others keep their own. Each cut fits its member's budget if the given
/// ones do. Error: no_such_dim.
/// Source: seed 000, cuts are first made apart and then made consistent in a group; that the smallest counts is our choice.
std::expected<std::vector<DimCut>, CutError> align_group(std::span<const GroupMember> members);

}  // namespace tileproof::penguin
