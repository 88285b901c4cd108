#include "compiler/penguin/ag_ordering.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/extents.h"
#include "compiler/penguin/operation.h"
#include "compiler/penguin/tiling_pass.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace tileproof::penguin {
namespace {

__extension__ using Weight = __int128;

/// The groups that are not placed yet, by what their edges to each other say.
class Unplaced {
 public:
  Unplaced(size_t count, std::span<const OrderingEdge> edges) : groups_(count) {
    Weight removable = 0;
    for (const OrderingEdge& edge : edges)
      if (!edge.is_forced) removable += edge.weight;
    for (const OrderingEdge& edge : edges) {
      const Weight weight = edge.is_forced ? removable + 1 : Weight{edge.weight};
      groups_[edge.low].above.push_back({edge.high, weight, edge.is_forced});
      groups_[edge.high].below.push_back({edge.low, weight, edge.is_forced});
      groups_[edge.low].surplus += weight;
      groups_[edge.high].surplus -= weight;
      ++groups_[edge.low].open_above;
      ++groups_[edge.high].open_below;
      groups_[edge.high].forced_below += edge.is_forced;
    }
    for (size_t i = 0; i < count; ++i) enter(i);
  }

  bool empty() const { return by_surplus_.empty(); }
  // Of equals the lower number stays lower: to order what is in order changes nothing.
  std::optional<size_t> without_above() const { return tops_.empty() ? std::nullopt : std::optional(*tops_.rbegin()); }
  std::optional<size_t> without_below() const { return bottoms_.empty() ? std::nullopt : std::optional(*bottoms_.begin()); }
  size_t with_most_surplus() const { return std::get<2>(*by_surplus_.begin()); }

  void take(size_t group) {
    leave(group);
    for (const Edge& edge : groups_[group].above)
      change(edge.end, [&](Group& each) {
        each.surplus += edge.weight;
        --each.open_below;
        each.forced_below -= edge.is_forced;
      });
    for (const Edge& edge : groups_[group].below)
      change(edge.end, [&](Group& each) {
        each.surplus -= edge.weight;
        --each.open_above;
      });
    groups_[group].is_placed = true;
  }

 private:
  struct Edge {
    size_t end;
    Weight weight;
    bool is_forced;
  };
  struct Group {
    std::vector<Edge> above, below;
    Weight surplus = 0;   // weight of the edges up, less those down
    size_t open_above = 0, open_below = 0, forced_below = 0;
    bool is_placed = false;
  };
  using Rank = std::tuple<bool, Weight, size_t>;   // whether a forced edge would break; the negated surplus; the number
  std::vector<Group> groups_;
  std::set<size_t> tops_, bottoms_;   // nothing above, nothing below
  std::set<Rank> by_surplus_;

  Rank rank(size_t i) const { return {groups_[i].forced_below > 0, -groups_[i].surplus, i}; }

  void enter(size_t i) {
    by_surplus_.insert(rank(i));
    if (groups_[i].open_above == 0) tops_.insert(i);
    if (groups_[i].open_below == 0) bottoms_.insert(i);
  }
  void leave(size_t i) {
    by_surplus_.erase(rank(i));
    tops_.erase(i);
    bottoms_.erase(i);
  }
  template <class Change>
  void change(size_t i, const Change& apply) {
    if (groups_[i].is_placed) return;
    leave(i);
    apply(groups_[i]);
    enter(i);
  }
};

/// One access of a statement: a tensor and the groups of its plain indices along free and looping axes, left to right.
struct Access {
  std::vector<int64_t> groups;
  int64_t bytes = 0;
  bool is_forced = false;
};

class Accesses {
 public:
  Accesses(const ir::Statement& s, const Tensors& tensors, const Extents& extents) : s_(s), tensors_(tensors), extents_(extents) {
    add(s.destination, s.indices, false);
    reads(s.value);
  }
  const std::vector<Access>& list() const { return list_; }

 private:
  const ir::Statement& s_;
  const Tensors& tensors_;
  const Extents& extents_;
  std::vector<Access> list_;

