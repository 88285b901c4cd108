#include "compiler/transform/rfactor.h"

#include "compiler/ir/verify.h"
#include "compiler/transform/partial_results.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/tile_shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::transform {
namespace {

using ir::AxisKind;

Outcome<> check(const ir::Statement& statement, const Memory& destination, ir::Dtype accumulate, const Environment& environment) {
  std::set<std::string> reduces;
  for (const ir::Axis& axis : statement.axes) {
    if (axis.kind == AxisKind::seq)
      return refuse(RefusalId::order_would_change, fmt::format("the seq axis {} orders the points", axis.name));
    if (axis.kind == AxisKind::reduce) reduces.insert(axis.name);
  }
  std::set<std::string> names = names_in(statement.value);
  for (const auto* list : {&statement.indices, &statement.where})
    for (const ir::Expression& e : *list) names.merge(names_in(e));
  for (const std::string& name : names) {
    const Memory* memory = environment.find(name);
    if (memory != nullptr && (memory->root == destination.root || (memory->is_placed && destination.is_placed)))
      return refuse(RefusalId::reads_destination, fmt::format("the statement reads {}", name));
  }
  if (std::ranges::any_of(statement.indices, [&](const ir::Expression& e) { return mentions(e, reduces); }))
    return refuse(RefusalId::destination_varies, "the indices of the destination name a reduce axis");
  if (!partials_survive(statement, accumulate, environment))
    return refuse(RefusalId::partials_round, fmt::format("partial results would be rounded to {}", ir::name(accumulate)));
  return {};
}

}  // namespace

Outcome<> rfactor(ir::Block& body, size_t index, std::string_view axis_name, const Partial& partial, Environment& environment) {
  auto* statement = index < body.size() ? std::get_if<ir::Statement>(&body[index].node) : nullptr;
  if (statement == nullptr) return refuse(RefusalId::not_a_nest, "no statement stands there");
  const auto at = std::ranges::find(statement->axes, axis_name, &ir::Axis::name);
  if (at == statement->axes.end() || at->kind != AxisKind::reduce)
    return refuse(RefusalId::no_such_axis, fmt::format("no reduce axis is called {}", axis_name));
  const Memory* destination = environment.find(statement->destination);
  if (destination == nullptr) return refuse(RefusalId::unknown_buffer, fmt::format("{} is not known", statement->destination));
  const ir::Dtype accumulate = ir::accumulate_dtype(*statement, environment.dtypes());
  if (const Outcome<> legal = check(*statement, *destination, accumulate, environment); !legal) return legal;
  const std::string axis = at->name;
  std::vector<std::string> dims{axis};
  std::set<std::string> others;   // reduce axes
  for (const ir::Axis& each : statement->axes) {
    if (each.kind != AxisKind::reduce) dims.push_back(each.name);
    if (each.kind == AxisKind::reduce && each.name != axis) others.insert(each.name);
  }
  const Tile tile{.name = partial.name, .space = partial.space, .opcode = partial.opcode};
  Outcome<TileShape> shape = tile_shape(tile, *statement, dims, accumulate, environment);
  if (!shape) return std::unexpected(shape.error());

  ir::Statement merge = *statement;
  merge.opcode = partial.opcode;
  merge.value = ir::read(partial.name, shape->indices);
  std::erase_if(merge.axes, [&](const ir::Axis& each) { return others.contains(each.name); });
  std::erase_if(merge.where, [&](const ir::Expression& e) { return mentions(e, others); });
  merge.clobbers.clear();
  environment.declare(shape->buffer);
  if (ir::accumulate_dtype(merge, environment.dtypes()) != accumulate) merge.accumulate = accumulate;
  at->kind = AxisKind::parallel;
  statement->destination = partial.name;
  statement->indices = std::move(shape->indices);
  statement->start = ir::Claim{};
  statement->stop.reset();
  if (ir::accumulate_dtype(*statement, environment.dtypes()) != accumulate) statement->accumulate = accumulate;
  const auto place = body.begin() + static_cast<std::ptrdiff_t>(index);
  body.insert(body.insert(place + 1, ir::Item{std::move(merge)}) - 1, ir::Item{std::move(shape->buffer)});
  return {};
}

}  // namespace tileproof::transform
