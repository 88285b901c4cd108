#include "compiler/penguin/axis_groups.h"

#include "compiler/penguin/disjoint_sets.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace tileproof::penguin {
namespace {

/// Calls `visit(axis, tensor, dim)` for each index that is an axis alone, the destination's first, then those of the reads. An axis that
/// walks a diagonal is none: it would make one of two dimensions.
void each_plain_index(const ir::Statement& s, const std::function<void(size_t, const std::string&, size_t)>& visit) {
  const auto indices = [&](const std::string& tensor, const std::vector<ir::Expression>& list) {
    for (size_t dim = 0; dim < list.size(); ++dim) {
      if (list[dim].op != ir::Op::variable || std::ranges::count(list, list[dim]) > 1) continue;
      const auto axis = std::ranges::find(s.axes, list[dim].name, &ir::Axis::name);
      if (axis != s.axes.end()) visit(static_cast<size_t>(axis - s.axes.begin()), tensor, dim);
    }
  };
  const auto reads = [&](const auto& self, const ir::Expression& e) -> void {
    if (e.op == ir::Op::read) indices(e.name, e.operands);
    for (const ir::Expression& operand : e.operands) self(self, operand);
  };
  indices(s.destination, s.indices);
  reads(reads, s.value);
}

}  // namespace

std::vector<std::vector<int64_t>> axis_groups(std::span<ir::Statement* const> statements, std::span<const Tensors> tensors) {
  std::vector<size_t> first_nodes;
  size_t nodes = 0;
  for (const ir::Statement* s : statements) {
    first_nodes.push_back(nodes);
    nodes += s->axes.size();
  }
  DisjointSets sets(nodes);
  // Of each dimension of a tensor, and each extent of an axis: the first axis that indexes it.
  std::map<std::pair<const ir::Buffer*, size_t>, std::vector<std::pair<const ir::Expression*, size_t>>> indexed;
  for (size_t i = 0; i < statements.size(); ++i) {
    const ir::Statement& s = *statements[i];
    each_plain_index(s, [&](size_t axis, const std::string& tensor, size_t dim) {
      if (tensors[i].is_view(tensor)) return;
      auto& seen = indexed[{tensors[i].find(tensor), dim}];
      const auto same = std::ranges::find_if(seen, [&](const auto& each) { return *each.first == s.axes[axis].extent; });
      if (same == seen.end())
        seen.emplace_back(&s.axes[axis].extent, first_nodes[i] + axis);
      else
        sets.unite(same->second, first_nodes[i] + axis);
    });
  }
  std::map<size_t, int64_t> numbers;  // by root
  std::vector<std::vector<int64_t>> groups;
  for (size_t i = 0; i < statements.size(); ++i) {
    groups.emplace_back();
    for (size_t axis = 0; axis < statements[i]->axes.size(); ++axis)
      groups.back().push_back(numbers.emplace(sets.root(first_nodes[i] + axis), std::ssize(numbers)).first->second);
  }
  return groups;
}

}  // namespace tileproof::penguin
