#include "compiler/transform/fold.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"
#include "compiler/transform/tile_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tileproof::transform {
namespace {

using ir::Op;

/// The seq axis of a scan, and the dim of the destination that it walks.
struct Walk {
  std::string axis;
  size_t dim = 0;
};

Outcome<Walk> walk_of(const ir::Statement& s, const Memory& destination) {
  if (s.update != ir::Update::assign || s.start || s.stop) return refuse(RefusalId::not_a_nest, "an accumulation is no scan");
  const ir::Axis* seq = nullptr;
  for (const ir::Axis& axis : s.axes) {
    if (axis.kind == ir::AxisKind::reduce)
      return refuse(RefusalId::order_would_change, fmt::format("the reduce axis {} stands in a scan", axis.name));
    if (axis.kind != ir::AxisKind::seq) continue;
    if (seq != nullptr)
      return refuse(RefusalId::order_would_change, fmt::format("{} and {} are two seq axes", seq->name, axis.name));
    seq = &axis;
  }
  if (seq == nullptr) return refuse(RefusalId::no_such_axis, "no axis is a seq axis");
  const auto walks = [&](const ir::Expression& index) { return index == ir::variable(seq->name); };
  const auto at = std::ranges::find_if(s.indices, walks);
  const auto uses_it = [&](const ir::Expression& e) { return uses_name(e, seq->name); };
  if (at == s.indices.end() || std::ranges::count_if(s.indices, uses_it) != 1 || std::ranges::any_of(s.where, uses_it))
    return refuse(RefusalId::destination_varies,
                  fmt::format("{} is not, alone, the index of one dim of {}, or a condition names it", seq->name, s.destination));
  const auto dim = static_cast<size_t>(at - s.indices.begin());
  // Old values before the first point would be read from a tile that does not have them.
  if (destination.extents.size() != s.indices.size() || destination.extents[dim] != seq->extent)
    return refuse(RefusalId::destination_varies,
                  fmt::format("{} does not walk the whole dim {} of {}", seq->name, dim, s.destination));
  return Walk{seq->name, dim};
}

/// How many points back a read of the destination reaches along the seq axis; nullopt: it reads something else.
std::optional<int64_t> distance(const ir::Expression& read, const ir::Statement& s, const Walk& walk) {
  std::optional<int64_t> back;
  for (size_t dim = 0; dim < s.indices.size(); ++dim) {
    if (dim != walk.dim && read.operands[dim] != s.indices[dim]) return std::nullopt;
    if (dim == walk.dim) back = constant(fold(binary(Op::subtract, s.indices[dim], read.operands[dim])));
  }
  return back && *back > 0 ? back : std::nullopt;
}

/// The reads of the destination's elements in `e` become reads of the tile. A refusal: one that a tile does not have.
Outcome<> redirect(ir::Expression& e, const ir::Statement& s, const Walk& walk, const Memory& destination, const TileShape& shape,
                   const Environment& environment) {
  for (ir::Expression& operand : e.operands)
    if (auto done = redirect(operand, s, walk, destination, shape, environment); !done) return done;
  if (e.op != Op::read) return {};
  const Memory* memory = environment.find(e.name);
  if (memory == nullptr) return refuse(RefusalId::unknown_buffer, fmt::format("{} is not known", e.name));
  if (memory->root != destination.root && !(memory->is_placed && destination.is_placed)) return {};
  const auto back = e.name == s.destination ? distance(e, s, walk) : std::nullopt;
  if (!back)
    return refuse(RefusalId::reads_destination,
                  fmt::format("{} is read elsewhere than some points back along {}", e.name, walk.axis));
  std::vector<ir::Expression> indices = shape.indices;
  for (ir::Expression& index : indices) substitute(index, {{walk.axis, plus(ir::variable(walk.axis), -*back)}});
  e = ir::read(shape.buffer.name, std::move(indices));
  return {};
}

}  // namespace

Outcome<std::string> localize_scan(ir::Block& body, size_t index, const Tile& tile, Environment& environment) {
  auto* statement = index < body.size() ? std::get_if<ir::Statement>(&body[index].node) : nullptr;
  if (statement == nullptr) return refuse(RefusalId::not_a_nest, "no statement stands there");
  const Memory* destination = environment.find(statement->destination);
  if (destination == nullptr) return refuse(RefusalId::unknown_buffer, fmt::format("{} is not known", statement->destination));
  const Outcome<Walk> walk = walk_of(*statement, *destination);
  if (!walk) return std::unexpected(walk.error());
  if (tile.dtype && *tile.dtype != destination->dtype)
    return refuse(RefusalId::dtype_differs, fmt::format("each point of a scan rounds to the {} of {}",
                                                        ir::name(destination->dtype), statement->destination));
  std::vector<std::string> named;
  for (const ir::Axis& axis : statement->axes) named.push_back(axis.name);
  Outcome<TileShape> shape = tile_shape(tile, *statement, named, destination->dtype, environment);
  if (!shape) return std::unexpected(shape.error());

  ir::Expression value = statement->value;
  for (const std::vector<ir::Expression>* list : {&statement->where, &statement->indices})
    for (ir::Expression e : *list)
      if (auto done = redirect(e, *statement, *walk, *destination, *shape, environment); !done)
        return std::unexpected(done.error());
  if (auto done = redirect(value, *statement, *walk, *destination, *shape, environment); !done)
    return std::unexpected(done.error());

  ir::Statement store;
  store.opcode = tile.opcode;
  store.destination = statement->destination;
  store.indices = statement->indices;
  store.value = ir::read(tile.name, shape->indices);
  store.axes = shape->axes;
  store.where = statement->where;
  statement->destination = tile.name;
  statement->indices = shape->indices;
  statement->value = std::move(value);
  environment.declare(shape->buffer);
  const auto at = body.begin() + static_cast<std::ptrdiff_t>(index);
  body.insert(at + 1, ir::Item{std::move(store)});
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(index), ir::Item{std::move(shape->buffer)});
  return tile.name;
}

}  // namespace tileproof::transform
