#include "fuzz/generate/graph.h"

#include "fuzz/generate/graph_flatten.h"
#include "fuzz/generate/graph_norm.h"
#include "fuzz/generate/graph_operand.h"
#include "fuzz/generate/graph_tags.h"
#include "fuzz/generate/terms.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::fuzz {

using ir::Dtype;
using ir::Op;

namespace {

/// A value, and the static type of it.
struct Operand {
  ir::Expression value;
  bool is_float = true;
};

/// Of 100 operations.
constexpr std::pair<GraphOperation, uint64_t> weights[] = {
    {GraphOperation::map, 38}, {GraphOperation::reduce, 29}, {GraphOperation::matmul, 18}, {GraphOperation::transpose, 6},
    {GraphOperation::copy, 4}, {GraphOperation::gather, 3},  {GraphOperation::scan, 2}};

class GraphWriter {
 public:
  GraphWriter(Choices& choices, const Budgets& budgets, const GraphOptions& options)
      : choices_(choices), budgets_(budgets), options_(options), operands_(choices, budgets, options.most_points) {
    dtype_ = choices_.pick({Dtype::f32, Dtype::bf16, Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::bf16, Dtype::e4m3, Dtype::i32});
    const bool only_products = std::ranges::count(options_.only, GraphOperation::matmul) == std::ssize(options_.only);
    if (!options_.only.empty() && only_products && !ir::is_float(dtype_)) dtype_ = Dtype::f32;
  }

  ir::Program take() {
    for (int count = std::min(draw_count(), options_.most_operations); count > 0; --count) operation();
    ir::Program program;
    program.name = "graph";
    program.body.reserve(operands_.tensors.size() + statements_.size());
    for (const GraphTensor& tensor : operands_.tensors) program.body.push_back({buffer_of(tensor)});
    tag_axes(statements_, choices_);
    if (options_.draws_groups) {
      std::ranges::move(grouped(std::move(statements_), choices_), std::back_inserter(program.body));
    } else {
      for (ir::Statement& statement : statements_) program.body.push_back({std::move(statement)});
    }
    flatten_dims(program, choices_, 4);
    return program;
  }

 private:
  Choices& choices_;
  const Budgets budgets_;
  const GraphOptions& options_;
  GraphOperands operands_;
  Dtype dtype_ = Dtype::f32;   // of most inputs
  std::vector<ir::Statement> statements_;

  /// Three on average.
  int draw_count() {
    const uint64_t form = choices_.below(100);
    if (form >= 92) return static_cast<int>(choices_.between(6, 12));
    return form < 22 ? 1 : form < 48 ? 2 : form < 72 ? 3 : form < 84 ? 4 : 5;
  }

  ir::Buffer buffer_of(const GraphTensor& tensor) {
    ir::Buffer buffer;
    buffer.name = tensor.name;
    buffer.dtype = tensor.dtype;
    buffer.extents.reserve(tensor.dims.size());
    for (const int64_t dim : tensor.dims) buffer.extents.push_back(ir::integer(dim));
    buffer.space = "dram";
    if (!tensor.is_result)
      buffer.role = ir::Role::in;
    else if (tensor.begins_with_input)
      buffer.role = ir::Role::inout;
    else if (tensor.readers == 0 || choices_.chance(12))
      buffer.role = ir::Role::out;
    // How 32-bit sums wrap is no question for a tiler.
    if (ir::is_integer(tensor.dtype) && buffer.role != ir::Role::out && buffer.role != ir::Role::none)
      buffer.range =
          tensor.indexes > 0 ? ir::Range{ir::integer(0), ir::integer(tensor.indexes)} : ir::Range{number(-8), ir::integer(9)};
    if (buffer.role == ir::Role::inout) buffer.range.reset();   // what is stored there is not within such bounds
    return buffer;
  }

  // ---- operands and values ----

