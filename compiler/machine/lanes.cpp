#include "compiler/machine/lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::machine {
namespace {

std::optional<int64_t> partition_at(const Operation& operation, size_t access, std::span<const int64_t> point) {
  const Placement& placement = operation.placements[access];
  int64_t number = 0;
  for (size_t d = 0; d < placement.partition_rank; ++d) {
    const auto value = value_at(operation.access(access).indices[d], operation.statement().axes, point, *operation.lookup);
    if (!value) return std::nullopt;
    number = number * placement.extents[d] + *value;
  }
  return number;
}

/// Whether the two partition numbers differ by a constant along the axes that both depend on.
bool in_step(const Operation& operation, size_t left, size_t right) {
  const Form a = partition_form(operation.placements[left]), b = partition_form(operation.placements[right]);
  std::vector<uint32_t> shared;
  for (const Form::Term& term : a.terms) {
    if (b.depends_on(term.axis)) shared.push_back(term.axis);
  }
  if (a.affine && b.affine)
    return std::ranges::all_of(shared, [&](uint32_t axis) { return a.coefficient(axis) == b.coefficient(axis); });
  std::optional<int64_t> distance;
  bool constant = true;
  for_each_point(operation.box, shared, enumeration_limit, [&](std::span<const int64_t> point) {
    const auto from = partition_at(operation, left, point), to = partition_at(operation, right, point);
    if (!from || !to) return;
    if (!distance) distance = *to - *from;
    constant = constant && *to - *from == *distance;
  });
  return constant;
}

}  // namespace

std::optional<Reason> crossing_lanes(const Operation& operation, const Binding& binding, const Formula& formula) {
  if (binding.opcode->any_lane) return std::nullopt;
  std::vector<std::pair<size_t, const Run*>> on_partitions;   // an access, and the letters before its bar
  for (const BoundRole& bound : binding.roles) {
    const auto shape = std::ranges::find_if(formula.shapes, [&](const Shape& s) { return s.role == bound.role && s.has_bar; });
    if (shape != formula.shapes.end()) on_partitions.emplace_back(bound.access, &shape->partition);
  }
  for (size_t i = 0; i < on_partitions.size(); ++i) {
    for (size_t j = i + 1; j < on_partitions.size(); ++j) {
      const auto& [left, left_run] = on_partitions[i];
      const auto& [right, right_run] = on_partitions[j];
      const auto shared = std::ranges::find_if(*left_run, [&](const Letter& letter) {
        return std::ranges::find(*right_run, letter.name, &Letter::name) != right_run->end();
      });
      if (shared == left_run->end() || in_step(operation, left, right)) continue;
      return Reason{Reason::Kind::axes,
                    {},
                    shared->name,
                    operation.access(right).name,
                    &operation.statement(),
                    fmt::format("{} and {} go through their partitions in different orders", operation.access(left).name,
                                operation.access(right).name),
                    "keeps every element in its partition"};
    }
  }
  return std::nullopt;
}

}  // namespace tileproof::machine
