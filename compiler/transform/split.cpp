#include "compiler/transform/split.h"

#include "compiler/ir/reserved.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tileproof::transform {
namespace {

using ir::Op;

constexpr int64_t largest_tile = int64_t{1} << 31;

/// Whether `condition` says that `index` is below `extent`, or below less.
bool implies_below(const ir::Expression& condition, const ir::Expression& index, const ir::Expression& extent) {
  if (condition.op != Op::less || condition.operands[0] != index) return false;
  const ir::Expression& bound = condition.operands[1];
  const std::optional<int64_t> known = constant(bound), wanted = constant(extent);
  return bound == extent || (known && wanted && *known <= *wanted);
}

Outcome<> check_names(const ir::Statement& statement, std::string_view axis, const SplitNames& names) {
  if (names.outer == names.inner) return refuse(RefusalId::bad_name, fmt::format("both axes would be called {}", names.outer));
  for (const std::string& name : {names.outer, names.inner}) {
    if (!ir::is_name(name)) return refuse(RefusalId::bad_name, fmt::format("'{}' is not a name", name));
    if (name != axis && uses_name(statement, name))
      return refuse(RefusalId::bad_name, fmt::format("the statement uses the name {} already", name));
  }
  return {};
}

}  // namespace

Outcome<> split_axis(ir::Statement& statement, std::string_view axis, int64_t tile, const SplitNames& names, SplitWay way) {
  const auto at = std::ranges::find(statement.axes, axis, &ir::Axis::name);
  if (at == statement.axes.end()) return refuse(RefusalId::no_such_axis, fmt::format("no axis is called {}", axis));
  const std::optional<int64_t> extent = constant(at->extent);
  if (tile < 1 || tile > largest_tile) return refuse(RefusalId::bad_tile, fmt::format("a tile of {} elements", tile));
  if (extent && *extent > largest_extent)
    return refuse(RefusalId::bad_tile, fmt::format("an extent of {} elements is beyond 2^62", *extent));
  if (const Outcome<> valid = check_names(statement, axis, names); !valid) return valid;
  const bool divides = tile == 1 || (extent && *extent % tile == 0);
  if (way == SplitWay::interleaved) {
    if (!extent || !divides)
      return refuse(RefusalId::does_not_divide, fmt::format("{} elements do not divide the extent of {}", tile, axis));
    if (at->kind == ir::AxisKind::seq)
      return refuse(RefusalId::order_would_change, fmt::format("{} runs in order, and its elements would be interleaved", axis));
  }

  ir::Axis inner = *at, outer = std::move(*at);
  const std::string whole_name = std::exchange(outer.name, names.outer);
  const ir::Expression whole_extent = outer.extent;
  inner.name = names.inner;
  inner.extent = ir::integer(tile);
  outer.extent =
      extent ? number((*extent + tile - 1) / tile) : fold(binary(Op::floordiv, plus(whole_extent, tile - 1), ir::integer(tile)));
  const ir::Expression o = ir::variable(names.outer), i = ir::variable(names.inner);
  // The other way, an extent of 0 leaves but one of the two.
  const ir::Expression index = way == SplitWay::blocked ? plus(times(tile, o), i) : fold(plus(times(*extent / tile, i), o));
  *at = std::move(inner);
  statement.axes.insert(at, std::move(outer));
  substitute_and_fold(statement, {{whole_name, index}});
  const auto implied = [&](const ir::Expression& condition) { return implies_below(condition, index, whole_extent); };
  if (!divides && std::ranges::none_of(statement.where, implied))
    statement.where.push_back(compare(Op::less, index, whole_extent));
  return {};
}

}  // namespace tileproof::transform
