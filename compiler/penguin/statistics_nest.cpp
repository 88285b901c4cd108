#include "compiler/penguin/statistics_nest.h"

#include "compiler/ir/interval.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <set>

namespace tileproof::penguin {
namespace {

using ir::Expression;
using ir::Op;
using transform::binary;
using transform::number;
using transform::plus;
using transform::times;
using Axes = std::vector<ir::Axis>;

constexpr int64_t statistics_of_a_tile = 6;

int64_t extent_of(const ir::Axis& axis) { return transform::constant(axis.extent).value_or(1); }

int64_t product(const ir::Statement& s, const std::vector<size_t>& axes) {
  int64_t all = 1;
  for (const size_t i : axes) all = ir::multiply_saturating(all, extent_of(s.axes[i]));
  return all;
}

class Nest {
 public:
  Nest(const CutSum& sum, const MeanVariance& found, const ir::Block& block, const Tensors& tensors, transform::FreshNames& names)
      : sum_(sum), cut_(sum.cut), found_(found), block_(block), tensors_(tensors), names_(names) {
    for (const size_t i : axes_of(cut_, AxisClass::partition, false)) lanes_.push_back(cut_.axes[i]);
    for (const size_t i : sum_.reduced_loops()) tiles_.push_back(cut_.axes[i]);
    for (const size_t i : axes_of(cut_, AxisClass::free, true)) elements_.push_back(cut_.axes[i]);
    for (const Expression& condition : cut_.where) {
      const bool is_of_lanes = std::ranges::none_of(
          cut_.axes, [&](const ir::Axis& axis) { return axis.kind == ir::AxisKind::reduce && names_axis(condition, axis.name); });
      if (is_of_lanes) valid_lanes_.push_back(condition);
    }
    find_tail();
  }

  ir::Item take() {
    const std::string& x = cut_.value.name;
    tile_ = names_.fresh(x + "t");
    statistics_ = names_.fresh("statistics");
    moments_ = names_.fresh("moments");
    ir::Block inner{
        declared(tile_, tensors_.find(x)->dtype, {number(sum_.width())}), {load()}, {group("bn_stats", statistics())}};
    inner = in_loops(std::move(inner), tiles_);
    std::vector<Expression> of_tiles;
    for (const ir::Axis& axis : tiles_) of_tiles.push_back(axis.extent);
    of_tiles.push_back(number(statistics_of_a_tile));
    ir::Block body{declared(statistics_, ir::Dtype::f32, of_tiles)};
    std::ranges::move(inner, std::back_inserter(body));
    body.push_back(declared(moments_, ir::Dtype::f32, {number(2)}));
    body.push_back({group("bn_aggr", aggregation())});
    results(body);
    Axes kept;
    for (const size_t i : axes_of(cut_, AxisClass::block, false)) kept.push_back(cut_.axes[i]);
    return {ir::Group{names_.fresh("mean_variance"), {}, {{"tiled", {}}}, in_loops(std::move(body), kept), cut_.location}};
  }

 private:
  const CutSum& sum_;
  const ir::Statement& cut_;
  const MeanVariance& found_;
  const ir::Block& block_;
  const Tensors& tensors_;
  transform::FreshNames& names_;
  Axes lanes_, tiles_, elements_;
  std::vector<Expression> valid_lanes_;
  std::string tile_, statistics_, moments_;

  /// Where the last tile is ragged: the loop, and the elements of all its tiles.
  struct Tail {
    std::string loop;
    int64_t all = 0;
  };
  std::optional<Tail> tail_;

  void find_tail() {
    for (const ir::Axis& loop : tiles_) {
      const ir::Tag* tile = find_tag(loop.tags, "tile");
      const ir::Tag* from = find_tag(loop.tags, "from");
      if (tile == nullptr || from == nullptr) continue;
      const auto whole = std::ranges::find(sum_.original.axes, std::get<std::string>(from->value.value), &ir::Axis::name);
      const int64_t each = std::get<int64_t>(tile->value.value), extent = extent_of(*whole);
      if (each * extent_of(loop) != extent) tail_ = Tail{loop.name, sum_.width() / each * extent};
    }
  }

  std::vector<Expression> of_lanes(std::vector<Expression> free) const {
    std::vector<Expression> indices;
    for (const ir::Axis& axis : lanes_) indices.push_back(ir::variable(axis.name));
    if (lanes_.empty()) indices.push_back(number(0));
    std::ranges::move(free, std::back_inserter(indices));
    return indices;
  }

