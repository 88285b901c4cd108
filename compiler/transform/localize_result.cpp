#include "compiler/ir/verify.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/partial_results.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"
#include "compiler/transform/tile_shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::transform {
namespace {

using ir::Dtype;
using ir::Op;

struct Nest {
  std::vector<const ir::Loop*> loops;
  std::set<std::string> names;
  ir::Statement* statement = nullptr;
};

Outcome<Nest> nest_at(ir::Block& body, size_t index) {
  Nest nest;
  ir::Item* item = index < body.size() ? &body[index] : nullptr;
  while (auto* loop = item == nullptr ? nullptr : std::get_if<ir::Loop>(&item->node)) {
    if (loop->kind != ir::LoopKind::seq)
      return refuse(RefusalId::loop_kind,
                    fmt::format("the {} loop {} carries no partial results", ir::name(loop->kind), loop->name));
    nest.loops.push_back(loop);
    nest.names.insert(loop->name);
    item = loop->body.size() == 1 ? &loop->body.front() : nullptr;
  }
  if (item != nullptr) nest.statement = std::get_if<ir::Statement>(&item->node);
  if (nest.statement == nullptr) return refuse(RefusalId::not_a_nest, "this is no perfect nest of loops around one statement");
  return nest;
}

/// Whether each condition says that a loop of the nest is in its first (last) iteration.
bool only_says(const ir::Claim& claim, const Nest& nest, bool first) {
  return std::ranges::all_of(claim.conditions, [&](const ir::Expression& condition) {
    return std::ranges::any_of(nest.loops, [&](const ir::Loop* loop) {
      const ir::Expression end = first ? loop->range.low : fold(plus(loop->range.high, -1));
      return condition == compare(Op::equal, ir::variable(loop->name), end);
    });
  });
}

bool holds(Dtype wide, Dtype narrow) {
  if (wide == narrow) return true;
  if (ir::is_float(wide) != ir::is_float(narrow)) return false;
  if (ir::is_float(wide)) return wide == Dtype::f64 || (wide == Dtype::f32 && narrow != Dtype::f64);
  return ir::lowest(wide) <= ir::lowest(narrow) && ir::highest(narrow) <= ir::highest(wide);
}

bool reads_root(const ir::Expression& e, const Memory& destination, const Environment& environment) {
  if (e.op == Op::read) {
    const Memory* memory = environment.find(e.name);
    if (memory == nullptr || memory->root == destination.root) return true;
  }
  return std::ranges::any_of(e.operands, [&](const ir::Expression& o) { return reads_root(o, destination, environment); });
}

Outcome<> check_accesses(const Nest& nest, const Memory& destination, const Environment& environment) {
  const ir::Statement& statement = *nest.statement;
  std::set<std::string> fixed = nest.names;
  for (const ir::Axis& axis : statement.axes) {
    if (axis.kind == ir::AxisKind::seq)
      return refuse(RefusalId::order_would_change, fmt::format("the seq axis {} may write an element more than once", axis.name));
    if (axis.kind == ir::AxisKind::reduce) fixed.insert(axis.name);
  }
  std::vector<const ir::Expression*> parts{&statement.value};
  for (const ir::Expression& e : statement.indices) parts.push_back(&e);
  for (const ir::Expression& e : statement.where) parts.push_back(&e);
  if (std::ranges::any_of(parts, [&](const ir::Expression* e) { return reads_root(*e, destination, environment); }))
    return refuse(RefusalId::reads_destination, fmt::format("the statement reads {}", statement.destination));
  if (std::ranges::any_of(statement.indices, [&](const ir::Expression& e) { return mentions(e, fixed); }))
    return refuse(RefusalId::destination_varies,
                  fmt::format("the indices of {} name a reduce axis or a loop of the nest", statement.destination));
  return {};
}

Outcome<> check_loops(const Nest& nest, bool needs_old_value, const Environment& environment) {
  const ir::Statement& statement = *nest.statement;
  if (statement.stop && !only_says(*statement.stop, nest, false))
    return refuse(RefusalId::starts_elsewhere, "`stop` depends on more than the loops of the nest");
  if (nest.loops.empty()) return {};
  if (statement.update == ir::Update::assign)
    return refuse(RefusalId::not_a_nest, "an assignment in a loop carries no partial results");
  for (const ir::Loop* loop : nest.loops) {
    const ir::Expression trips = fold(binary(Op::subtract, loop->range.high, loop->range.low));
    if (!needs_old_value && !is_positive(trips, environment))
      return refuse(RefusalId::may_be_empty, fmt::format("{} may have no iteration", loop->name));
  }
  std::set<std::string> reduces;
  for (const ir::Axis& axis : statement.axes)
    if (axis.kind == ir::AxisKind::reduce) reduces.insert(axis.name);
  for (const ir::Expression& e : statement.where) {
    if (!mentions(e, reduces) && mentions(e, nest.names))
      return refuse(RefusalId::initialises_less, "a condition on a loop of the nest decides what is initialised");
  }
  return {};
}

}  // namespace

