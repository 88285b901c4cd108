#include "fuzz/retile/localize.h"

#include "oracle/domain/rounding.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::Dtype;
using ir::Op;

Tile TileMaker::declare(ir::Block& out, Dtype dtype, const std::vector<ir::Axis>& axes) {
  Tile tile;
  std::vector<ir::Expression> extents;
  for (const ir::Axis& axis : axes) {
    tile.indices.push_back(ir::variable(axis.name));
    extents.push_back(axis.extent);
  }
  if (extents.empty()) {
    tile.indices.push_back(ir::integer(0));
    extents.push_back(ir::integer(1));
  }
  tile.name = declare_extents(out, dtype, std::move(extents));
  return tile;
}

std::string TileMaker::declare_extents(ir::Block& out, Dtype dtype, std::vector<ir::Expression> extents) {
  Choices& choices = context_.scene.choices;
  ir::Buffer buffer;
  buffer.name = context_.scene.fresh("t");
  buffer.dtype = dtype;
  buffer.space = choices.chance(80) ? "sbuf" : "psum";
  if (extents.size() > 1 && choices.chance(60)) {
    context_.rewritings.insert("partitions");
    buffer.partition_rank = 1 + choices.below(extents.size() - 1);
  }
  if (choices.chance(40)) {
    context_.rewritings.insert("address");
    int64_t elements = 1;   // no less than what lies in any partition, whatever the parameters are
    for (const ir::Expression& extent : extents) elements *= constant(extent).value_or(8);
    buffer.address = ir::Address{ir::integer(0), ir::integer(context_.scene.allocate(buffer.space, bytes_of(dtype, elements)))};
  }
  buffer.extents = std::move(extents);
  context_.workload.buffers[buffer.name] = buffer;
  std::string name = buffer.name;
  out.push_back({std::move(buffer)});
  return name;
}

/// Another dtype of the same class that holds all its values and leaves the dtype of the statement's sum as it is.
Dtype Localizer::tile_dtype(Dtype dtype) {
  if (!choices_.chance(25)) return dtype;
  const Workload& workload = context_.workload;
  if (ir::is_float(dtype)) return workload.has_f64 || dtype == Dtype::f64 ? dtype : Dtype::f32;
  if (dtype == Dtype::boolean || ir::bits(dtype) > 16 || workload.has_wide_integer) return dtype;
  const Dtype wider = choices_.chance(50) && oracle::contains(Dtype::i16, dtype) ? Dtype::i16 : Dtype::i32;
  context_.rewritings.insert("wider tile");
  return wider;
}

size_t Localizer::depth_of(const std::set<std::string>& names) const {
  size_t depth = 0;
  for (size_t i = 0; i < loops_.size(); ++i)
    if (names.contains(loops_[i])) depth = i + 1;
  for (const std::string& name : names)
    if (const auto tile = depths_.find(name); tile != depths_.end()) depth = std::max(depth, tile->second);
  return depth;
}

void Localizer::operands(ir::Statement& statement, size_t depth) {
  each_read(statement.value, [&](ir::Expression& read) {
    // What the statement or the one before has just computed is local already.
    const bool is_tile = context_.workload.buffers.at(read.name).space != "dram";
    if (is_tile || !choices_.chance(40)) return;
    context_.rewritings.insert("localize operand");
    if (!(choices_.chance(40) && window(read, statement, depth))) points(read, statement, depth);
  });
}

/// A tile with an element for each point of the axes that the read names.
void Localizer::points(ir::Expression& read, const ir::Statement& statement, size_t depth) {
  std::set<std::string> names = names_in(read), axis_names;
  std::vector<ir::Axis> axes;
  for (const ir::Axis& axis : statement.axes) {
    if (!names.contains(axis.name)) continue;
    axes.push_back({axis.name, axis.extent, ir::AxisKind::parallel, {}, {}});
    axis_names.insert(axis.name);
  }
  choices_.shuffle(axes);
  ir::Statement load;
  for (const ir::Expression& e : statement.where) {
    // A condition of other axes says nothing about what is read here; one of no axis holds where the statement has points.
    std::set<std::string> others = names_in(e);
    const bool concerns = std::ranges::any_of(axis_names, [&](const std::string& name) { return others.contains(name); });
    const bool has_other_axis = std::ranges::any_of(
        statement.axes, [&](const ir::Axis& axis) { return others.contains(axis.name) && !axis_names.contains(axis.name); });
    const bool is_loop_tail =
        !std::ranges::any_of(statement.axes, [&](const ir::Axis& axis) { return others.contains(axis.name); });
    if ((!concerns || has_other_axis) && !is_loop_tail) continue;
    load.where.push_back(e);
    names.insert(others.begin(), others.end());
  }
  const size_t earliest = depth_of(names), at = choices_.chance(50) ? earliest : depth;
  if (at < depth) context_.rewritings.insert("hoist");
  const Dtype type = tile_dtype(context_.workload.buffers.at(read.name).dtype);
  const Tile tile = TileMaker(context_).declare(before_[at], type, axes);
  depths_[tile.name] = at;
  load.opcode = "load";
  load.destination = tile.name;
  load.indices = tile.indices;
  load.value = std::move(read);
  load.axes = std::move(axes);
  before_[at].push_back({std::move(load)});
  read = ir::read(tile.name, tile.indices);
}

