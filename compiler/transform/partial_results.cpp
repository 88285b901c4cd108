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
    const Interval all{ir::lowest(memory->dtype), ir::highest(memory->dtype)};
    if (!memory->range) return all;
    const auto low = bounds(memory->range->low, statement, environment),
               high = bounds(memory->range->high, statement, environment);
    return low && high && low->low < high->high ? Interval{low->low, high->high - 1} : all;
  }
  if (e.op == Op::literal || e.op == Op::variable) return bounds(e, statement, environment);
  if (ir::is_comparison(e.op)) return Interval{0, 1};
  if (e.op == Op::negate || e.op == Op::abs) {
    const auto a = value_bounds(e.operands[0], statement, environment);
    if (!a) return std::nullopt;
    const Interval negative = ir::negated(*a);
    return e.op == Op::negate ? negative : Interval{std::min(a->low, negative.low), std::max(a->high, negative.high)};
  }
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
  if (!selects) {
    const Memory* destination = environment.find(accumulation.destination);
    const bool wraps_alike =
        accumulation.update != multiply && destination != nullptr && ir::passes_through(accumulate, destination->dtype);
    return dtype == accumulate && (environment.is_wide(dtype) || wraps_alike);
  }
  const auto values = value_bounds(accumulation.value, accumulation, environment);
  return values && std::ranges::all_of(std::initializer_list<Dtype>{dtype, accumulate}, [&](Dtype each) {
           return ir::lowest(each) <= values->low && values->high <= ir::highest(each);
         });
}

}  // namespace tileproof::transform
