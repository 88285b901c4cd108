#include "compiler/penguin/partition_reduction.h"

#include "compiler/ir/verify.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/upper_bound.h"
#include "compiler/transform/partial_results.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace tileproof::penguin {
namespace {

struct Word {
  std::string_view name, meaning;
};
constexpr std::array<Word, unsplittable_count> words{{
    {"goes-on", "the reduction does not begin anew everywhere, reads what it writes, or claims when it is complete"},
    {"named-axis", "the value is made of an axis, as that of an arg-reduction is, and not of tensors alone"},
    {"varying-extent", "an extent is no number, or an axis has no element"},
    {"masked-lanes", "a condition would let out the first lanes of a stage, or other lanes in each column"},
    {"rounded-partials", "partial results would be rounded where the reduction rounds once"},
    {"mixed-partitions", "another axis lies on the partitions as well"},
}};

/// Outside of what indexes a tensor.
bool computes_with(const ir::Expression& e, const std::set<std::string>& axes) {
  if (e.op == ir::Op::variable) return axes.contains(e.name);
  return e.op != ir::Op::read &&
         std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return computes_with(operand, axes); });
}

bool names_one_of(const ir::Expression& e, const std::set<std::string>& names) { return transform::mentions(e, names); }

/// The axes of a reduction by what conditions may say of them.
struct Axes {
  std::set<std::string> all, reduced, reduced_inside, parallel, free;

  Axes(const ir::Statement& s, std::string_view lanes) {
    for (const ir::Axis& axis : s.axes) {
      const bool is_free = class_of(axis).value_or(AxisClass::free) == AxisClass::free && axis.name != lanes;
      const bool is_reduced = axis.kind == ir::AxisKind::reduce;
      all.insert(axis.name);
      (is_reduced ? reduced : parallel).insert(axis.name);
      if (is_free) (is_reduced ? reduced_inside : free).insert(axis.name);
    }
  }
};

/// Whether the stages are legal under the conditions (partition_reduction.h).
bool are_harmless(const ir::Statement& s, const std::string& lanes) {
  const Axes axes(s, lanes);
  std::set<std::string> others = axes.reduced;
  others.erase(lanes);
  const std::set<std::string> masked = masked_columns(s);
  const bool is_cut = is_classified(s);
  if (masked.size() > 1 || (!masked.empty() && !is_cut && axes.free.size() > 1)) return false;
  return std::ranges::all_of(s.where, [&](const ir::Expression& condition) {
    const auto bounds_above = [&] {
      return is_upper_bound(
          condition, [](const std::string&) { return true; }, [&](const std::string& name) { return axes.all.contains(name); });
    };
    if (names_one_of(condition, {lanes}))
      return bounds_above() && !names_one_of(condition, axes.parallel) &&
             (!names_one_of(condition, others) || names_one_of(condition, axes.reduced_inside));
    return names_one_of(condition, axes.reduced) || !names_one_of(condition, axes.parallel) || bounds_above();
  });
}

}  // namespace

std::string_view name(Unsplittable reason) { return words[static_cast<size_t>(reason)].name; }
std::string_view meaning(Unsplittable reason) { return words[static_cast<size_t>(reason)].meaning; }

std::set<std::string> masked_columns(const ir::Statement& s) {
  const Axes axes(s, "");
  std::set<std::string> masked;
  for (const ir::Expression& condition : s.where) {
    if (names_one_of(condition, axes.reduced)) continue;
    for (const std::string& axis : axes.free)
      if (names_one_of(condition, {axis})) masked.insert(axis);
  }
  return masked;
}

std::optional<Unsplittable> unsplittable(const ir::Statement& s, std::string_view axis, const Tensors& tensors,
                                         const transform::Environment& environment, const machine::Machine& machine) {
  for (const ir::Axis& each : s.axes)
    if (each.name != axis && class_of(each) == AxisClass::partition) return Unsplittable::mixed_partitions;
  if (!s.start || !s.start->conditions.empty() || s.stop || names_one_of(s.value, {s.destination})) return Unsplittable::goes_on;
  const bool varies =
      std::ranges::any_of(s.axes, [](const ir::Axis& each) { return transform::constant(each.extent).value_or(0) < 1; });
  if (varies) return Unsplittable::varying_extent;
  if (computes_with(s.value, Axes(s, axis).all)) return Unsplittable::named_axis;
  if (!are_harmless(s, std::string(axis))) return Unsplittable::masked_partitions;
  const ir::Dtype accumulate = ir::accumulate_dtype(s, tensors.dtypes());
  if (!transform::partials_survive(s, accumulate, environment) || !takes(machine, accumulate))
    return Unsplittable::rounded_partials;
  return std::nullopt;
}

}  // namespace tileproof::penguin
