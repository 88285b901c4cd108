#include "compiler/transform/move_to_loop.h"

#include "compiler/transform/fold.h"
#include "compiler/transform/partial_results.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::transform {
namespace {

using ir::AxisKind;
using ir::Op;

ir::Item* innermost(ir::Item& nest) {
  ir::Item* item = &nest;
  while (auto* loop = std::get_if<ir::Loop>(&item->node)) {
    if (loop->body.size() != 1) return nullptr;
    item = &loop->body.front();
  }
  return std::holds_alternative<ir::Statement>(item->node) ? item : nullptr;
}

std::string called(const ir::Axis& axis) { return fmt::format("the {} axis {}", ir::name(axis.kind), axis.name); }

Outcome<> check_order(const ir::Statement& statement, const ir::Axis& axis) {
  for (const ir::Axis& other : statement.axes) {
    if (other.name == axis.name && axis.kind != AxisKind::reduce) break;
    if (other.kind == AxisKind::seq)
      return refuse(RefusalId::order_would_change, fmt::format("the seq axis {} would run inside of {}", other.name, axis.name));
  }
  return {};
}

Outcome<> check_parallel(const ir::Statement& statement, const ir::Axis& axis, ir::LoopKind kind,
                         const Environment& environment) {
  if (kind == ir::LoopKind::seq) return {};
  if (!statement.clobbers.empty())
    return refuse(RefusalId::shares_bytes,
                  fmt::format("iterations of {} would all clobber {}", axis.name, statement.clobbers.front()));
  const Memory* destination = environment.find(statement.destination);
  if (destination == nullptr) return refuse(RefusalId::unknown_buffer, fmt::format("{} is not known", statement.destination));
  if (ir::bits(destination->dtype) < 8)
    return refuse(RefusalId::shares_bytes,
                  fmt::format("iterations of {} would write parts of one byte of {}", axis.name, statement.destination));
  return {};
}

/// Whether `condition` names `axis` and no other reduce axis.
bool names_alone(const ir::Expression& condition, const ir::Axis& axis, const ir::Statement& statement) {
  const std::set<std::string> names = names_in(condition);
  return names.contains(axis.name) && std::ranges::none_of(statement.axes, [&](const ir::Axis& other) {
           return other.kind == AxisKind::reduce && other.name != axis.name && names.contains(other.name);
         });
}

Outcome<> check_reduce(const ir::Statement& statement, const ir::Axis& axis, const Environment& environment) {
  const Memory* destination = environment.find(statement.destination);
  if (destination == nullptr) return refuse(RefusalId::unknown_buffer, fmt::format("{} is not known", statement.destination));
  if (constant(axis.extent) != 1 && !partials_survive(statement, destination->dtype, environment))
    return refuse(RefusalId::partials_round, fmt::format("partial results of {} would be rounded to the {} of {}", axis.name,
                                                         ir::name(destination->dtype), statement.destination));
  if (!statement.start && !statement.stop) return {};
  if (!is_positive(axis.extent, environment))
    return refuse(RefusalId::may_be_empty, fmt::format("without an iteration of {} nothing would be initialised", axis.name));
  if (std::ranges::any_of(statement.where, [&](const ir::Expression& e) { return names_alone(e, axis, statement); }))
    return refuse(RefusalId::initialises_less, fmt::format("a condition on {} would restrict what is initialised", axis.name));
  return {};
}

Outcome<> check(const ir::Statement& statement, const ir::Axis& axis, ir::LoopKind kind, const Environment& environment) {
  if (axis.kind != AxisKind::parallel && kind != ir::LoopKind::seq)
    return refuse(RefusalId::loop_kind, fmt::format("{} would become a {} loop", called(axis), ir::name(kind)));
  if (const Outcome<> kept = check_order(statement, axis); !kept) return kept;
  if (axis.kind == AxisKind::parallel) return check_parallel(statement, axis, kind, environment);
  if (axis.kind == AxisKind::reduce) return check_reduce(statement, axis, environment);
  return {};
}

}  // namespace

ir::Statement* statement_of_nest(ir::Item& nest) {
  ir::Item* item = innermost(nest);
  return item == nullptr ? nullptr : &std::get<ir::Statement>(item->node);
}

Outcome<> move_to_loop(ir::Item& nest, std::string_view axis_name, ir::LoopKind kind, Environment& environment) {
  ir::Item* item = innermost(nest);
  if (item == nullptr) return refuse(RefusalId::not_a_nest, "this is no perfect nest of loops around one statement");
  auto& statement = std::get<ir::Statement>(item->node);
  const auto at = std::ranges::find(statement.axes, axis_name, &ir::Axis::name);
  if (at == statement.axes.end()) return refuse(RefusalId::no_such_axis, fmt::format("no axis is called {}", axis_name));
  if (const Outcome<> legal = check(statement, *at, kind, environment); !legal) return legal;

  ir::Axis axis = std::move(*at);
  statement.axes.erase(at);
  const ir::Expression variable = ir::variable(axis.name);
  if (axis.kind == AxisKind::reduce) {
    if (statement.start) statement.start->conditions.push_back(compare(Op::equal, variable, number(0)));
    if (statement.stop) statement.stop->conditions.push_back(compare(Op::equal, variable, fold(plus(axis.extent, -1))));
  }
  const auto range = [&](std::string_view name) { return environment.range_of(name); };
  const auto extent = ir::interval(axis.extent, range);
  environment.declare_loop(axis.name, extent ? std::optional(ir::Interval{0, extent->high - 1}) : std::nullopt);
  ir::Loop loop{axis.name, std::move(axis.tags), {ir::integer(0), std::move(axis.extent)}, kind, {}, axis.location};
  loop.body.push_back(std::move(*item));
  *item = ir::Item{std::move(loop)};
  return {};
}

}  // namespace tileproof::transform
