#include "compiler/penguin/partition_groups.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/disjoint_sets.h"
#include "compiler/penguin/operation.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_map>

namespace tileproof::penguin {
namespace {

using Key = std::vector<int64_t>;

/// What one side of a nest reads or writes, and how it lies on the partitions.
struct Side {
  Key key;
  std::vector<size_t> others;   ///< axes of the statement that lie on no partition there
};

/// The sides of a statement: one, or two if it changes the layout.
struct Sides {
  NestKind kind = NestKind::normal;
  Side source, destination;
};

Side side_of(const ir::Statement& s, const std::vector<size_t>& axes, const std::vector<size_t>& on_partitions) {
  Side side;
  for (const size_t i : axes) {
    if (std::ranges::find(on_partitions, i) == on_partitions.end())
      side.others.push_back(i);
    else
      side.key.push_back(*axis_group(s.axes[i]));
  }
  std::ranges::sort(side.key);
  side.key.erase(std::ranges::unique(side.key).begin(), side.key.end());
  return side;
}

std::vector<size_t> axes_if(const ir::Statement& s, const auto& holds) {
  std::vector<size_t> axes;
  for (size_t i = 0; i < s.axes.size(); ++i)
    if (holds(s.axes[i])) axes.push_back(i);
  return axes;
}

Sides sides_of(const ir::Statement& s, const Operation& operation) {
  const auto all = axes_if(s, [](const ir::Axis&) { return true; });
  const auto on_partitions = axes_if(s, [](const ir::Axis& axis) { return class_of(axis) == AxisClass::partition; });
  if (operation.kind == OperationKind::contraction) {
    const auto is_reduced = [](const ir::Axis& axis) { return axis.kind == ir::AxisKind::reduce; };
    const auto written = axes_if(s, [&](const ir::Axis& axis) { return !is_reduced(axis); });
    const auto contracted =
        axes_if(s, [&](const ir::Axis& axis) { return is_reduced(axis) && class_of(axis) == AxisClass::partition; });
    return {NestKind::contraction, side_of(s, all, contracted), side_of(s, written, on_partitions)};
  }
  const Side side = side_of(s, all, on_partitions);
  if (s.opcode != "transpose" || operation.kind != OperationKind::elementwise) return {NestKind::normal, side, side};
  const auto free = axes_if(s, [](const ir::Axis& axis) { return class_of(axis) == AxisClass::free; });
  return {NestKind::transposition, side_of(s, all, free), side};
}

/// Whether the statement writes every element of the tensor, and keeps none of the old values.
bool overwrites(const ir::Statement& s, const ir::Buffer& tensor) {
  if (!s.where.empty() || s.indices.size() != tensor.extents.size()) return false;
  if (s.update != ir::Update::assign && (!s.start || !s.start->conditions.empty())) return false;
  std::set<std::string> seen;
  for (size_t dim = 0; dim < s.indices.size(); ++dim) {
    const ir::Expression& index = s.indices[dim];
    const auto axis = std::ranges::find(s.axes, index.name, &ir::Axis::name);
    if (index.op != ir::Op::variable || axis == s.axes.end() || axis->extent != tensor.extents[dim] ||
        !seen.insert(index.name).second)
      return false;
  }
  return true;
}

void collect_reads(const ir::Expression& e, const Tensors& tensors, std::set<const ir::Buffer*>& read) {
  if (e.op == ir::Op::read) read.insert(tensors.find(e.name));
  for (const ir::Expression& operand : e.operands) collect_reads(operand, tensors, read);
}

/// The tensors whose old values the statement depends on.
std::set<const ir::Buffer*> tensors_read(const ir::Statement& s, const Tensors& tensors) {
  std::set<const ir::Buffer*> read;
  collect_reads(s.value, tensors, read);
  for (const std::vector<ir::Expression>* list : {&s.where, &s.indices})
    for (const ir::Expression& e : *list) collect_reads(e, tensors, read);
  if (s.update != ir::Update::assign && (!s.start || !s.start->conditions.empty())) read.insert(tensors.find(s.destination));
  return read;
}

class Analysis {
 public:
  Analysis(const ir::Program& program, const machine::Machine& machine, PartitionGroupsOptions options)
      : options_(options), machine_(machine), statements_(whole_tensor_statements(program)), tensors_(tensors_of(program)) {
    const auto walk = [&](const auto& self, const ir::Block& block, Place place) -> void {
      for (const ir::Item& item : block) {
        if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) declared_.emplace(buffer, declared_.size());
        if (std::holds_alternative<ir::Statement>(item.node)) places_.push_back(place);
        if (const auto* group = std::get_if<ir::Group>(&item.node); group != nullptr && is_open(*group))
          self(self, group->body, place);
        if (const auto* branch = std::get_if<ir::If>(&item.node)) {
          self(self, branch->then_body, {place.loop, false});
          self(self, branch->else_body, {place.loop, false});
        }
        if (const auto* loop = std::get_if<ir::Loop>(&item.node))
          self(self, loop->body, {place.loop == nullptr ? loop : place.loop, false});
      }
    };
    walk(walk, program.body, {});
  }