  Operand main_operand(unsigned window_percent) {
    if (const std::optional<size_t> index = operands_.earlier(15)) {
      const bool is_float = ir::is_float(operands_.tensors[*index].dtype);
      return {operands_.read_through_axes(*index, window_percent), is_float};
    }
    operands_.draw_axes();
    return {operands_.read_fresh(dtype_, true), ir::is_float(dtype_)};
  }

  Operand further_operand() {
    if (choices_.chance(65)) {
      const size_t count = operands_.tensors.size(), first = choices_.below(count);
      for (size_t i = 0; i < count; ++i) {   // results as soon as one fits
        const size_t at = (first + i) % count;
        const GraphTensor& tensor = operands_.tensors[at];
        if (!tensor.is_result && !choices_.chance(25)) continue;
        const bool is_float = ir::is_float(tensor.dtype);
        if (auto value = operands_.read_by_extents(at)) return {std::move(*value), is_float};
      }
    }
    const Dtype dtype = choices_.chance(15) ? Dtype::f32 : dtype_;
    return {operands_.read_fresh(dtype, false), ir::is_float(dtype)};
  }

  Operand unary(Operand a) {
    ir::Expression& e = a.value;
    switch (choices_.below(8)) {
      case 0: return {binary(choices_.pick({Op::max, Op::min}), std::move(e), ir::integer(0)), a.is_float};
      case 1: return {ir::make(choices_.pick({Op::negate, Op::abs}), {std::move(e)}), a.is_float};
      case 2: return {plus(std::move(e), choices_.between(1, 3)), a.is_float};
      case 3: return {binary(Op::multiply, ir::integer(choices_.between(2, 3)), std::move(e)), a.is_float};
      default: break;
    }
    if (!a.is_float) return {ir::make(Op::negate, {std::move(e)}), false};
    return {ir::make(choices_.pick({Op::exp, Op::tanh, Op::sigmoid, Op::gelu, Op::silu, Op::exp, Op::sin}), {std::move(e)}),
            true};
  }
  Operand maybe_unary(Operand a) { return choices_.chance(35) ? unary(std::move(a)) : std::move(a); }

  Operand combined(Operand a, Operand b) {
    const Op op = choices_.pick({Op::add, Op::multiply, Op::add, Op::subtract, Op::multiply, Op::max, Op::min});
    return {binary(op, std::move(a.value), std::move(b.value)), a.is_float || b.is_float};
  }

  /// As of a causal mask: what the value is depends on where it is.
  Operand masked(Operand a) {
    const std::vector<GraphAxis>& axes = operands_.axes;
    if (axes.size() < 2) return a;
    ir::Expression condition = compare(Op::less_equal, ir::variable(axes[1].name), ir::variable(axes[0].name));
    return {select(std::move(condition), std::move(a.value), ir::integer(0)), a.is_float};
  }

  Dtype result_dtype(bool is_float) {
    if (!is_float) return Dtype::i32;
    return choices_.chance(40) || !ir::is_float(dtype_) ? Dtype::f32 : dtype_;
  }

  // ---- operations ----

  void operation() {
    operands_.begin_operation();
    GraphOperation operation = draw_operation();
    // Integers have no matmul.
    if (operation == GraphOperation::matmul && !ir::is_float(dtype_)) operation = instead_of_matmul();
    switch (operation) {
      case GraphOperation::map: return elementwise();
      case GraphOperation::reduce: return reduction();
      case GraphOperation::matmul: return product();
      case GraphOperation::transpose: return transposition();
      case GraphOperation::copy: return slice();
      case GraphOperation::gather: return lookup();
      case GraphOperation::scan: return recurrence();
    }
  }

  GraphOperation draw_operation() {
    uint64_t sum = 0;
    for (const auto& [operation, weight] : weights) sum += is_allowed(operation) ? weight : 0;
    uint64_t at = choices_.below(sum);
    for (const auto& [operation, weight] : weights) {
      if (!is_allowed(operation)) continue;
      if (at < weight) return operation;
      at -= weight;
    }
    return GraphOperation::map;
  }