  void reads(const ir::Expression& e) {
    if (e.op == ir::Op::read) add(e.name, e.operands, s_.opcode == "tensor_reduce");
    for (const ir::Expression& operand : e.operands) reads(operand);
  }
  void add(const std::string& tensor, const std::vector<ir::Expression>& indices, bool is_forced) {
    const ir::Buffer* buffer = tensors_.find(tensor);
    if (buffer == nullptr) return;
    Access access{{}, std::max<int64_t>(1, ir::bits(buffer->dtype) / 8), is_forced};
    for (const ir::Expression& index : indices) {
      const auto axis = std::ranges::find(s_.axes, index.name, &ir::Axis::name);
      if (index.op != ir::Op::variable || axis == s_.axes.end()) continue;
      access.bytes = ir::multiply_saturating(access.bytes, extents_.largest(axis->extent));
      const std::optional<int64_t> group = axis_group(*axis);
      if (group && class_of(*axis) != AxisClass::partition && !(std::ranges::find(access.groups, *group) != access.groups.end()))
        access.groups.push_back(*group);
    }
    list_.push_back(std::move(access));
  }
};

std::expected<ir::Program, ir::Diagnostics> run(ir::Program program, const pipeline::Context& context) {
  const std::vector<ir::Statement*> statements = whole_tensor_statements(program);
  const std::vector<Tensors> tensors = tensors_of(program);
  const Extents extents(program);

  std::map<int64_t, size_t> places;   // of the numbers that are there
  for (const ir::Statement* s : statements)
    for (const ir::Axis& axis : s->axes)
      if (const auto group = axis_group(axis)) places.emplace(*group, 0);
  size_t count = 0;
  for (auto& [number, place] : places) place = count++;

  std::vector<OrderingEdge> edges;
  std::vector<size_t> owners;   // the statement of each edge
  for (size_t i = 0; i < statements.size(); ++i) {
    const Accesses accesses(*statements[i], tensors[i], extents);
    for (const Access& access : accesses.list()) {
      for (size_t k = 1; k < access.groups.size(); ++k) {
        edges.push_back({places.at(access.groups[k - 1]), places.at(access.groups[k]), access.bytes, access.is_forced});
        owners.push_back(i);
      }
    }
  }
  const std::vector<size_t> order = order_axis_groups(count, edges);
  std::vector<int64_t> numbers(count);
  for (size_t rank = 0; rank < order.size(); ++rank) numbers[order[rank]] = static_cast<int64_t>(rank);

  for (ir::Statement* s : statements)
    for (ir::Axis& axis : s->axes)
      if (const auto group = axis_group(axis)) set_tag(axis.tags, "ag", {numbers[places.at(*group)]});
  std::optional<Remarks> remarks;           // few programs have one
  std::set<std::pair<size_t, bool>> told;   // once for each statement
  for (size_t e = 0; e < edges.size(); ++e) {
    const OrderingEdge& edge = edges[e];
    const int64_t low = numbers[edge.low], high = numbers[edge.high];
    if (low <= high || !told.emplace(owners[e], edge.is_forced).second) continue;
    if (!remarks) remarks.emplace(program, context);
    remarks->add(*statements[owners[e]], edge.is_forced ? "broken-forced" : "broken",
                 fmt::format("an access has ag {} to the left of ag {}", low, high));
  }
  return program;
}

}  // namespace

std::vector<size_t> order_axis_groups(size_t count, std::span<const OrderingEdge> edges) {
  if (edges.empty()) {
    std::vector<size_t> as_they_are(count);
    std::iota(as_they_are.begin(), as_they_are.end(), size_t{0});
    return as_they_are;
  }
  Unplaced unplaced(count, edges);
  std::vector<size_t> low, high;   // from the two ends towards the middle
  while (!unplaced.empty()) {
    if (const auto top = unplaced.without_above()) {
      high.push_back(*top);
      unplaced.take(*top);
    } else {
      const size_t next = unplaced.without_below().value_or(unplaced.with_most_surplus());
      low.push_back(next);
      unplaced.take(next);
    }
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

pipeline::Pass ag_ordering() {
  using enum pipeline::RemarkKind;
  return {"ag-ordering",
          "puts all axis groups into one order, by which cuts decide what stays in the tile",
          "axes have classes and axis groups",
          "the number of an axis group is its priority: the highest stays in the tile longest",
          {},
          {{"broken", applied, "an access has its axes in the other order"},
           {"broken-forced", applied, "... and cannot be walked in this one without a transpose"}},
          run};
}

}  // namespace tileproof::penguin
