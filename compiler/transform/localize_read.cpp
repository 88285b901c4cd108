#include "compiler/transform/fold.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"
#include "compiler/transform/tile_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>

namespace tileproof::transform {
namespace {

using ir::Op;

void collect(const ir::Expression& e, ReadPath& path, std::vector<ReadPath>& paths) {
  if (e.op == Op::read) paths.push_back(path);
  for (size_t i = 0; i < e.operands.size(); ++i) {
    if (e.operands[i].operands.empty()) continue;   // no read: those have indices
    path.push_back(i);
    collect(e.operands[i], path, paths);
    path.pop_back();
  }
}

bool has_read(const ir::Expression& e) { return e.op == Op::read || std::ranges::any_of(e.operands, has_read); }

bool reads_floats(const ir::Expression& e, const Environment& environment) {
  const Memory* memory = e.op == Op::read ? environment.find(e.name) : nullptr;
  if (memory != nullptr && ir::is_float(memory->dtype)) return true;
  return std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return reads_floats(operand, environment); });
}

/// Whether the verifier takes it as a side of a condition, whatever stands for its names. False: not known.
bool is_index(const ir::Expression& e) {
  const auto all = [&] { return std::ranges::all_of(e.operands, is_index); };
  switch (e.op) {
    case Op::literal: return ir::to_integer(e.value).has_value();
    case Op::variable: return true;
    case Op::add:
    case Op::subtract:
    case Op::negate:
    case Op::min:
    case Op::max: return all();
    case Op::multiply: return all() && (constant(e.operands[0]) || constant(e.operands[1]));
    case Op::floordiv:
    case Op::mod: return is_index(e.operands[0]) && constant(e.operands[1]).value_or(0) > 0;
    default: return false;
  }
}

/// What must hold for the arms of `select` on the way to be chosen; nullopt: it cannot be said as comparisons, or the arm may be one that
/// is evaluated always.
std::optional<std::vector<ir::Expression>> arm_conditions(const ir::Statement& statement, const ReadPath& path,
                                                          const Environment& environment) {
  std::vector<ir::Expression> conditions;
  const ir::Expression* e = &statement.value;
  for (const size_t step : path) {
    if (e->op == Op::select && step > 0) {
      const ir::Expression& choice = e->operands[0];
      if (reads_floats(choice, environment)) {  // data: both arms are evaluated
        e = &e->operands[step];
        continue;
      }
      if (!ir::is_comparison(choice.op) || !std::ranges::all_of(choice.operands, is_index)) return std::nullopt;
      static constexpr std::pair<Op, Op> opposites[] = {{Op::less, Op::greater_equal}, {Op::less_equal, Op::greater},
                                                        {Op::greater, Op::less_equal}, {Op::greater_equal, Op::less},
                                                        {Op::equal, Op::not_equal},    {Op::not_equal, Op::equal}};
      conditions.push_back(choice);
      if (step == 2) conditions.back().op = std::ranges::find(opposites, choice.op, &std::pair<Op, Op>::first)->second;
    }
    e = &e->operands[step];
  }
  return conditions;
}

/// The conditions of a load over `shape.axes` of what `statement` reads where `given` hold. `is_exact`: the load reads nothing that the
/// statement would not, since each condition on another axis could be replaced by what it demands of the rest.
struct LoadConditions {
  std::vector<ir::Expression> where;
  bool is_exact = true;
};

class ConditionsOfLoad {
 public:
  ConditionsOfLoad(const ir::Statement& statement, const std::vector<ir::Axis>& axes, const Environment& environment)
      : statement_(statement), environment_(environment) {
    for (const ir::Axis& axis : statement.axes) {
      if (std::ranges::find(axes, axis.name, &ir::Axis::name) != axes.end()) continue;
      others_.push_back(axis.name);
      result_.is_exact &= is_positive(axis.extent, environment);
    }
  }

  /// Of the conditions of all these lists.
  LoadConditions of(std::initializer_list<std::span<const ir::Expression>> given) {
    for (const std::span<const ir::Expression> list : given)
      for (const ir::Expression& condition : list) add(condition);
    return std::move(result_);
  }

 private:
  const ir::Statement& statement_;
  const Environment& environment_;
  std::vector<std::string_view> others_;  // axes of the statement that the load does not have
  std::set<std::string_view> projected_;  // ... and that a condition has named
  LoadConditions result_;

  void add(const ir::Expression& condition) {
    if (!names_other(condition)) {
      result_.where.push_back(condition);
      return;
    }
    for (const std::string_view name : others_)
      if (uses_name(condition, name) && !projected_.insert(name).second) result_.is_exact = false;
    const std::optional<ir::Expression> loosest = projection(condition);
    if (!loosest) {
      result_.is_exact = false;
    } else if (!always(*loosest, statement_, environment_)) {
      result_.where.push_back(*loosest);
    }
  }

  bool names_other(const ir::Expression& e) const {
    return std::ranges::any_of(others_, [&](std::string_view name) { return uses_name(e, name); });
  }

  /// `condition` with each other axis where it is easiest to fulfil: it holds there if it holds anywhere.
  std::optional<ir::Expression> projection(const ir::Expression& condition) const {
    const bool is_upper = condition.op == Op::less || condition.op == Op::less_equal;
    if (!is_upper && condition.op != Op::greater && condition.op != Op::greater_equal) return std::nullopt;
    Bindings easiest;
    const auto difference = linear(binary(Op::subtract, condition.operands[0], condition.operands[1]));
    if (!difference) return std::nullopt;
    for (const Linear::Term& term : difference->terms) {
      if (!names_other(term.atom)) continue;
      if (term.atom.op != Op::variable) return std::nullopt;
      const auto axis = std::ranges::find(statement_.axes, term.atom.name, &ir::Axis::name);
      easiest[axis->name] = (term.factor > 0) == is_upper ? number(0) : plus(axis->extent, -1);
    }
    ir::Expression result = condition;
    substitute(result, easiest);
    return fold(std::move(result));
  }
};

