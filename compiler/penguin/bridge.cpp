#include "compiler/penguin/bridge.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/instruction_probe.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tileproof::penguin {
namespace {

using ir::Op;
using transform::constant;
using transform::number;

/// Of the only dim on the partitions; one element in one partition where there is none.
int64_t lanes_of(const LocalLayout& layout) { return layout.lanes.empty() ? 1 : layout.lanes.front().lanes; }

bool lies_on(const LocalLayout& layout, size_t dim) { return !layout.lanes.empty() && layout.lanes.front().dim == dim; }

/// Writes the axes of a bridge, dim by dim.
class BridgeAxes {
 public:
  BridgeAxes(const ir::Statement& writer, ir::Statement& fill, transform::FreshNames& names)
      : writer_(writer), fill_(fill), names_(names) {}

  /// The index of a dim that loops.
  ir::Expression looping(size_t dim, int64_t extent) {
    if (extent == 1) return number(0);
    return ir::variable(axis(dim, "", extent, AxisClass::block));
  }
  /// ... of one that lies in tiles of `tile` elements.
  ir::Expression tiled(size_t dim, int64_t extent, int64_t tile, AxisClass axis_class) {
    if (extent == tile) return ir::variable(axis(dim, "", extent, axis_class));
    ir::Expression block = ir::variable(axis(dim, "b", (extent + tile - 1) / tile, AxisClass::block));
    ir::Expression index =
        transform::plus(transform::times(tile, std::move(block)), ir::variable(axis(dim, "", tile, axis_class)));
    if (extent % tile != 0) fill_.where.push_back(transform::compare(Op::less, index, number(extent)));
    return index;
  }

 private:
  const ir::Statement& writer_;
  ir::Statement& fill_;
  transform::FreshNames& names_;

  /// Adds an axis, called as one by which the writer walks the dim.
  std::string axis(size_t dim, const std::string& ending, int64_t extent, AxisClass axis_class) {
    const ir::Axis* model = nullptr;
    for (const ir::Axis& each : writer_.axes)
      if (names_axis(writer_.indices[dim], each.name) && (model == nullptr || class_of(*model) == AxisClass::block))
        model = &each;
    std::string stem = model == nullptr ? "d" : model->name;
    const bool is_taken = std::ranges::find(fill_.axes, stem, &ir::Axis::name) != fill_.axes.end();
    if (model == nullptr || is_taken || !ending.empty()) stem = names_.fresh(stem + ending);
    ir::Axis result{stem, number(extent), ir::AxisKind::parallel, {}, {}};
    set_class(result, axis_class);
    if (const auto group = model == nullptr ? std::nullopt : axis_group(*model)) set_tag(result.tags, "ag", {*group});
    fill_.axes.push_back(std::move(result));
    return stem;
  }
};

}  // namespace

bool is_bridgeable(const Bridge& bridge, const ir::Buffer& tensor, const machine::Machine& machine) {
  const auto is_simple = [](const LocalLayout& layout) {
    return layout.lanes.size() <= 1 && (layout.lanes.empty() || layout.lanes.front().stride == 1);
  };
  const bool turns = !bridge.to.lanes.empty() || !bridge.from.lanes.empty();
  if (!is_simple(bridge.from) || !is_simple(bridge.to) || !turns) return false;
  if (!bridge.from.lanes.empty() && lies_on(bridge.to, bridge.from.lanes.front().dim)) return false;
  const auto is_number = [](const ir::Expression& extent) { return constant(extent).has_value(); };
  return std::ranges::all_of(tensor.extents, is_number) &&
         !transposing_space(machine, tensor.dtype, lanes_of(bridge.from), lanes_of(bridge.to)).empty();
}

bool writes_all(const ir::Statement& s, const ir::Buffer& tensor) {
  std::set<std::string> walked;
  for (size_t dim = 0; dim < s.indices.size(); ++dim) {
    auto sum = transform::linear(s.indices[dim]);
    const std::optional<int64_t> extent = constant(tensor.extents[dim]);
    if (!sum || !extent || sum->constant != 0) return false;
    std::ranges::sort(sum->terms, {}, &transform::Linear::Term::factor);
    int64_t reached = 1;   // elements that the terms so far walk, one after another
    for (const transform::Linear::Term& term : sum->terms) {
      const auto axis = std::ranges::find(s.axes, term.atom.name, &ir::Axis::name);
      if (term.atom.op != Op::variable || axis == s.axes.end() || term.factor != reached || !walked.insert(axis->name).second)
        return false;
      reached = ir::multiply_saturating(reached, constant(axis->extent).value_or(0));
    }
    if (reached < *extent) return false;
  }
  const auto is_reduced = [&](const std::string& name) {
    const auto axis = std::ranges::find(s.axes, name, &ir::Axis::name);
    return axis != s.axes.end() && axis->kind == ir::AxisKind::reduce;
  };
  return std::ranges::all_of(s.where, [&](const ir::Expression& condition) {
    if (std::ranges::any_of(transform::names_in(condition), is_reduced)) return true;
    for (size_t dim = 0; dim < s.indices.size(); ++dim)
      if (condition == transform::compare(Op::less, s.indices[dim], tensor.extents[dim])) return true;
    return false;
  });
}

BridgeStatement bridge_statement(const Bridge& bridge, const ir::Buffer& tensor, const std::string& copy,
                                 const ir::Statement& writer, transform::FreshNames& names) {
  BridgeStatement result{tensor, {}};
  result.copy.name = copy;
  set_local_layout(result.copy, bridge.to);
  ir::Statement& fill = result.fill;
  fill.opcode = "transpose";
  fill.location = writer.location;
  set_tag(fill.tags, "pf");
  BridgeAxes axes(writer, fill, names);
  for (size_t dim = 0; dim < tensor.extents.size(); ++dim) {
    const int64_t extent = *constant(tensor.extents[dim]);
    fill.indices.push_back(lies_on(bridge.from, dim) ? axes.tiled(dim, extent, lanes_of(bridge.from), AxisClass::partition)
                           : lies_on(bridge.to, dim) ? axes.tiled(dim, extent, lanes_of(bridge.to), AxisClass::free)
                                                     : axes.looping(dim, extent));
  }
  fill.destination = copy;
  fill.value = ir::read(tensor.name, fill.indices);
  return result;
}

}  // namespace tileproof::penguin
