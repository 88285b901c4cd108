#include "compiler/penguin/tile_parts.h"

#include "compiler/ir/interval.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace tileproof::penguin {

Parts::Parts(const ir::Statement& s) {
  std::vector<size_t> on_partitions, in_the_tile;
  for (const size_t i : parallel_axes(s)) {
    const std::optional<AxisClass> axis_class = class_of(s.axes[i]);
    if (axis_class == AxisClass::block) loops.push_back(s.axes[i].name);
    if (axis_class == AxisClass::partition) on_partitions.push_back(i);
    if (axis_class == AxisClass::free) in_the_tile.push_back(i);
  }
  order_by_group(s, on_partitions);
  order_by_group(s, in_the_tile);
  for (const size_t i : on_partitions) partition.push_back(s.axes[i].name);
  for (const size_t i : in_the_tile) free.push_back(s.axes[i].name);
  for (const ir::Axis& axis : s.axes) {
    if (axis.kind == ir::AxisKind::parallel) continue;
    const std::optional<AxisClass> axis_class = class_of(axis);
    if (axis_class == AxisClass::block) reduced_loops.push_back(axis.name);
    if (axis_class == AxisClass::partition) reduced_partition.push_back(axis.name);
    if (axis_class == AxisClass::free) reduced_free.push_back(axis.name);
  }
}

Parts parts_of(const ir::Statement& s) {
  Parts parts(s);
  if (changes_partitions(s))
    std::ranges::stable_sort(parts.partition, {}, [&](const std::string& axis) {
      return std::ranges::find_if(s.value.operands, [&](const ir::Expression& index) { return names_axis(index, axis); }) -
             s.value.operands.begin();
    });
  return parts;
}

std::string partition_sum_of(const ir::Statement& s) {
  const ir::Tag* tag = find_tag(s.tags, "by");
  const auto* opcode = tag == nullptr ? nullptr : std::get_if<std::string>(&tag->value.value);
  const bool adds_up =
      s.update == ir::Update::add && s.value.op == ir::Op::read && !axes_of(s, AxisClass::partition, true).empty();
  return opcode != nullptr && adds_up && (*opcode == "matmul" || *opcode == "partition_reduce") ? *opcode : "";
}

bool changes_partitions(const ir::Statement& s) {
  return find_tag(s.tags, "pf") != nullptr && s.update == ir::Update::assign && s.value.op == ir::Op::read;
}

void exchange_classes(ir::Statement& s) {
  for (ir::Axis& axis : s.axes)
    if (class_of(axis) != AxisClass::block)
      set_class(axis, class_of(axis) == AxisClass::partition ? AxisClass::free : AxisClass::partition);
}

int64_t most_elements(const ir::Statement& s, AxisClass axis_class, const transform::Environment& environment) {
  int64_t product = 1;
  for (const size_t i : axes_of(s, axis_class, false)) {
    const auto range = ir::interval(s.axes[i].extent, [&](std::string_view name) { return environment.range_of(name); });
    product = ir::multiply_saturating(product, range ? std::max<int64_t>(range->high, 1) : std::numeric_limits<int64_t>::max());
  }
  return product;
}

}  // namespace tileproof::penguin