  PartitionGroups run() {
    result_.nests.resize(statements_.size());
    sides_.resize(statements_.size());
    find_sides();
    unite_sides();
    if (options_.nests_alone) return std::move(result_);
    find_edges();
    find_axis_groups();
    relate();
    color();
    return std::move(result_);
  }

 private:
  const PartitionGroupsOptions options_;
  const machine::Machine& machine_;
  const std::vector<const ir::Statement*> statements_;
  const std::vector<Tensors> tensors_;
  struct Place {
    const ir::Loop* loop = nullptr;   // the outermost one around
    bool is_always_reached = true;    // no loop, which may have no iteration, and no branch
  };
  std::unordered_map<const ir::Buffer*, size_t> declared_;   // the places of the declarations
  std::vector<Place> places_;                                // of the statements
  std::vector<std::optional<Sides>> sides_;
  PartitionGroups result_;

  static size_t node(size_t statement, bool is_destination) { return 2 * statement + (is_destination ? 1 : 0); }

  void find_edges() {
    std::unordered_map<const ir::Buffer*, std::vector<size_t>> writers;   // whose values may still be there
    for (size_t i = 0; i < statements_.size(); ++i) {
      const ir::Statement& s = *statements_[i];
      for (const ir::Buffer* tensor : tensors_read(s, tensors_[i])) {
        if (tensor == nullptr || !(options_.nonlocal_edges || is_local(*tensor))) continue;
        for (const size_t writer : writers[tensor]) result_.edges.push_back({writer, i, tensor});
      }
      const ir::Buffer* written = tensors_[i].find(s.destination);
      if (written == nullptr) continue;
      if (places_[i].is_always_reached && !tensors_[i].is_view(s.destination) && overwrites(s, *written))
        writers[written].clear();
      writers[written].push_back(i);
    }
    // What one iteration writes, a later one reads.
    for (size_t reader = 0; reader < statements_.size(); ++reader) {
      if (places_[reader].loop == nullptr) continue;
      for (const ir::Buffer* tensor : tensors_read(*statements_[reader], tensors_[reader]))
        for (const size_t writer : writers[tensor])
          if (writer >= reader && places_[writer].loop == places_[reader].loop && (options_.nonlocal_edges || is_local(*tensor)))
            result_.edges.push_back({writer, reader, tensor});
    }
    std::ranges::sort(result_.edges, {}, [&](const TensorEdge& edge) {
      return std::array{edge.consumer, edge.producer, declared_.at(edge.tensor)};
    });
    result_.producers.resize(statements_.size());
    result_.consumers.resize(statements_.size());
    for (size_t e = 0; e < result_.edges.size(); ++e) {
      result_.producers[result_.edges[e].consumer].push_back(e);
      result_.consumers[result_.edges[e].producer].push_back(e);
    }
  }

  void find_sides() {
    for (size_t i = 0; i < statements_.size(); ++i) {
      const ir::Statement& s = *statements_[i];
      const bool has_layout =
          is_classified(s) && std::ranges::all_of(s.axes, [](const ir::Axis& axis) { return axis_group(axis).has_value(); });
      const auto operation = operation_of(s, tensors_[i], machine_);
      if (has_layout && operation) sides_[i] = sides_of(s, *operation);
    }
  }

