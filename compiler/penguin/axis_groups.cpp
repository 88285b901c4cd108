#include "compiler/penguin/axis_groups.h"

#include "compiler/penguin/disjoint_sets.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

namespace tileproof::penguin {
namespace {

/// The first axis of an extent that indexes a dimension of a tensor.
struct Indexed {
  size_t dim = 0;
  const ir::Expression* extent = nullptr;
  size_t node = 0;
};

/// The position of the axis that the index of `dim` is, alone. An axis that walks a diagonal is none: it would make one of two dimensions.
std::optional<size_t> plain_index(const ir::Statement& s, const std::vector<ir::Expression>& indices, size_t dim) {
  const ir::Expression& index = indices[dim];
  if (index.op != ir::Op::variable || std::ranges::count(indices, index) > 1) return std::nullopt;
  const auto axis = std::ranges::find(s.axes, index.name, &ir::Axis::name);
  return axis == s.axes.end() ? std::nullopt : std::optional(static_cast<size_t>(axis - s.axes.begin()));
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
  std::unordered_map<const ir::Buffer*, std::vector<Indexed>> indexed;
  const auto access = [&](size_t i, const std::string& tensor, const std::vector<ir::Expression>& indices) {
    if (tensors[i].is_view(tensor)) return;
    std::vector<Indexed>& seen = indexed[tensors[i].find(tensor)];
    for (size_t dim = 0; dim < indices.size(); ++dim) {
      const std::optional<size_t> axis = plain_index(*statements[i], indices, dim);
      if (!axis) continue;
      const ir::Expression& extent = statements[i]->axes[*axis].extent;
      const size_t node = first_nodes[i] + *axis;
      const auto same =
          std::ranges::find_if(seen, [&](const Indexed& each) { return each.dim == dim && *each.extent == extent; });
      if (same == seen.end())
        seen.push_back({dim, &extent, node});
      else
        sets.unite(same->node, node);
    }
  };
  for (size_t i = 0; i < statements.size(); ++i) {
    access(i, statements[i]->destination, statements[i]->indices);
    for (const ir::Expression* read : reads_in(statements[i]->value)) access(i, read->name, read->operands);
  }
  std::vector<std::optional<int64_t>> numbers(nodes);  // by root
  int64_t count = 0;
  std::vector<std::vector<int64_t>> groups;
  for (size_t i = 0; i < statements.size(); ++i) {
    groups.emplace_back();
    for (size_t axis = 0; axis < statements[i]->axes.size(); ++axis) {
      std::optional<int64_t>& number = numbers[sets.root(first_nodes[i] + axis)];
      if (!number) number = count++;
      groups.back().push_back(*number);
    }
  }
  return groups;
}

}  // namespace tileproof::penguin