  ir::Item declared(const std::string& name, ir::Dtype dtype, const std::vector<Expression>& free) const {
    ir::Buffer buffer;
    buffer.name = name;
    buffer.dtype = dtype;
    buffer.space = "sbuf";
    for (const ir::Axis& axis : lanes_) buffer.extents.push_back(axis.extent);
    if (lanes_.empty()) buffer.extents.push_back(number(1));
    buffer.partition_rank = buffer.extents.size();
    buffer.extents.insert(buffer.extents.end(), free.begin(), free.end());
    return {std::move(buffer)};
  }

  ir::Statement statement(std::string opcode, std::string destination, std::vector<Expression> indices, Expression value) const {
    ir::Statement s;
    s.opcode = std::move(opcode);
    s.destination = std::move(destination);
    s.indices = std::move(indices);
    s.value = std::move(value);
    s.axes = lanes_;
    s.where = valid_lanes_;
    s.location = cut_.location;
    return s;
  }

  ir::Statement sum_of(std::string opcode, std::string destination, std::vector<Expression> indices, Expression value,
                       const Axes& over) const {
    ir::Statement s = statement(std::move(opcode), std::move(destination), std::move(indices), std::move(value));
    s.update = ir::Update::add;
    s.start = ir::Claim{};
    s.axes.insert(s.axes.end(), over.begin(), over.end());
    return s;
  }

  static ir::Axis reduced(const std::string& name, int64_t extent) {
    ir::Axis axis{name, number(extent), ir::AxisKind::reduce, {}, {}};
    set_class(axis, AxisClass::free);
    return axis;
  }

  static ir::Block in_loops(ir::Block body, const Axes& axes) {
    for (size_t i = axes.size(); i-- > 0;) {
      ir::Loop loop{axes[i].name, axes[i].tags, {number(0), axes[i].extent}, ir::LoopKind::par, std::move(body), {}};
      body = ir::Block{};
      body.push_back({std::move(loop)});
    }
    return body;
  }

  ir::Group group(const std::string& opcode, std::vector<ir::Statement> statements) {
    ir::Block body;
    for (ir::Statement& s : statements) body.push_back({std::move(s)});
    return {
        names_.fresh(opcode == "bn_stats" ? "statistics_of_a_tile" : "aggregation"), opcode, {}, std::move(body), cut_.location};
  }

  ir::Statement load() const {
    Expression place = number(0);
    int64_t stride = sum_.width();
    for (const ir::Axis& axis : elements_) {
      stride /= std::max<int64_t>(extent_of(axis), 1);
      place = plus(std::move(place), times(stride, ir::variable(axis.name)));
    }
    ir::Statement s = statement("load", tile_, of_lanes({std::move(place)}), cut_.value);
    s.where = cut_.where;
    for (ir::Axis axis : elements_) {
      axis.kind = ir::AxisKind::parallel;
      s.axes.push_back(std::move(axis));
    }
    return s;
  }

  /// How many elements the tile of this iteration has.
  Expression count() const {
    const int64_t width = sum_.width();
    if (!tail_) return number(width);
    return binary(Op::min, number(width), binary(Op::subtract, number(tail_->all), times(width, ir::variable(tail_->loop))));
  }

  /// Every second element from `first` on: what is kept of them in three statistics from `first_place` on.
  void half(std::vector<ir::Statement>& statements, int64_t first, int64_t first_place) {
    // An axis of one element would be none to the form of the instruction.
    const int64_t there = (sum_.width() + 1 - first) / 2, extent = std::max<int64_t>(there, 2);
    const Expression halved = transform::fold(binary(Op::floordiv, plus(count(), 1 - first), number(2)));
    const auto place = [&](int64_t which) {
      std::vector<Expression> indices;
      for (const ir::Axis& axis : tiles_) indices.push_back(ir::variable(axis.name));
      indices.push_back(number(first_place + which));
      return of_lanes(std::move(indices));
    };
    const std::string axis = names_.fresh(first == 0 ? "even" : "odd");
    const Expression index = plus(times(2, ir::variable(axis)), first);
    const Expression element = ir::read(tile_, of_lanes({index}));
    const Expression distance = binary(Op::subtract, element, ir::read(statistics_, place(1)));
    statements.push_back(statement("bn_stats", statistics_, place(0), halved));
    for (int64_t which = 1; which <= 2; ++which) {
      Expression value = which == 1 ? binary(Op::divide, element, halved) : binary(Op::multiply, distance, distance);
      ir::Statement s = sum_of("bn_stats", statistics_, place(which), std::move(value), {reduced(axis, extent)});
      if (tail_)
        s.where.push_back(transform::fold(transform::compare(
            Op::less, binary(Op::add, times(sum_.width(), ir::variable(tail_->loop)), index), number(tail_->all))));
      else if (extent > there)
        s.where.push_back(transform::compare(Op::less, index, number(sum_.width())));
      statements.push_back(std::move(s));
    }
  }

