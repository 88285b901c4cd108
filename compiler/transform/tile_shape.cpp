#include "compiler/transform/tile_shape.h"

#include "compiler/ir/buffer_size.h"
#include "compiler/ir/interval.h"
#include "compiler/ir/reserved.h"
#include "compiler/transform/substitute.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::transform {
namespace {

/// One axis as a dim of the tile.
Outcome<> append(TileShape& shape, const std::string& name, const ir::Statement& statement, const Environment& environment) {
  const auto axis = std::ranges::find(statement.axes, name, &ir::Axis::name);
  if (axis == statement.axes.end()) return refuse(RefusalId::axes_differ, fmt::format("the statement has no axis {}", name));
  if (std::ranges::find(shape.axes, name, &ir::Axis::name) != shape.axes.end())
    return refuse(RefusalId::axes_differ, fmt::format("the axis {} twice", name));
  for (const std::string& used : names_in(axis->extent)) {
    if (!environment.is_parameter(used))
      return refuse(RefusalId::extent_varies, fmt::format("the extent of {} depends on {}", name, used));
  }
  if (!is_positive(axis->extent, environment))
    return refuse(RefusalId::may_be_empty, fmt::format("{} may have no element", name));
  shape.buffer.extents.push_back(axis->extent);
  shape.indices.push_back(ir::variable(name));
  ir::Axis& made = shape.axes.emplace_back();
  made.name = name;
  made.extent = axis->extent;
  made.tags = axis->tags;
  return {};
}

void append_unit(TileShape& shape) {
  shape.buffer.extents.push_back(ir::integer(1));
  shape.indices.push_back(ir::integer(0));
}

Outcome<> check_size(const TileShape& shape, const Environment& environment) {
  int64_t bits = ir::bits(shape.buffer.dtype);
  for (const ir::Expression& extent : shape.buffer.extents) {
    const auto range = ir::interval(extent, [&](std::string_view name) { return environment.range_of(name); });
    bits = ir::multiply_saturating(bits, range ? std::max<int64_t>(range->high, 1) : ir::most_buffer_bits);
  }
  if (bits < ir::most_buffer_bits) return {};
  return refuse(RefusalId::bad_tile, fmt::format("the tile {} could have 2^62 bits or more", shape.buffer.name));
}

Outcome<> check_name(const Tile& tile, const ir::Statement& statement, const Environment& environment) {
  if (!ir::is_name(tile.name) || !ir::is_name(tile.space) || !ir::is_opcode(tile.opcode))
    return refuse(RefusalId::bad_name, fmt::format("'{}', '{}' and '{}' must be names", tile.name, tile.space, tile.opcode));
  if (environment.declares(tile.name) || uses_name(statement, tile.name))
    return refuse(RefusalId::bad_name, fmt::format("the name {} is taken", tile.name));
  return {};
}

}  // namespace

Outcome<TileShape> tile_shape(const Tile& tile, const ir::Statement& statement, const std::vector<std::string>& named,
                              ir::Dtype dtype, const Environment& environment) {
  if (const Outcome<> valid = check_name(tile, statement, environment); !valid) return std::unexpected(valid.error());
  TileShape shape;
  shape.buffer.name = tile.name;
  shape.buffer.tags = tile.tags;
  shape.buffer.dtype = dtype;
  shape.buffer.space = tile.space;
  shape.buffer.address = tile.address;
  const size_t most_dims = statement.axes.size() + 2;
  shape.buffer.extents.reserve(most_dims);
  shape.indices.reserve(most_dims);
  shape.axes.reserve(statement.axes.size());
  const bool has_bar = tile.bar || !tile.partition.empty() || !tile.free.empty();
  for (const auto* side : {&tile.partition, has_bar ? &tile.free : &named}) {
    for (const std::string& name : *side)
      if (const Outcome<> added = append(shape, name, statement, environment); !added) return std::unexpected(added.error());
    const bool is_bare = has_bar ? side->empty() : side == &named && shape.axes.empty();
    if (is_bare) append_unit(shape);
    if (has_bar && side == &tile.partition) shape.buffer.partition_rank = shape.buffer.extents.size();
  }
  for (const std::string& name : named) {
    if (std::ranges::find(shape.axes, name, &ir::Axis::name) == shape.axes.end())
      return refuse(RefusalId::axes_differ, fmt::format("the tile {} has no dim for {}", tile.name, name));
  }
  if (const Outcome<> fits = check_size(shape, environment); !fits) return std::unexpected(fits.error());
  return shape;
}

}  // namespace tileproof::transform