/// Whether one of the conditions says it: the same comparison, or, of an upper bound, with a number that is no greater.
bool is_said(const ir::Expression& comparison, const std::vector<ir::Expression>& conditions) {
  return std::ranges::any_of(conditions, [&](const ir::Expression& each) {
    if (each.op != comparison.op || fold(each.operands[0]) != fold(comparison.operands[0])) return false;
    const auto said = constant(each.operands[1]), asked = constant(comparison.operands[1]);
    return each.operands[1] == comparison.operands[1] || (each.op == Op::less && said && asked && *said <= *asked);
  });
}

/// Of all that is read where `conditions` hold.
bool is_in_bounds(const ir::Expression& read, const ir::Statement& statement, const std::vector<ir::Expression>& conditions,
                  const Environment& environment) {
  const Memory* memory = environment.find(read.name);
  if (memory->extents.size() != read.operands.size()) return false;
  for (size_t i = 0; i < read.operands.size(); ++i) {
    if (has_read(read.operands[i])) return false;
    for (const ir::Expression& wanted :
         {compare(Op::greater_equal, read.operands[i], number(0)), compare(Op::less, read.operands[i], memory->extents[i])})
      if (!always(wanted, statement, environment) && !is_said(wanted, conditions)) return false;
  }
  return true;
}

void replace_all(ir::Expression& e, const ir::Expression& from, const ir::Expression& to) {
  if (e == from) {
    e = to;
    return;
  }
  for (ir::Expression& operand : e.operands) replace_all(operand, from, to);
}

}  // namespace

std::vector<ReadPath> reads_of(const ir::Statement& statement) {
  std::vector<ReadPath> paths;
  ReadPath path;
  collect(statement.value, path, paths);
  return paths;
}

const ir::Expression* read_at(const ir::Statement& statement, const ReadPath& path) {
  const ir::Expression* e = &statement.value;
  for (const size_t step : path) {
    if (step >= e->operands.size()) return nullptr;
    e = &e->operands[step];
  }
  return e->op == Op::read ? e : nullptr;
}

Outcome<std::string> localize_read(ir::Block& body, size_t index, const ReadPath& path, const Tile& tile,
                                   Environment& environment) {
  auto* statement = index < body.size() ? std::get_if<ir::Statement>(&body[index].node) : nullptr;
  if (statement == nullptr) return refuse(RefusalId::not_a_nest, "no statement stands there");
  const ir::Expression* found = read_at(*statement, path);
  if (found == nullptr) return refuse(RefusalId::no_such_read, "no read stands there in the value");
  const ir::Expression& read = *found;
  const Memory* memory = environment.find(read.name);
  const Memory* destination = environment.find(statement->destination);
  if (memory == nullptr || destination == nullptr)
    return refuse(RefusalId::unknown_buffer, fmt::format("{} or {} is not known", read.name, statement->destination));
  const bool widens = tile.dtype && ir::is_float(*tile.dtype) && *tile.dtype != ir::Dtype::f64 &&
                      ir::holds_every_value(*tile.dtype, memory->dtype);
  if (tile.dtype && *tile.dtype != memory->dtype && !(widens && ir::is_float(memory->dtype)))
    return refuse(RefusalId::dtype_differs,
                  fmt::format("{} is {}, not {}", read.name, ir::name(memory->dtype), ir::name(*tile.dtype)));
  const bool shares = memory->root == destination->root || (memory->is_placed && destination->is_placed);
  if (shares && std::ranges::find(statement->axes, ir::AxisKind::seq, &ir::Axis::kind) != statement->axes.end())
    return refuse(RefusalId::reads_destination,
                  fmt::format("later points of the seq axes read what earlier ones wrote to {}", read.name));
  std::vector<std::string> named;
  for (const ir::Axis& axis : statement->axes)
    if (uses_name(read, axis.name)) named.push_back(axis.name);
  Outcome<TileShape> shape = tile_shape(tile, *statement, named, tile.dtype.value_or(memory->dtype), environment);
  if (!shape) return std::unexpected(shape.error());

  const auto arms = arm_conditions(*statement, path, environment);
  const std::span<const ir::Expression> chosen = arms ? std::span(*arms) : std::span<const ir::Expression>{};
  LoadConditions conditions = ConditionsOfLoad(*statement, shape->axes, environment).of({statement->where, chosen});
  if (!(arms && conditions.is_exact) && !is_in_bounds(read, *statement, conditions.where, environment))
    return refuse(RefusalId::out_of_bounds,
                  fmt::format("a load of {} might read beyond what the conditions on other axes allow", read.name));

  ir::Statement load;
  load.opcode = tile.opcode;
  load.destination = tile.name;
  load.indices = shape->indices;
  load.axes = std::move(shape->axes);
  load.where = std::move(conditions.where);
  const ir::Expression local = ir::read(tile.name, std::move(shape->indices));
  ir::Expression* place = &statement->value;
  for (const size_t step : path) place = &place->operands[step];
  load.value = std::exchange(*place, local);
  // Where it stands in an arm, an equal read elsewhere may be evaluated where this one is not.
  if (arms && arms->empty()) replace_all(statement->value, load.value, local);
  environment.declare(shape->buffer);
  std::array<ir::Item, 2> before{ir::Item{std::move(shape->buffer)}, ir::Item{std::move(load)}};
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(index), std::make_move_iterator(before.begin()),
              std::make_move_iterator(before.end()));
  return tile.name;
}

}  // namespace tileproof::transform
