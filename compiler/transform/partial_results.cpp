#include "compiler/transform/partial_results.h"

#include "compiler/ir/verify.h"

#include <algorithm>

namespace tileproof::transform {
namespace {

using ir::Dtype;
using ir::Interval;
using ir::Op;

/// Bounds of a value of integers; nullopt: not known.
std::optional<Interval> value_bounds(const ir::Expression& e, const ir::Statement& statement, const Environment& environment) {
  if (e.op == Op::read) {
    const Memory* memory = environment.find(e.name);
    if (memory == nullptr || ir::is_float(memory->dtype)) return std::nullopt;
    return Interval{ir::lowest(memory->dtype), ir::highest(memory->dtype)};
  }
  if (e.op == Op::literal || e.op == Op::variable) return bounds(e, statement, environment);
  if (ir::is_comparison(e.op)) return Interval{0, 1};
  if (e.operands.size() != 2) return std::nullopt;
  const auto a = value_bounds(e.operands[0], statement, environment), b = value_bounds(e.operands[1], statement, environment);
  return a && b ? ir::combine(e.op, *a, *b) : std::nullopt;
}

}  // namespace

bool partials_survive(const ir::Statement& accumulation, Dtype dtype, const Environment& environment) {
  using enum ir::Update;
  const Dtype accumulate = ir::accumulate_dtype(accumulation, environment.dtypes());
  const bool selects = accumulation.update == max || accumulation.update == min;
  if (ir::is_float(accumulate) != ir::is_float(dtype)) return false;
  if (ir::is_float(dtype)) return selects || (dtype == accumulate && environment.is_wide(dtype));
  if (!selects) return dtype == accumulate && environment.is_wide(dtype);
  const auto values = value_bounds(accumulation.value, accumulation, environment);
  return values && std::ranges::all_of(std::initializer_list<Dtype>{dtype, accumulate}, [&](Dtype each) {
           return ir::lowest(each) <= values->low && values->high <= ir::highest(each);
         });
}

}  // namespace tileproof::transform