  bool is_allowed(GraphOperation operation) const {
    return options_.only.empty() || std::ranges::find(options_.only, operation) != options_.only.end();
  }
  GraphOperation instead_of_matmul() const {
    using enum GraphOperation;
    for (const GraphOperation other : {transpose, copy, map, gather, scan})
      if (is_allowed(other)) return other;
    return reduce;
  }

  /// Over all axes, without a destination.
  ir::Statement statement(std::string opcode, ir::Expression value, ir::Update update) const {
    ir::Statement s;
    s.axes.reserve(operands_.axes.size());
    for (const GraphAxis& axis : operands_.axes)
      s.axes.push_back(
          {axis.name, ir::integer(axis.extent), axis.reduces ? ir::AxisKind::reduce : ir::AxisKind::parallel, {}, {}});
    s.opcode = std::move(opcode);
    s.update = update;
    s.value = std::move(value);
    return s;
  }

  /// Writes a tensor of its own; its dims are the axes that do not reduce, `order` first.
  void finish(std::string opcode, Operand value, ir::Update update, Dtype dtype, std::vector<size_t> order = {},
              std::vector<ir::Expression> where = {}) {
    const std::vector<GraphAxis>& axes = operands_.axes;
    if (order.empty()) {
      for (size_t i = 0; i < axes.size(); ++i)
        if (!axes[i].reduces) order.push_back(i);
      if (choices_.chance(15)) choices_.shuffle(order);
    }
    ir::Statement s = statement(std::move(opcode), std::move(value.value), update);
    s.indices.reserve(order.size());
    std::vector<int64_t> dims;
    for (const size_t i : order) {
      s.indices.push_back(ir::variable(axes[i].name));
      dims.push_back(axes[i].extent);
    }
    if (s.indices.empty()) s.indices.push_back(ir::integer(0));
    s.where = std::move(where);
    GraphTensor& result = operands_.declare("y", dtype, std::move(dims), true);
    s.destination = result.name;
    if (update != ir::Update::assign) {
      result.begins_with_input = choices_.chance(5);
      if (!result.begins_with_input) s.start.emplace();
    }
    statements_.push_back(std::move(s));
  }

  void elementwise() {
    if (choices_.chance(4) && in_place()) return;
    Operand value = maybe_unary(main_operand(12));
    if (operands_.axes.size() < 4 && choices_.chance(8)) operands_.add_axis(operands_.draw_extent());
    for (uint64_t i = choices_.pick<uint64_t>({0, 1, 1, 2}); i > 0; --i) {
      Operand next = maybe_unary(further_operand());
      value = combined(std::move(value), std::move(next));
    }
    if (choices_.chance(4)) value = masked(std::move(value));
    if (value.value.op == Op::read) value = unary(std::move(value));
    const Dtype dtype = result_dtype(value.is_float);
    finish("map", std::move(value), ir::Update::assign, dtype);
  }

  /// A result becomes a function of itself. False: there is none.
  bool in_place() {
    const std::optional<size_t> index = operands_.earlier(0);
    if (!index || !operands_.tensors[*index].is_result) return false;
    GraphTensor& tensor = operands_.tensors[*index];
    ir::Expression old = operands_.read_through_axes(*index, 0);
    --tensor.readers;   // somebody else is to read it
    std::vector<ir::Expression> indices = old.operands;
    statements_.push_back(statement("map", unary({std::move(old), ir::is_float(tensor.dtype)}).value, ir::Update::assign));
    statements_.back().destination = tensor.name;
    statements_.back().indices = std::move(indices);
    return true;
  }