  std::vector<ir::Statement> statistics() {
    std::vector<ir::Statement> statements;
    half(statements, 0, 0);
    half(statements, 1, statistics_of_a_tile / 2);
    return statements;
  }

  std::vector<ir::Statement> aggregation() {
    Axes parts;
    for (const ir::Axis& axis : tiles_) parts.push_back(reduced(axis.name, extent_of(axis)));
    parts.push_back(reduced(names_.fresh("half"), 2));
    const auto of_part = [&](int64_t which) {
      std::vector<Expression> indices;
      for (const ir::Axis& axis : tiles_) indices.push_back(ir::variable(axis.name));
      indices.push_back(plus(times(statistics_of_a_tile / 2, ir::variable(parts.back().name)), which));
      return ir::read(statistics_, of_lanes(std::move(indices)));
    };
    Expression all;
    all.value = found_.counts[0];
    const Expression delta = binary(Op::subtract, of_part(1), moment(0));
    const Expression between = binary(Op::multiply, binary(Op::multiply, of_part(0), delta), delta);
    return {
        sum_of("bn_aggr", moments_, of_lanes({number(0)}), binary(Op::divide, binary(Op::multiply, of_part(0), of_part(1)), all),
               parts),
        sum_of("bn_aggr", moments_, of_lanes({number(1)}), binary(Op::divide, binary(Op::add, of_part(2), between), all), parts)};
  }

  Expression moment(int64_t which) const { return ir::read(moments_, of_lanes({number(which)})); }

  void results(ir::Block& body) {
    transform::Bindings split;
    for (size_t dim = 0; dim < cut_.value.operands.size(); ++dim)
      if (const Expression& index = sum_.original.value.operands[dim]; index.op == Op::variable)
        split.emplace(index.name, cut_.value.operands[dim]);
    const auto store = [&](const std::string& destination, std::vector<Expression> indices, Expression value) {
      for (Expression& index : indices) {
        transform::substitute(index, split);
        index = transform::fold(std::move(index));
      }
      body.push_back({statement("store", destination, std::move(indices), std::move(value))});
    };
    store(std::get<ir::Statement>(block_[found_.mean].node).destination, found_.mean_indices, moment(0));
    const std::string& variance = std::get<ir::Statement>(block_[found_.variance].node).destination;
    const ir::Dtype dtype = tensors_.find(variance)->dtype;
    Expression value = found_.value;
    transform::each_read(value, [&](Expression& read) { read = moment(1); });
    if (value.op != Op::read || dtype != ir::Dtype::f32) {
      const std::string tile = names_.fresh(variance + "t");
      body.push_back(declared(tile, dtype, {number(1)}));
      body.push_back({statement("map", tile, of_lanes({number(0)}), std::move(value))});
      value = ir::read(tile, of_lanes({number(0)}));
    }
    store(variance, found_.variance_indices, std::move(value));
  }
};

}  // namespace

std::vector<size_t> CutSum::reduced_loops() const { return axes_of(cut, AxisClass::block, true); }

int64_t CutSum::width() const { return product(cut, axes_of(cut, AxisClass::free, true)); }
int64_t CutSum::tiles() const { return product(cut, reduced_loops()); }
int64_t CutSum::trips() const {
  return ir::multiply_saturating(product(cut, axes_of(cut, AxisClass::block, false)), tiles() + 1);
}

int64_t room_of(const CutSum& sum, const MeanVariance& found, const ir::Block& block, const Tensors& tensors) {
  static constexpr int64_t beyond = int64_t{1} << 60;   // any memory
  const auto bytes = [](int64_t elements, ir::Dtype dtype) {
    return std::min(beyond, ir::multiply_saturating(elements, (ir::bits(dtype) + 7) / 8));
  };
  const std::string& variance = std::get<ir::Statement>(block[found.variance].node).destination;
  return bytes(sum.width(), tensors.find(sum.cut.value.name)->dtype) +
         bytes(ir::multiply_saturating(sum.tiles(), statistics_of_a_tile), ir::Dtype::f32) + bytes(2, ir::Dtype::f32) +
         bytes(1, tensors.find(variance)->dtype);
}

ir::Item statistics_nest(const CutSum& sum, const MeanVariance& found, const ir::Block& block, const Tensors& tensors,
                         transform::FreshNames& names) {
  return Nest(sum, found, block, tensors, names).take();
}

}  // namespace tileproof::penguin