  void unite_sides() {
    DisjointSets sets(2 * statements_.size());
    std::map<std::pair<const ir::Buffer*, Key>, size_t> first;   // of the sides that touch a tensor in a layout
    const auto touch = [&](const ir::Buffer* tensor, size_t statement, bool is_destination) {
      if (tensor == nullptr || !is_local(*tensor)) return;
      const Sides& sides = *sides_[statement];
      const Key& key = (is_destination ? sides.destination : sides.source).key;
      const auto [at, is_new] = first.emplace(std::pair{tensor, key}, node(statement, is_destination));
      if (!is_new) sets.unite(at->second, node(statement, is_destination));
    };
    for (size_t i = 0; i < statements_.size(); ++i) {
      if (!sides_[i]) continue;
      if (sides_[i]->kind == NestKind::normal) sets.unite(node(i, false), node(i, true));
      for (const ir::Buffer* tensor : tensors_read(*statements_[i], tensors_[i])) touch(tensor, i, false);
      touch(tensors_[i].find(statements_[i]->destination), i, true);
    }
    std::unordered_map<size_t, size_t> numbers;   // of the groups, by root
    const auto group_of = [&](size_t statement, bool is_destination) {
      const Sides& sides = *sides_[statement];
      const auto [at, is_new] = numbers.emplace(sets.root(node(statement, is_destination)), result_.groups.size());
      if (is_new) result_.groups.emplace_back().partition = (is_destination ? sides.destination : sides.source).key;
      return at->second;
    };
    for (size_t i = 0; i < statements_.size(); ++i) {
      if (!sides_[i]) continue;
      const Nest nest{sides_[i]->kind, group_of(i, false), group_of(i, true)};
      result_.nests[i] = nest;
      if (nest.kind == NestKind::normal) {
        result_.groups[nest.source].members.push_back(i);
      } else {
        result_.groups[nest.source].sinks.push_back(i);
        result_.groups[nest.destination].sources.push_back(i);
      }
    }
  }

  void find_axis_groups() {
    for (size_t i = 0; i < statements_.size(); ++i) {
      if (!sides_[i]) continue;
      add_others(i, result_.nests[i]->source, sides_[i]->source);
      if (sides_[i]->kind != NestKind::normal) add_others(i, result_.nests[i]->destination, sides_[i]->destination);
      for (const ir::Axis& axis : statements_[i]->axes)
        if (reads_along(*statements_[i], axis.name)) result_.consumer_groups[*axis_group(axis)].insert(result_.nests[i]->source);
    }
    for (PartitionGroup& group : result_.groups)
      group.is_looped_or_reduced = std::ranges::any_of(group.partition, [&](int64_t number) {
        const auto found = group.others.find(number);
        return found != group.others.end() && std::ranges::any_of(found->second, [&](const NestAxis& each) {
                 const ir::Axis& axis = statements_[each.statement]->axes[each.axis];
                 return class_of(axis) == AxisClass::block ? find_tag(axis.tags, "from") == nullptr
                                                           : axis.kind == ir::AxisKind::reduce;
               });
      });
  }

  void add_others(size_t statement, size_t group, const Side& side) {
    for (const size_t axis : side.others)
      result_.groups[group].others[*axis_group(statements_[statement]->axes[axis])].push_back({statement, axis});
  }

  static bool reads_along(const ir::Statement& s, const std::string& axis) {
    const auto indexes = [&](const auto& self, const ir::Expression& e) -> bool {
      return e.op == ir::Op::read
                 ? names_axis(e, axis)
                 : std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return self(self, operand); });
    };
    return indexes(indexes, s.value);
  }

  void relate() {
    const auto join = [&](size_t from, size_t to) {
      if (from != to) result_.relations.emplace(from, to);
    };
    for (const std::optional<Nest>& nest : result_.nests)
      if (nest) join(nest->source, nest->destination);
    for (const TensorEdge& edge : result_.edges) {
      const auto &producer = result_.nests[edge.producer], &consumer = result_.nests[edge.consumer];
      if (producer && consumer) join(producer->destination, consumer->source);
    }
  }

  /// Greedy: the groups with most neighbours first, the earlier one of equals.
  void color() {
    std::vector<std::set<size_t>> neighbours(result_.groups.size());
    for (const auto& [from, to] : result_.relations) neighbours[from].insert(to), neighbours[to].insert(from);
    std::vector<size_t> order(result_.groups.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::greater<>{}, [&](size_t group) { return neighbours[group].size(); });
    std::vector<bool> is_colored(result_.groups.size());
    for (const size_t group : order) {
      std::set<size_t> taken;
      for (const size_t other : neighbours[group])
        if (is_colored[other]) taken.insert(result_.groups[other].color);
      size_t& color = result_.groups[group].color;
      while (taken.contains(color)) ++color;
      is_colored[group] = true;
    }
  }
};

}  // namespace

std::string_view name(NestKind kind) {
  return std::array<std::string_view, 3>{"normal", "contraction", "transposition"}[static_cast<size_t>(kind)];
}

bool is_local(const ir::Buffer& tensor) { return tensor.role == ir::Role::none; }

PartitionGroups partition_groups(const ir::Program& program, const machine::Machine& machine, PartitionGroupsOptions options) {
  return Analysis(program, machine, options).run();
}

}  // namespace tileproof::penguin