  void reduction() {
    Operand value = main_operand(6);
    std::vector<ir::Expression> where;
    const bool is_pool = choices_.chance(15) && pool(value.value, where);
    std::vector<GraphAxis>& axes = operands_.axes;
    if (axes.empty()) operands_.add_axis(1);
    const size_t last = choices_.below(axes.size());
    for (size_t i = 0; i < axes.size() && !is_pool; ++i) axes[i].reduces = i == last || choices_.chance(30);
    value = maybe_unary(std::move(value));
    if (choices_.chance(20)) value = combined(std::move(value), further_operand());
    using enum ir::Update;
    const Dtype dtype = result_dtype(value.is_float);
    finish("reduce", std::move(value), choices_.pick({add, add, max, add, min, max}), dtype, {}, std::move(where));
  }

  /// Makes the first plain index of the read a window, `stride*i + k - pad`, as of a pooling.
  bool pool(ir::Expression& read, std::vector<ir::Expression>& where) {
    for (ir::Expression& index : read.operands) {
      if (index.op != Op::variable) continue;
      const auto axis = std::ranges::find(operands_.axes, index.name, &GraphAxis::name);
      const int64_t dim = axis->extent, taps = choices_.between(2, 3), stride = choices_.between(1, 2);
      if (dim < 3 || operands_.room() < 2 || operands_.axes.size() > 3) continue;
      const int64_t pad = choices_.chance(30) ? 1 : 0;
      axis->extent = (dim + 2 * pad - taps) / stride + 1;
      operands_.add_axis(taps, true);
      index = plus(plus(times(stride, std::move(index)), ir::variable(operands_.axes.back().name)), -pad);
      if (pad > 0) {
        where.push_back(compare(Op::greater_equal, index, ir::integer(0)));
        where.push_back(compare(Op::less, index, ir::integer(dim)));
      }
      return true;
    }
    return false;
  }

  /// The operands of a matmul are narrow floats, or both are f32.
  void product() {
    if (choices_.chance(10) && product_beyond_the_budgets()) return;
    const std::optional<size_t> earlier = operands_.earlier(35);
    Dtype dtype = dtype_;
    std::optional<ir::Expression> left;
    if (earlier && operands_.tensors[*earlier].dims.size() >= 2 && ir::is_float(operands_.tensors[*earlier].dtype)) {
      dtype = operands_.tensors[*earlier].dtype;
      left = operands_.read_through_axes(*earlier, 4);
    }
    std::vector<GraphAxis>& axes = operands_.axes;
    while (axes.size() < 2) operands_.add_axis(operands_.draw_extent());
    // The axes of the left operand: batches (of both operands), rows, contraction.
    const size_t contraction = axes.size() - 1 - choices_.below(2);
    axes[contraction].reduces = true;
    if (!left) left = read_of_fresh_matrix(dtype, {0, 1});
    std::vector<size_t> shared{contraction};
    if (axes.size() > 2 && choices_.chance(60)) shared.insert(shared.begin(), 0);
    if (shared.front() == shared.back()) shared = {contraction};
    operands_.add_axis(operands_.draw_extent());
    shared.push_back(axes.size() - 1);
    std::optional<ir::Expression> right = choices_.chance(40) ? right_operand(shared, dtype) : std::nullopt;
    if (!right) right = read_of_fresh_matrix(dtype, shared);
    finish_product(std::move(*left), std::move(*right));
  }

  void finish_product(ir::Expression left, ir::Expression right) {
    finish("matmul", {binary(Op::multiply, std::move(left), std::move(right)), true}, ir::Update::add, result_dtype(true));
  }

