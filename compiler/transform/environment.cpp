#include "compiler/transform/environment.h"

#include "compiler/ir/verify.h"
#include "compiler/transform/each_body.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tileproof::transform {

using ir::Dtype;
using ir::Interval;
using ir::Op;

Environment::Environment(const ir::Program& program) {
  for (const ir::Parameter& parameter : program.parameters) {
    ranges_[parameter.name] = Interval{parameter.low, parameter.high};
    parameters_.insert(parameter.name);
  }
  block(program.body);
}

const Memory* Environment::find(const std::string& name) const {
  const auto found = memory_.find(name);
  return found == memory_.end() || !found->second ? nullptr : &*found->second;
}

std::optional<Interval> Environment::range_of(std::string_view name) const {
  const auto found = ranges_.find(name);
  return found == ranges_.end() ? std::nullopt : found->second;
}

bool Environment::is_wide(Dtype dtype) const {
  switch (dtype) {
    case Dtype::f64:
    case Dtype::i64: return true;
    case Dtype::f32: return !has_f64_;
    case Dtype::i32: return !has_i64_ && !has_u32_ && !has_f64_;
    default: return false;
  }
}

void Environment::declare(const ir::Buffer& buffer) {
  note(buffer.dtype);
  add(buffer.name, {buffer.dtype, buffer.extents, buffer.name, buffer.role, false, buffer.address.has_value(),
                    buffer.role == ir::Role::in ? buffer.range : std::nullopt});
}

void Environment::declare(const ir::View& view) {
  const Memory* base = find(view.base);
  if (base == nullptr) {
    several_.insert(view.name);
    return;
  }
  Memory memory = *base;
  memory.is_view = true;
  memory.extents.clear();
  for (const ir::Axis& dim : view.dims) memory.extents.push_back(dim.extent);
  add(view.name, std::move(memory));
}

void Environment::enter(const ir::Item& item) {
  const auto alone = [this](const auto& declaration) {
    if (!several_.contains(declaration.name)) return;
    memory_.erase(declaration.name);
    declare(declaration);
  };
  if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) alone(*buffer);
  if (const auto* view = std::get_if<ir::View>(&item.node)) alone(*view);
}

void Environment::declare_loop(const std::string& name, std::optional<Interval> values) {
  const auto [at, is_first] = ranges_.try_emplace(name, values);
  if (is_first) return;
  if (!at->second || !values) {
    at->second.reset();
  } else {   // disjoint blocks may use a name twice
    at->second = Interval{std::min(at->second->low, values->low), std::max(at->second->high, values->high)};
  }
}

void Environment::add(const std::string& name, Memory memory) {
  const auto [at, is_first] = memory_.try_emplace(name, std::move(memory));
  if (is_first || at->second == memory) return;   // moved from only where it is the first
  at->second.reset();
  several_.insert(name);
}

void Environment::note(Dtype dtype) {
  has_f64_ |= dtype == Dtype::f64;
  has_i64_ |= dtype == Dtype::i64;
  has_u32_ |= dtype == Dtype::u32;
}

void Environment::expression(const ir::Expression& e) {
  if (e.op == Op::cast) note(e.dtype);
  for (const ir::Expression& operand : e.operands) expression(operand);
}

void Environment::block(const ir::Block& items) {
  for (const ir::Item& item : items) {
    if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) {
      declare(*buffer);
    } else if (const auto* view = std::get_if<ir::View>(&item.node)) {
      declare(*view);
    } else if (const auto* statement = std::get_if<ir::Statement>(&item.node)) {
      expression(statement->value);
      if (statement->update != ir::Update::assign || statement->accumulate) note(ir::accumulate_dtype(*statement, dtypes()));
    } else if (const auto* loop = std::get_if<ir::Loop>(&item.node)) {
      const auto range = [this](std::string_view name) { return range_of(name); };
      const auto low = ir::interval(loop->range.low, range), high = ir::interval(loop->range.high, range);
      declare_loop(loop->name, low && high ? std::optional(Interval{low->low, high->high - 1}) : std::nullopt);
    }
    each_body(item, [this](const ir::Block& body) { block(body); });
  }
}

std::optional<Interval> bounds(const ir::Expression& e, const ir::Statement& statement, const Environment& environment) {
  const auto loops = [&](std::string_view name) { return environment.range_of(name); };
  const auto range = [&](std::string_view name) -> std::optional<Interval> {
    const auto axis = std::ranges::find(statement.axes, name, &ir::Axis::name);
    if (axis == statement.axes.end()) return environment.range_of(name);
    const auto extent = ir::interval(axis->extent, loops);
    return extent ? std::optional(Interval{0, std::max<int64_t>(extent->high - 1, 0)}) : std::nullopt;
  };
  const auto result = ir::interval(e, range);
  // An end at the limit may have wrapped.
  constexpr int64_t least = std::numeric_limits<int64_t>::min(), greatest = std::numeric_limits<int64_t>::max();
  return result && result->low != least && result->high != greatest ? result : std::nullopt;
}

bool always(const ir::Expression& condition, const ir::Statement& statement, const Environment& environment) {
  if (!ir::is_comparison(condition.op)) return false;
  const auto difference =
      bounds(fold(binary(Op::subtract, condition.operands[0], condition.operands[1])), statement, environment);
  if (!difference) return false;
  switch (condition.op) {
    case Op::less: return difference->high < 0;
    case Op::less_equal: return difference->high <= 0;
    case Op::greater: return difference->low > 0;
    case Op::greater_equal: return difference->low >= 0;
    case Op::equal: return difference->low == 0 && difference->high == 0;
    default: return difference->high < 0 || difference->low > 0;
  }
}

bool is_positive(const ir::Expression& extent, const Environment& environment) {
  const auto range = ir::interval(extent, [&](std::string_view name) { return environment.range_of(name); });
  return range && range->low >= 1;
}

}  // namespace tileproof::transform
