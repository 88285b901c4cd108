#include "compiler/penguin/group_cut.h"

#include "compiler/penguin/cut_arithmetic.h"

#include <algorithm>

namespace tileproof::penguin {
namespace {

namespace ar = arithmetic;
using Prefix = ar::Prefix<int64_t>;

/// Precondition: the member is cut.
Prefix prefix_of(const GroupMember& member) {
  const auto axis_group = static_cast<int64_t>(member.axis_groups[*member.cut.dim]);
  return member.cut.tile ? Prefix{axis_group, *member.cut.tile} : Prefix{axis_group + 1, 1};
}

/// `cut` of the axis group `axis_group`, for a member that may have it at another dimension.
DimCut carried_over(const GroupMember& member, size_t axis_group, const DimCut& cut) {
  const auto found = std::ranges::find(member.axis_groups, axis_group);
  if (found == member.axis_groups.end()) return member.cut;
  DimCut own = cut;
  own.dim = static_cast<size_t>(found - member.axis_groups.begin());
  const bool holds_everything = !own.tile && *own.dim + 1 == member.axis_groups.size();
  return holds_everything ? DimCut{} : own;
}

}  // namespace

std::expected<std::vector<DimCut>, CutError> align_group(std::span<const GroupMember> members) {
  const GroupMember* least = nullptr;
  for (const GroupMember& member : members) {
    if (!member.cut.dim) continue;
    if (*member.cut.dim >= member.axis_groups.size()) return std::unexpected(CutError::no_such_dim);
    if (least == nullptr || ar::holds_less(prefix_of(member), prefix_of(*least))) least = &member;
  }
  std::vector<DimCut> cuts;
  for (const GroupMember& member : members) {
    cuts.push_back(least == nullptr ? member.cut : carried_over(member, least->axis_groups[*least->cut.dim], least->cut));
  }
  return cuts;
}

}  // namespace tileproof::penguin
