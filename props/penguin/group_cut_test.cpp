#include "compiler/penguin/group_cut.h"

#include "props/penguin/cut_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tileproof::penguin {
namespace {

TEST(AlignGroup, TakesTheSmallerTileOfASharedAxis) {
  const std::vector<GroupMember> members{{{0}, {.dim = 0, .tile = 512}}, {{0}, {.dim = 0, .tile = 128}}};
  const DimCut common{.dim = 0, .tile = 128};
  EXPECT_EQ(align_group(members), (std::vector<DimCut>{common, common}));
}

TEST(AlignGroup, TakesFewerWholeAxesBeforeASmallerTile) {
  const std::vector<GroupMember> members{{{0, 1}, {.dim = 0, .tile = {}}}, {{0, 1}, {.dim = 1, .tile = 2}}, {{0, 1}, {}}};
  const DimCut common{.dim = 0, .tile = {}};
  EXPECT_EQ(align_group(members), (std::vector<DimCut>{common, common, common}));
}

TEST(AlignGroup, FindsTheAxisAtAnotherDimension) {
  const std::vector<GroupMember> members{{{0, 2}, {.dim = 1, .tile = 9}}, {{2}, {.dim = 0, .tile = 50}}};
  EXPECT_EQ(align_group(members), (std::vector<DimCut>{{.dim = 1, .tile = 9}, {.dim = 0, .tile = 9}}));
}

TEST(AlignGroup, LeavesAloneAMemberWithoutTheAxis) {
  const std::vector<GroupMember> members{{{0}, {.dim = 0, .tile = 4}}, {{1}, {.dim = 0, .tile = 3}}, {{1}, {}}};
  EXPECT_EQ(align_group(members), (std::vector<DimCut>{{.dim = 0, .tile = 4}, {.dim = 0, .tile = 3}, {}}));
}

TEST(AlignGroup, CutsNothingOfAMemberThatEndsAtTheCut) {
  const std::vector<GroupMember> members{{{0, 1}, {.dim = 0, .tile = {}}}, {{0}, {}}};
  EXPECT_EQ(align_group(members), (std::vector<DimCut>{{.dim = 0, .tile = {}}, {}}));
}

TEST(AlignGroup, LeavesAGroupThatFitsAlone) {
  EXPECT_EQ(align_group(std::vector<GroupMember>{{{0}, {}}, {{0, 1}, {}}}), (std::vector<DimCut>{{}, {}}));
  EXPECT_EQ(align_group({}), std::vector<DimCut>{});
}

TEST(AlignGroup, RefusesACutOfADimensionThatIsNotThere) {
  EXPECT_EQ(align_group(std::vector<GroupMember>{{{0}, {.dim = 1, .tile = {}}}}).error(), CutError::no_such_dim);
}

struct Group {
  std::vector<Extents> extents;
  std::vector<int64_t> cut_sizes;
  std::vector<GroupMember> members;
};

/// Members that have some of up to five axis groups each, and budgets of their own.
Group any_group() {
  const Extents shared = *rc::gen::container<Extents>(5, rc::gen::inRange<int64_t>(1, 40));
  Group group;
  const int members = *rc::gen::inRange(1, 5);
  for (int i = 0; i < members; ++i) {
    GroupMember member;
    Extents extents;
    for (size_t axis = 0; axis < shared.size(); ++axis) {
      if (*rc::gen::inRange(0, 3) == 0) continue;
      member.axis_groups.push_back(axis);
      extents.push_back(shared[axis]);
    }
    group.cut_sizes.push_back(*cut_sizes());
    member.cut = *compute_cut(extents, group.cut_sizes.back());
    group.extents.push_back(extents);
    group.members.push_back(member);
  }
  return group;
}

RC_GTEST_PROP(AlignGroup, FitsTheBudgetOfEveryMember, ()) {
  const Group group = any_group();
  const auto cuts = align_group(group.members);
  RC_ASSERT(cuts.has_value());
  for (size_t i = 0; i < cuts->size(); ++i) {
    RC_ASSERT(elements(group.extents[i], (*cuts)[i]) <= group.cut_sizes[i]);
    RC_ASSERT(cut_axes(named(group.extents[i]), (*cuts)[i]).has_value());
  }
}

RC_GTEST_PROP(AlignGroup, CutsMembersOfTheSameAxesAlike, ()) {
  const Group group = any_group();
  const auto cuts = align_group(group.members);
  RC_ASSERT(cuts.has_value());
  for (size_t i = 0; i < cuts->size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const bool same = group.members[i].axis_groups == group.members[k].axis_groups;
      const bool changed = (*cuts)[i] != group.members[i].cut || (*cuts)[k] != group.members[k].cut;
      if (same && changed) RC_ASSERT((*cuts)[i] == (*cuts)[k]);
    }
  }
}

RC_GTEST_PROP(AlignGroup, ChangesNothingTheSecondTime, ()) {
  Group group = any_group();
  const auto once = align_group(group.members);
  RC_ASSERT(once.has_value());
  for (size_t i = 0; i < once->size(); ++i) group.members[i].cut = (*once)[i];
  const auto twice = align_group(group.members);
  RC_ASSERT(twice.has_value());
  RC_ASSERT(*twice == *once);
}

}  // namespace
}  // namespace tileproof::penguin
