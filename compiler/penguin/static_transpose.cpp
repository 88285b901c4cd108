#include "compiler/penguin/static_transpose.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/tensor_uses.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/transform/each_body.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace tileproof::penguin {
namespace {

using Order = std::vector<size_t>;   // the dims, as they are to stand

/// An access as the pass sees it.
struct Walk {
  const ir::Statement& statement;
  const std::vector<ir::Expression>& indices;
};

const std::vector<ir::Expression>& indices_of(const TensorAccess& access, const ir::Statement& s) {
  return access.path ? transform::read_at(s, *access.path)->operands : s.indices;
}

class Tensor {
 public:
  Tensor(const TensorUse& use, const LocalLayout& layout, const std::vector<const ir::Statement*>& statements,
         const Extents& extents)
      : layout_(layout), rank_(use.tensor->extents.size()), extents_(extents) {
    for (const TensorAccess& access : use.accesses)
      walks_.push_back({*statements[access.statement], indices_of(access, *statements[access.statement])});
  }

  Order sorted() const {
    Order free, order(rank_);
    std::iota(order.begin(), order.end(), size_t{0});
    for (const size_t dim : order)
      if (!is_on_partitions(dim)) free.push_back(dim);
    std::ranges::stable_sort(free, {}, [&](size_t dim) { return priority(dim); });
    size_t next = 0;
    for (size_t& dim : order)
      if (!is_on_partitions(dim)) dim = free[next++];
    return order;
  }

  /// Elements that are walked with neighbours next to each other, all accesses together, where the dims stand so.
  int64_t unit_strides(const Order& order) const {
    int64_t sum = 0;
    for (const Walk& walk : walks_) {
      std::vector<size_t> tile = axes_of(walk.statement, AxisClass::free, false);
      std::ranges::copy(axes_of(walk.statement, AxisClass::free, true), std::back_inserter(tile));
      int64_t elements = 1;
      std::string innermost;
      for (const ir::Axis& axis : walk.statement.axes)
        elements = ir::multiply_saturating(elements, std::max<int64_t>(1, extents_.largest(axis.extent)));
      for (const size_t i : tile)
        if (extents_.largest(walk.statement.axes[i].extent) > 1 && names(walk, walk.statement.axes[i].name))
          innermost = walk.statement.axes[i].name;
      for (size_t i = order.size(); i-- > 0;) {
        if (takes_no_place(order[i])) continue;
        const auto sum_of = transform::linear(walk.indices[order[i]]);
        const bool is_unit = !innermost.empty() && sum_of && sum_of->factor_of(innermost) == 1;
        if (is_unit)
          sum = elements > std::numeric_limits<int64_t>::max() - sum ? std::numeric_limits<int64_t>::max() : sum + elements;
        break;   // the last one alone
      }
    }
    return sum;
  }

 private:
  const LocalLayout& layout_;
  size_t rank_;
  const Extents& extents_;
  std::vector<Walk> walks_;

  bool is_on_partitions(size_t dim) const { return std::ranges::find(layout_.lanes, dim, &LaneDim::dim) != layout_.lanes.end(); }

  /// Whether nothing of the dim is left behind the bar but its blocks, which stand first.
  bool takes_no_place(size_t dim) const {
    const auto lane = std::ranges::find(layout_.lanes, dim, &LaneDim::dim);
    return lane != layout_.lanes.end() && lane->stride == 1;
  }

  static bool names(const Walk& walk, const std::string& axis) {
    return std::ranges::any_of(walk.indices, [&](const ir::Expression& index) { return names_axis(index, axis); });
  }

  /// Of the axes that walk the dim in a tile, the highest number; -1: none has one.
  int64_t priority(size_t dim) const {
    int64_t highest = -1;
    for (const Walk& walk : walks_)
      for (const ir::Axis& axis : walk.statement.axes)
        if (class_of(axis) == AxisClass::free && names_axis(walk.indices[dim], axis.name))
          highest = std::max(highest, axis_group(axis).value_or(-1));
    return highest;
  }
};

template <class T>
void permute(std::vector<T>& list, const Order& order) {
  std::vector<T> result;
  for (const size_t dim : order) result.push_back(std::move(list[dim]));
  list = std::move(result);
}

void permute_all(ir::Block& body, const std::map<std::string, Order>& orders) {
  const auto change = [&](const std::string& name, std::vector<ir::Expression>& list) {
    if (const auto order = orders.find(name); order != orders.end()) permute(list, order->second);
  };
  for (ir::Item& item : body) {
    if (auto* buffer = std::get_if<ir::Buffer>(&item.node); buffer != nullptr && orders.contains(buffer->name)) {
      LocalLayout layout = *local_layout(*buffer);
      const Order& order = orders.at(buffer->name);
      change(buffer->name, buffer->extents);
      for (LaneDim& lane : layout.lanes) lane.dim = static_cast<size_t>(std::ranges::find(order, lane.dim) - order.begin());
      set_local_layout(*buffer, layout);
    }
    if (auto* s = std::get_if<ir::Statement>(&item.node)) {
      transform::each_read(s->value, [&](ir::Expression& read) { change(read.name, read.operands); });
      change(s->destination, s->indices);
    }
    transform::each_body(item, [&](ir::Block& inner) { permute_all(inner, orders); });
  }
}

std::expected<ir::Program, ir::Diagnostics> run(ir::Program program, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  if ((*machine)->space("sbuf") == nullptr || !has_local_tag(program)) return program;
  const Remarks remarks(program, context);
  const Extents extents(program);
  const std::vector<const ir::Statement*> statements = whole_tensor_statements(std::as_const(program));
  std::map<std::string, Order> orders;
  for (const TensorUse& use : tensor_uses(program, **machine)) {
    const std::optional<LocalLayout> layout = local_layout(*use.tensor);
    if (!layout || use.obstacle) continue;
    const Tensor tensor(use, *layout, statements, extents);
    Order same(use.tensor->extents.size());
    std::iota(same.begin(), same.end(), size_t{0});
    const Order order = tensor.sorted();
    const int64_t before = tensor.unit_strides(same), after = tensor.unit_strides(order);
    if (after <= before) continue;
    orders[use.tensor->name] = order;
    remarks.add(
        *statements[use.accesses.front().statement], "permuted",
        fmt::format("{}: {} of its elements are walked next to each other, and were {}", use.tensor->name, after, before));
  }
  permute_all(program.body, orders);
  return program;
}

}  // namespace

pipeline::Pass static_transpose() {
  return {"static-transpose",
          "lets the dims of tensors on chip follow each other as they are walked",
          "tensors that stay on chip have a layout (the tag `local`)",
          "no order of the free dims by the numbers of their axis groups has more accesses that walk neighbours",
          {},
          {{"permuted", pipeline::RemarkKind::applied, "the dims of a tensor on chip stand in another order"}},
          run};
}

}  // namespace tileproof::penguin
