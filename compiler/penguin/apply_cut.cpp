#include "compiler/penguin/apply_cut.h"

#include "compiler/transform/split.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::penguin {
namespace {

ir::Axis& axis_named(ir::Statement& statement, std::string_view name) {
  return *std::ranges::find(statement.axes, name, &ir::Axis::name);
}

}  // namespace

PriorityOrder<CutAxis> priority_list(const ir::Statement& statement, std::span<const size_t> axes, const Extents& extents) {
  EmissionOrder<CutAxis> list;
  for (const size_t i : axes) list.push_back({statement.axes[i].name, extents.largest(statement.axes[i].extent)});
  return priority_order(list);
}

std::vector<int64_t> extents_of(const PriorityOrder<CutAxis>& axes) {
  std::vector<int64_t> extents;
  for (const CutAxis& axis : axes) extents.push_back(axis.extent);
  return extents;
}

transform::Outcome<> apply_cut(ir::Statement& statement, const AxisCut& cut, PartClasses classes, transform::FreshNames& names) {
  // At most one axis is split, and a split that is refused changes nothing. The rest cannot be refused.
  for (const AxisMap& map : cut.axes) {
    if (!map.loop || !map.tile) continue;
    // The extent of a dynamic axis is not in the statement, so split_axis cannot look at it.
    if (map.axis.extent > transform::largest_extent)
      return transform::refuse(transform::RefusalId::bad_tile,
                               fmt::format("an extent of {} elements is beyond 2^62", map.axis.extent));
    // The factor in the tile goes on being called as the axis.
    const std::string& name = map.axis.name;
    const int64_t tile_extent = cut.tile[map.tile->position].extent;
    const bool is_swapped = map.tile->coefficient > 1;
    const transform::SplitNames parts{names.fresh(name + "b"), name};
    const auto way = is_swapped ? transform::SplitWay::interleaved : transform::SplitWay::blocked;
    if (auto done = transform::split_axis(statement, name, tile_extent, parts, way); !done) return done;
    ir::Axis& outer = axis_named(statement, parts.outer);
    ir::Axis& inner = axis_named(statement, parts.inner);
    set_class(outer, classes.rest);
    set_class(inner, classes.tile);
    for (ir::Axis* part : {&outer, &inner})
      if (find_tag(part->tags, "from") == nullptr) set_tag(part->tags, "from", {name});
    if (classes.rest == AxisClass::block) set_tag(outer.tags, "tile", {tile_extent});
    if (classes.decayed) set_tag(outer.tags, "decayed");
  }
  for (const AxisMap& map : cut.axes) {
    if (map.loop && map.tile) continue;
    ir::Axis& axis = axis_named(statement, map.axis.name);
    set_class(axis, map.tile ? classes.tile : classes.rest);
    if (!map.tile && classes.decayed) set_tag(axis.tags, "decayed");
  }
  return {};
}

std::string describe(const AxisCut& cut) {
  std::string text;
  for (const AxisMap& map : cut.axes) {
    if (!text.empty()) text += "; ";
    text += map.axis.name;
    if (map.loop && map.tile) {
      text += fmt::format(" {} = {} x {}", map.axis.extent, cut.trips, cut.tile[map.tile->position].extent);
      if (cut.tail != 0) text += fmt::format(", tail {}", cut.tail);
    } else {
      text += map.tile ? " whole" : " loops";
    }
  }
  return text.empty() ? "nothing to cut" : text;
}

}  // namespace tileproof::penguin
