// Which axes are cut, and by which arithmetic.
#include "compiler/penguin/cut_arithmetic.h"
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/rules.h"
#include "oracle/prove/seed_pseudocode.h"

#include <algorithm>
#include <numeric>

namespace tileproof::plant {
namespace {

using penguin::AxisCut;
using penguin::CutAxis;
using penguin::CutOptions;
using penguin::CutRules;
using penguin::DimCut;
using penguin::GroupMember;
using Axes = penguin::PriorityOrder<CutAxis>;

CutRules printed_scan(prove::seed::Scan scan) {
  return rules_with([scan](Extents extents, int64_t cut_size, CutOptions) -> Cut {
    if (std::ranges::find(extents, 0) != extents.end()) return DimCut{};
    const auto cut = prove::seed::compute_cut<int64_t>({extents.begin(), extents.end()}, cut_size, scan);
    DimCut result;
    if (cut.dim >= 0) result.dim = static_cast<size_t>(cut.dim);
    if (cut.tile > 0) result.tile = cut.tile;
    return result;
  });
}

/// Each axis by the side of the cut that it lies on: -1 left, 0 the cut one, 1 right.
AxisCut divided(const Axes& axes, const DimCut& cut, bool (*loops)(int side)) {
  AxisCut result;
  const auto put = [](Axes& list, CutAxis axis, int64_t coefficient) {
    list.push_back(std::move(axis));
    return penguin::AxisFactor{list.size() - 1, coefficient};
  };
  for (size_t i = 0; i < axes.size(); ++i) {
    penguin::AxisMap map{axes[i], {}, {}};
    const int side = i < *cut.dim ? -1 : i > *cut.dim ? 1 : 0;
    if (side == 0 && cut.tile && *cut.tile < axes[i].extent) {
      const int64_t trips = penguin::arithmetic::trips(axes[i].extent, *cut.tile);
      map.loop = put(result.loop, {axes[i].name + "_o", trips}, *cut.tile);
      map.tile = put(result.tile, {axes[i].name + "_i", *cut.tile}, 1);
    } else if (loops(side)) {
      map.loop = put(result.loop, axes[i], 1);
    } else {
      map.tile = put(result.tile, axes[i], 1);
    }
    result.axes.push_back(std::move(map));
  }
  return result;
}

CutRules axes_with(bool (*loops)(int side)) {
  CutRules rules;
  rules.axes = [loops](const Axes& axes, const DimCut& cut) -> std::expected<AxisCut, penguin::CutError> {
    const auto right = penguin::cut_axes(axes, cut);
    if (!right || !cut.dim) return right;
    return divided(axes, cut, loops);
  };
  return rules;
}

CutRules rounded_up() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) {
    auto cut = penguin::compute_cut(extents, cut_size, options);
    if (!cut || !cut->dim) return cut;
    const size_t i = cut->tile ? *cut->dim : *cut->dim + 1;
    int64_t committed = 1;
    for (size_t k = 0; k < i; ++k) committed *= extents[k];
    const int64_t tile = (cut_size + committed - 1) / committed;
    if (i >= extents.size() || tile < 2 || tile > extents[i]) return cut;
    cut->dim = i;
    cut->tile = tile;
    return cut;
  });
}

CutRules aligned_up() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) {
    auto cut = penguin::compute_cut(extents, cut_size, {.uniform = options.uniform});
    if (cut && cut->tile)
      cut->tile = std::min(extents[*cut->dim], (*cut->tile + options.multiple) / options.multiple * options.multiple);
    return cut;
  });
}

/// The number of tiles must divide the elements, so that those that do not are fewer and larger.
CutRules tiles_that_divide() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) {
    auto cut = penguin::compute_cut(extents, cut_size, options);
    if (!cut || !cut->tile) return cut;
    const int64_t extent = extents[*cut->dim], tiles = std::gcd((extent + *cut->tile - 1) / *cut->tile, extent);
    cut->tile = extent / tiles;
    if (tiles == 1) cut->tile.reset();
    return cut;
  });
}

CutRules order_reversed() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) {
    const std::vector<int64_t> emission(extents.rbegin(), extents.rend());
    auto cut = penguin::compute_cut(emission, cut_size, options);
    if (cut && cut->tile) cut->tile = std::min(*cut->tile, extents[*cut->dim]);
    return cut;
  });
}

CutRules one_axis_late() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) {
    auto cut = penguin::compute_cut(extents, cut_size, options);
    if (cut && cut->dim && *cut->dim + 1 < extents.size()) {
      cut->dim = *cut->dim + 1;
      if (cut->tile) cut->tile = std::min(*cut->tile, extents[*cut->dim]);
    }
    return cut;
  });
}

/// The cut of one member for all of them.
CutRules group_with(size_t (*chosen)(std::span<const GroupMember>)) {
  CutRules rules;
  rules.group = [chosen](std::span<const GroupMember> members) -> std::expected<std::vector<DimCut>, penguin::CutError> {
    std::vector<DimCut> cuts;
    const GroupMember& one = members[chosen(members)];
    for (const GroupMember& member : members) {
      DimCut cut = one.cut;
      if (cut.dim) {
        const auto at = std::ranges::find(member.axis_groups, one.axis_groups[*cut.dim]);
        if (at == member.axis_groups.end())
          cut = member.cut;
        else
          cut.dim = static_cast<size_t>(at - member.axis_groups.begin());
      }
      cuts.push_back(cut);
    }
    return cuts;
  };
  return rules;
}

size_t largest(std::span<const GroupMember> members) {
  // A member that is not cut holds most.
  const auto held = [](const GroupMember& m) {
    const size_t dim = m.cut.dim.value_or(m.axis_groups.size());
    return std::pair(dim + (m.cut.tile ? 0 : 1), m.cut.tile.value_or(0));
  };
  size_t best = 0;
  for (size_t i = 1; i < members.size(); ++i)
    if (held(members[i]) > held(members[best])) best = i;
  return best;
}

}  // namespace

std::vector<PlantedBug> wrong_cuts() {
  using enum prove::seed::Scan;
  return {
      {"printed-compute-cut", "computeCut as it is printed: a quotient of one takes the whole axis", "decisions A.1",
       printed_scan(left_to_right)},
      {"printed-compute-cut-from-the-right", "computeCut, which commits axes from the right", "decisions A.1",
       printed_scan(right_to_left)},
      {"printed-cut-axes", "cut_axes as it is printed: the axes left of the cut loop, and those right of it are in the tile",
       "decisions B.1", axes_with([](int side) { return side < 0; })},
      {"right-of-the-cut-stays", "only the axis that is cut loops", "decisions C.3", axes_with([](int) { return false; })},
      {"tile-rounded-up", "as many slices as fit, rounded up", "decisions A.2", rounded_up()},
      {"aligned-upwards", "the tile is made a multiple by rounding up", "bugs.tsv B031", aligned_up()},
      {"tiles-that-divide", "as many tiles as the blocks and the elements have in common", "bugs.tsv B001", tiles_that_divide()},
      {"emission-for-priority", "the list is read from the other end", "passes 2.1(a)", order_reversed()},
      {"one-axis-late", "the cut is applied to the next axis of the list", "decisions E.2", one_axis_late()},
      {"largest-of-the-group", "a partition group is cut as the member with the largest tile", "passes 2.4(b)",
       group_with(largest)},
      {"first-of-the-group", "a partition group is cut as its first member", "bugs.tsv B014",
       group_with([](std::span<const GroupMember>) { return size_t{0}; })},
  };
}

}  // namespace tileproof::plant