Outcome<std::string> localize_result(ir::Block& body, size_t index, const Tile& tile, Environment& environment,
                                     const std::optional<Tile>& copy, std::string_view load_opcode) {
  const Outcome<Nest> found = nest_at(body, index);
  if (!found) return std::unexpected(found.error());
  const Nest& nest = *found;
  ir::Statement& statement = *nest.statement;
  const Memory* destination = environment.find(statement.destination);
  if (destination == nullptr) return refuse(RefusalId::unknown_buffer, fmt::format("{} is not known", statement.destination));
  if (const Outcome<> legal = check_accesses(nest, *destination, environment); !legal) return std::unexpected(legal.error());

  const bool accumulates = statement.update != ir::Update::assign;
  const bool needs_old_value = accumulates && !(statement.start && only_says(*statement.start, nest, true));
  if (const Outcome<> legal = check_loops(nest, needs_old_value, environment); !legal) return std::unexpected(legal.error());
  const Dtype whole = destination->dtype, accumulate = ir::accumulate_dtype(statement, environment.dtypes());
  const Dtype dtype = tile.dtype.value_or(whole);
  // Integers of an accumulator that counts as narrow wrap in it, and the oracle does not tell that they wrap back.
  const bool is_accumulator = dtype == accumulate && (ir::is_float(accumulate) || environment.is_wide(accumulate));
  if ((dtype != whole && !is_accumulator) || (needs_old_value && !holds(dtype, whole)) ||
      (copy && copy->dtype && *copy->dtype != whole))
    return refuse(RefusalId::dtype_differs, fmt::format("results of {} in {} would not be the {} of {}", ir::name(accumulate),
                                                        ir::name(dtype), ir::name(whole), statement.destination));
  if (!nest.loops.empty() && dtype != whole && !partials_survive(statement, whole, environment))
    return refuse(RefusalId::partials_round, fmt::format("partial results are rounded to the {} of {}, and would not be",
                                                         ir::name(whole), statement.destination));

  std::vector<std::string> named;
  std::set<std::string> reduces;
  for (const ir::Axis& axis : statement.axes) {
    if (axis.kind == ir::AxisKind::reduce)
      reduces.insert(axis.name);
    else
      named.push_back(axis.name);
  }
  Outcome<TileShape> shape = tile_shape(tile, statement, named, dtype, environment);
  if (!shape) return std::unexpected(shape.error());
  std::optional<TileShape> second;
  if (copy) {
    Outcome<TileShape> made = tile_shape(*copy, statement, named, whole, environment);
    if (!made) return std::unexpected(made.error());
    if (copy->name == tile.name) return refuse(RefusalId::bad_name, fmt::format("both tiles would be called {}", tile.name));
    second = *std::move(made);
  }
  for (const TileShape* each : {&*shape, second ? &*second : nullptr}) {
    if (each != nullptr && std::ranges::any_of(each->axes, [&](const ir::Axis& axis) { return reduces.contains(axis.name); }))
      return refuse(RefusalId::axes_differ, "a result has no dim for a reduce axis");
  }

  const auto move = [&](std::string_view opcode, std::string to, std::vector<ir::Expression> at, ir::Expression value,
                        std::vector<ir::Axis> axes) {
    ir::Statement s;
    s.opcode = opcode;
    s.destination = std::move(to);
    s.indices = std::move(at);
    s.value = std::move(value);
    s.axes = std::move(axes);
    for (const ir::Expression& e : statement.where)
      if (!mentions(e, reduces)) s.where.push_back(e);
    return ir::Item{std::move(s)};
  };
  environment.declare(shape->buffer);
  if (second) environment.declare(second->buffer);
  std::vector<ir::Item> before, after;
  before.push_back({std::move(shape->buffer)});
  if (needs_old_value)
    before.push_back(
        move(load_opcode, tile.name, shape->indices, ir::read(statement.destination, statement.indices), shape->axes));
  TileShape* last = &*shape;
  if (second) {
    last = &*second;
    after.push_back({std::move(second->buffer)});
    after.push_back(move(copy->opcode, copy->name, second->indices, ir::read(tile.name, shape->indices), second->axes));
  }
  const std::string& name = second ? copy->name : tile.name;
  after.push_back(move(tile.opcode, std::move(statement.destination), std::move(statement.indices), ir::read(name, last->indices),
                       std::move(last->axes)));

  statement.destination = tile.name;
  statement.indices = std::move(shape->indices);
  if (accumulates && ir::accumulate_dtype(statement, environment.dtypes()) != accumulate) statement.accumulate = accumulate;
  const auto at = body.begin() + static_cast<std::ptrdiff_t>(index);
  body.insert(at + 1, std::make_move_iterator(after.begin()), std::make_move_iterator(after.end()));
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(index), std::make_move_iterator(before.begin()),
              std::make_move_iterator(before.end()));
  return tile.name;
}

}  // namespace tileproof::transform