  /// Of fresh inputs, two or all three axes longer than a tile. False: that is too much for this machine.
  bool product_beyond_the_budgets() {
    std::array<int64_t, 3> budgets{budgets_.partitions, budgets_.partitions, budgets_.free};   // contraction, rows, columns
    if (choices_.chance(30)) std::swap(budgets[1], budgets[2]);
    const int64_t all = (budgets[0] + 1) * (budgets[1] + 1) * (budgets[2] + 1);
    // What takes long to check is seldom.
    const bool cuts_all = all <= options_.most_product_points && choices_.chance(40) && (all < 100'000 || choices_.chance(10));
    const size_t whole = cuts_all ? budgets.size() : choices_.below(budgets.size());
    std::array<int64_t, 3> extents{};
    int64_t points = 1;
    for (size_t i = 0; i < extents.size(); ++i) points *= extents[i] = i == whole ? choices_.between(1, 3) : budgets[i] + 1;
    if (points > options_.most_product_points) return false;
    // A few tiles of small machines, two of large ones.
    const int64_t most = std::min(options_.most_product_points, std::max<int64_t>(4'000, 2 * points));
    for (const size_t i : {2U, 0U, 1U}) {
      if (i == whole) continue;
      points /= extents[i];
      points *= extents[i] = operands_.draw_extent_beyond(budgets[i], most / points);
    }
    operands_.add_axis(extents[1]);
    operands_.add_axis(extents[0], true);
    operands_.add_axis(extents[2]);
    ir::Expression left = read_of_fresh_matrix(dtype_, {0, 1});
    finish_product(std::move(left), read_of_fresh_matrix(dtype_, {1, 2}));
    return true;
  }

  /// A fresh input over these axes, in any order.
  ir::Expression read_of_fresh_matrix(Dtype dtype, std::vector<size_t> over) {
    if (choices_.chance(40)) choices_.shuffle(over);
    std::vector<ir::Expression> indices;
    std::vector<int64_t> dims;
    for (const size_t i : over) {
      indices.push_back(ir::variable(operands_.axes[i].name));
      dims.push_back(operands_.axes[i].extent);
    }
    GraphTensor& tensor = operands_.declare("x", dtype, std::move(dims), false);
    ++tensor.readers;
    return ir::read(tensor.name, std::move(indices));
  }

  /// An earlier tensor of the contraction and one more dim, which the last axis becomes; nullopt: there is none.
  std::optional<ir::Expression> right_operand(const std::vector<size_t>& over, Dtype dtype) {
    if (over.size() != 2) return std::nullopt;
    GraphAxis& columns = operands_.axes[over[1]];
    const GraphAxis& contraction = operands_.axes[over[0]];
    const int64_t room = operands_.room() * columns.extent;
    for (GraphTensor& tensor : operands_.tensors) {
      if (tensor.dims.size() != 2 || (tensor.dtype == Dtype::f32) != (dtype == Dtype::f32) || !ir::is_float(tensor.dtype))
        continue;
      for (const size_t at : {size_t{0}, size_t{1}}) {
        if (tensor.dims[at] != contraction.extent || tensor.dims[1 - at] > room) continue;
        columns.extent = tensor.dims[1 - at];
        ++tensor.readers;
        std::vector<ir::Expression> indices{ir::variable(contraction.name), ir::variable(columns.name)};
        if (at == 1) std::swap(indices[0], indices[1]);
        return ir::read(tensor.name, std::move(indices));
      }
    }
    return std::nullopt;
  }

  /// The dims in another order.
  void transposition() {
    std::optional<size_t> index = operands_.earlier(25);
    if (index && operands_.tensors[*index].dims.size() < 2) index.reset();
    Dtype dtype = dtype_;
    std::optional<ir::Expression> source;
    if (index) {
      dtype = operands_.tensors[*index].dtype;
      source = operands_.read_through_axes(*index, 4);
    }
    while (operands_.axes.size() < 2) operands_.add_axis(operands_.draw_extent());
    if (!source) source = read_of_fresh_matrix(dtype, {0, 1});
    std::vector<size_t> order;
    for (size_t i = operands_.axes.size(); i > 0; --i) order.push_back(i - 1);
    if (order.size() > 2) choices_.shuffle(order);
    finish("transpose", {std::move(*source), ir::is_float(dtype)}, ir::Update::assign, dtype, std::move(order));
  }

  void slice() {
    Operand source = main_operand(60);
    const std::string& from = source.value.name;
    const Dtype dtype = std::ranges::find(operands_.tensors, from, &GraphTensor::name)->dtype;
    finish("copy", std::move(source), ir::Update::assign, dtype);
  }

  /// Rows of a table, by a fresh tensor of their numbers.
  void lookup() {
    Operand table = main_operand(0);
    const std::string from = table.value.name;
    const GraphTensor tensor = *std::ranges::find(operands_.tensors, from, &GraphTensor::name);
    // The first dim that an axis walks; of a tensor of one element, the first one.
    const auto walked = std::ranges::find(table.value.operands, Op::variable, &ir::Expression::op);
    const bool is_walked = walked != table.value.operands.end();
    ir::Expression& index = is_walked ? *walked : table.value.operands.front();
    if (!is_walked) {
      operands_.add_axis(1);
      index = ir::variable(operands_.axes.back().name);
    }
    const auto axis = std::ranges::find(operands_.axes, index.name, &GraphAxis::name);
    axis->extent = 1;
    axis->extent = operands_.draw_extent();
    GraphTensor& numbers = operands_.declare("x", Dtype::i32, {axis->extent}, false);
    ++numbers.readers;
    numbers.indexes = tensor.dims[static_cast<size_t>(&index - table.value.operands.data())];
    index = ir::read(numbers.name, {std::move(index)});
    finish("gather", std::move(table), ir::Update::assign, tensor.dtype);
  }

  /// Each element from the one before it along the last axis: a sum, a maximum, or a decaying sum.
  void recurrence() {
    Operand value = main_operand(0);
    if (operands_.axes.empty()) operands_.add_axis(1);
    const Dtype dtype = result_dtype(value.is_float);
    std::vector<size_t> order(operands_.axes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const bool is_float = value.is_float;
    finish("scan", std::move(value), ir::Update::assign, dtype, std::move(order));
    ir::Statement& s = statements_.back();
    s.axes.back().kind = ir::AxisKind::seq;
    const ir::Expression step = ir::variable(s.axes.back().name);
    std::vector<ir::Expression> before = s.indices;
    before.back() = plus(step, -1);
    ir::Expression old = ir::read(s.destination, std::move(before));
    if (is_float && choices_.chance(30))
      old = binary(Op::multiply, ir::Expression{Op::literal, ir::make_decimal(5, -1)}, std::move(old));
    old = select(compare(Op::greater, step, ir::integer(0)), std::move(old), ir::integer(0));
    s.value = binary(choices_.pick({Op::add, Op::add, Op::max}), std::move(s.value), std::move(old));
  }
};

}  // namespace

std::string_view name(GraphOperation operation) {
  constexpr std::string_view names[] = {"map", "reduce", "matmul", "transpose", "copy", "gather", "scan"};
  return names[static_cast<size_t>(operation)];
}

ir::Program generate_graph(Choices& choices, const Budgets& budgets, const GraphOptions& options) {
  switch (options.family) {
    case GraphFamily::operations: break;
    case GraphFamily::mean_variance: return generate_mean_variance(choices, budgets);
    case GraphFamily::norm_gradient: return generate_norm_gradient(choices, budgets);
    case GraphFamily::mx_blocks: return generate_mx_blocks(choices, budgets);
  }
  return GraphWriter(choices, budgets, options).take();
}

const GraphMachine& draw_machine(Choices& choices, GraphFamily family) {
  const std::span<const GraphMachine> machines = graph_machines();
  if (family == GraphFamily::mx_blocks) {   // their blocks do not fit a tight one
    const auto quantizes = [](const GraphMachine& each) {
      return each.budgets.partitions >= 32 && !each.machine.alternatives("quantize_mx").empty();
    };
    return *std::ranges::find_if(machines, quantizes);
  }
  const size_t tight = machines.size() / 2;
  return choices.chance(10) ? machines[tight + choices.below(machines.size() - tight)] : machines[choices.below(tight)];
}

}  // namespace tileproof::fuzz