namespace {

/// e = base + factor * axis + ...: base names no axis. Only sums, differences and products with literals.
struct Affine {
  ir::Expression base = ir::integer(0);
  std::map<std::string, int64_t> factors;
  bool valid = true;
};

Affine affine(const ir::Expression& e, const std::set<std::string>& axes) {
  if (!mentions(e, axes)) return {e, {}, true};
  if (e.op == Op::variable) return {ir::integer(0), {{e.name, 1}}, true};
  Affine result{{}, {}, false};
  if (e.op == Op::add || e.op == Op::subtract) {
    Affine a = affine(e.operands[0], axes), b = affine(e.operands[1], axes);
    const int64_t sign = e.op == Op::add ? 1 : -1;
    for (const auto& [name, factor] : b.factors) a.factors[name] += sign * factor;
    a.base = constant(b.base) == 0 ? a.base : sign > 0 ? plus(a.base, b.base) : binary(Op::subtract, a.base, b.base);
    a.valid &= b.valid;
    return a;
  }
  if (e.op != Op::multiply) return result;
  const std::optional<int64_t> by = constant(e.operands[0]);
  if (!by) return result;
  result = affine(e.operands[1], axes);
  result.base = times(*by, result.base);
  for (auto& [name, factor] : result.factors) factor *= *by;
  return result;
}

}  // namespace

/// A tile with an element for each element of the smallest box that the axes reach: neighbours share what they read. False: the
/// indices are not such that a box is evident.
bool Localizer::window(ir::Expression& read, const ir::Statement& statement, size_t depth) {
  const ir::Buffer& source = context_.workload.buffers.at(read.name);
  std::set<std::string> axes;
  std::map<std::string, int64_t> extents;
  for (const ir::Axis& axis : statement.axes) {
    axes.insert(axis.name);
    if (constant(axis.extent)) extents[axis.name] = *constant(axis.extent);
  }
  std::vector<Affine> forms;
  for (const ir::Expression& index : read.operands) {
    forms.push_back(affine(index, axes));
    if (!forms.back().valid) return false;
    for (const auto& [name, factor] : forms.back().factors)
      if (factor <= 0 || !extents.contains(name)) return false;
  }
  ir::Statement load;
  std::vector<ir::Expression> tile_extents, local;
  std::set<std::string> names;
  load.value = ir::read(read.name, {});
  for (const ir::Expression& e : statement.where) {   // a tail of loops alone: without it there may be nothing at the base
    if (mentions(e, axes)) continue;
    load.where.push_back(e);
    names.merge(names_in(e));
  }
  for (size_t i = 0; i < forms.size(); ++i) {
    int64_t width = 1;
    ir::Expression inside = ir::integer(0);
    for (const auto& [name, factor] : forms[i].factors) {
      width += factor * (extents.at(name) - 1);
      inside = plus(times(factor, ir::variable(name)), inside);
    }
    if (width > 64) return false;
    const std::string axis = context_.scene.fresh("w");
    const ir::Expression element = plus(forms[i].base, ir::variable(axis));
    load.axes.push_back({axis, ir::integer(width), ir::AxisKind::parallel, {}, {}});
    load.indices.push_back(ir::variable(axis));
    load.value.operands.push_back(element);
    load.where.push_back(compare(Op::less, element, source.extents[i]));
    tile_extents.push_back(ir::integer(width));
    local.push_back(std::move(inside));
    names.merge(names_in(forms[i].base));
  }
  context_.rewritings.insert("window");
  const size_t earliest = depth_of(names), at = choices_.chance(50) ? earliest : depth;
  if (at < depth) context_.rewritings.insert("hoist");
  load.opcode = "load";
  load.destination = TileMaker(context_).declare_extents(before_[at], tile_dtype(source.dtype), std::move(tile_extents));
  depths_[load.destination] = at;
  read = ir::read(load.destination, std::move(local));
  before_[at].push_back({std::move(load)});
  return true;
}

}  // namespace tileproof::fuzz
