#include "fuzz/retile/workload.h"

#include "compiler/ir/interval.h"
#include "compiler/ir/verify.h"
#include "oracle/domain/rounding.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::Dtype;
using ir::Op;

namespace {

const std::vector<Dtype> float_dtypes{Dtype::f32,  Dtype::bf16, Dtype::f16,    Dtype::bf16, Dtype::f32,  Dtype::f64,
                                      Dtype::tf32, Dtype::e4m3, Dtype::e4m3fn, Dtype::e5m2, Dtype::e2m1, Dtype::e8m0};
const std::vector<Dtype> integer_dtypes{Dtype::i8, Dtype::i32, Dtype::u8,  Dtype::i16, Dtype::i32,    Dtype::i4,
                                        Dtype::i2, Dtype::u16, Dtype::i64, Dtype::u32, Dtype::boolean};

struct Operand {
  ir::Expression value;
  Dtype dtype;
};

class WorkloadWriter {
 public:
  explicit WorkloadWriter(Scene& scene) : scene_(scene), choices_(scene.choices) {}

  Workload take() {
    if (choices_.chance(6)) {
      const int64_t low = choices_.between(1, 2);
      parameter_ = ir::Parameter{scene_.fresh("n"), low, low + choices_.between(1, 3), {}};
      workload_.parameters.push_back(*parameter_);
    }
    workload_.partials_wrap = choices_.chance(4);
    const uint64_t kind = choices_.below(10);
    const auto add = [&](const std::vector<Dtype>& list) { palette_.push_back(choices_.pick(list)); };
    add(kind < 6 ? float_dtypes : integer_dtypes);
    if (choices_.chance(60)) add(kind < 6 ? float_dtypes : integer_dtypes);
    if (choices_.chance(20)) add(kind < 6 ? integer_dtypes : float_dtypes);
    for (uint64_t i = 1 + choices_.pick<uint64_t>({0, 0, 1, 1, 2}); i > 0; --i) operation(i == 1);
    return std::move(workload_);
  }

 private:
  Scene& scene_;
  Choices& choices_;
  Workload workload_;
  std::vector<Dtype> palette_;
  std::optional<ir::Parameter> parameter_;
  int64_t points_ = 1;   ///< of the statement being written, so far

  Dtype dtype() { return choices_.pick(palette_); }

  int64_t most(const ir::Expression& extent) const { return constant(extent).value_or(parameter_ ? parameter_->high : 1); }

  const ir::Buffer& declare(std::string name, Dtype dtype, std::vector<ir::Expression> extents, ir::Role role) {
    ir::Buffer buffer;
    buffer.name = name;
    buffer.dtype = dtype;
    buffer.extents = std::move(extents);
    if (buffer.extents.empty()) buffer.extents.push_back(ir::integer(1));
    buffer.space = "dram";
    buffer.role = role;
    workload_.has_f64 |= dtype == Dtype::f64;
    workload_.has_wide_integer |= dtype == Dtype::i64 || dtype == Dtype::u32;
    return workload_.buffers[name] = std::move(buffer);
  }

  ir::Axis axis(ir::AxisKind kind) {
    ir::Axis result;
    result.name = scene_.fresh(kind == ir::AxisKind::reduce ? "k" : "j");
    result.kind = kind;
    const int64_t room = std::max<int64_t>(1, scene_.most_points / points_);
    if (parameter_ && parameter_->high <= room && choices_.chance(60))
      result.extent = ir::variable(parameter_->name);
    else
      result.extent = ir::integer(choices_.extent(std::min<int64_t>(room, 12)));
    points_ *= most(result.extent);
    return result;
  }

  /// An index over the axis, and the extent that it needs.
  std::pair<ir::Expression, ir::Expression> index(const ir::Axis& axis, const ir::Axis* other) {
    const ir::Expression a = ir::variable(axis.name);
    const std::optional<int64_t> extent = constant(axis.extent);
    if (!extent || choices_.chance(60)) return {a, axis.extent};
    switch (choices_.below(6)) {
      case 0: {   // a window, as of a convolution
        if (other == nullptr || !constant(other->extent)) break;
        const int64_t stride = choices_.between(1, 2), dilation = choices_.between(1, 2);
        return {plus(times(stride, a), times(dilation, ir::variable(other->name))),
                ir::integer((*extent - 1) * stride + (*constant(other->extent) - 1) * dilation + 1)};
      }
      case 1: {
        const int64_t offset = choices_.between(1, 3);
        return {plus(a, offset), ir::integer(*extent + offset + choices_.between(0, 1))};
      }
      case 2: return {binary(Op::subtract, ir::integer(*extent - 1), a), ir::integer(*extent)};
      case 3: return {binary(Op::floordiv, a, ir::integer(2)), ir::integer((*extent + 1) / 2)};
      case 4: {
        const int64_t period = choices_.between(2, 4);
        return {binary(Op::mod, a, ir::integer(period)), ir::integer(std::min(*extent, period))};
      }
      case 5: {   // seldom, as each is run with five patterns of indices
        if (choices_.chance(50)) break;
        const int64_t range = choices_.between(1, 6);
        const std::string name = scene_.fresh("p");
        declare(name, choices_.pick({Dtype::i32, Dtype::i8, Dtype::u16}), {axis.extent}, ir::Role::in);
        workload_.buffers[name].range = ir::Range{ir::integer(0), ir::integer(range)};
        return {ir::read(name, {a}), ir::integer(range)};
      }
      default: break;
    }
    return {a, axis.extent};
  }

  Operand fresh_input(std::vector<ir::Axis> axes) {
    choices_.shuffle(axes);
    std::vector<ir::Expression> indices, extents;
    for (size_t i = 0; i < axes.size() && indices.size() < 3; ++i) {
      if (!choices_.chance(75)) continue;
      const ir::Axis* other = i + 1 < axes.size() ? &axes[i + 1] : nullptr;
      auto [index_of, extent] = index(axes[i], other);
      indices.push_back(std::move(index_of));
      extents.push_back(std::move(extent));
    }
    if (indices.empty()) indices.push_back(ir::integer(0)), extents.push_back(ir::integer(1));
    const std::string name = scene_.fresh("x");
    const Dtype type = dtype();
    declare(name, type, std::move(extents), ir::Role::in);
    // What a 32-bit sum of products holds: wider inputs would only try how i32 wraps, which tilers leave alone.
    if (ir::is_integer(type) && ir::bits(type) >= 16) {
      const int64_t low = ir::lowest(type) < 0 ? -100 : 0;
      workload_.buffers[name].range = ir::Range{number(low), ir::integer(101)};
    }
    return {ir::read(name, std::move(indices)), type};
  }

  ir::Expression literal() {
    ir::Expression e;
    e.value = choices_.pick({ir::Decimal{5, -1}, ir::Decimal{2, 0}, ir::Decimal{3, 0}, ir::Decimal{1, -1}, ir::Decimal{25, -2}});
    return e;
  }

  ir::Expression unary(ir::Expression a, bool is_float) {
    if (is_float) {
      switch (choices_.below(8)) {
        case 0: return ir::make(Op::negate, {std::move(a)});
        case 1: return ir::make(Op::abs, {std::move(a)});
        case 2: return binary(Op::multiply, std::move(a), literal());
        case 3: return binary(choices_.pick({Op::max, Op::min}), std::move(a), ir::integer(0));
        case 4: return binary(Op::divide, std::move(a), ir::integer(choices_.between(2, 5)));
        case 5:   // beside f64, a cast is another one in a statement that accumulates in f64
          if (std::ranges::find(palette_, Dtype::f64) != palette_.end()) return ir::make(Op::negate, {std::move(a)});
          return ir::cast(choices_.pick({Dtype::bf16, Dtype::f32, Dtype::i8}), std::move(a));
        default:
          return ir::make(choices_.pick({Op::exp, Op::tanh, Op::sigmoid, Op::exp, Op::sin, Op::cos, Op::erf, Op::silu,
                                         Op::softplus, Op::gelu, Op::floor, Op::round}),
                          {std::move(a)});
      }
    }
    switch (choices_.below(7)) {
      case 0: return ir::make(choices_.pick({Op::negate, Op::abs, Op::sign, Op::bit_not}), {std::move(a)});
      case 1: return binary(Op::multiply, std::move(a), ir::integer(choices_.between(2, 5)));
      case 2: return binary(choices_.pick({Op::max, Op::min}), std::move(a), ir::integer(choices_.between(0, 3)));
      case 3: return binary(choices_.pick({Op::floordiv, Op::mod}), std::move(a), ir::integer(choices_.between(2, 5)));
      case 4: return binary(Op::shift_right, std::move(a), ir::integer(choices_.between(1, 3)));
      default: return plus(std::move(a), choices_.between(1, 5));
    }
  }

  ir::Expression combined(ir::Expression a, ir::Expression b, bool is_float, const std::vector<ir::Axis>& axes) {
    switch (choices_.below(10)) {
      case 0:
      case 1:
      case 2: return binary(Op::multiply, std::move(a), std::move(b));
      case 3: return binary(Op::add, std::move(a), std::move(b));
      case 4: return binary(Op::subtract, std::move(a), std::move(b));
      case 5: return binary(choices_.pick({Op::max, Op::min}), std::move(a), std::move(b));
      case 6: {
        if (choices_.chance(30)) {   // what equals a number is replaced
          ir::Expression condition = compare(Op::equal, a, ir::integer(choices_.between(0, 1)));
          return select(std::move(condition), std::move(b), std::move(a));
        }
        ir::Expression condition =
            compare(choices_.pick({Op::less, Op::greater_equal}), a, choices_.chance(50) ? b : ir::integer(1));
        return select(std::move(condition), std::move(a), std::move(b));
      }
      case 7:
        if (axes.empty()) break;
        return select(compare(Op::less, ir::variable(choices_.pick(axes).name), ir::integer(choices_.between(1, 3))),
                      std::move(a), std::move(b));
      case 8:
        if (is_float) break;
        return binary(choices_.pick({Op::bit_and, Op::bit_or, Op::bit_xor}), std::move(a), std::move(b));
      default: break;
    }
    return binary(Op::multiply, std::move(a), std::move(b));
  }

  ir::Expression value(std::vector<Operand> operands, const std::vector<ir::Axis>& axes) {
    const auto is_float = [&](const ir::Expression& e) { return ir::value_type(e, workload_.dtypes()).is_float; };
    const auto maybe_unary = [&](ir::Expression e) {
      if (!choices_.chance(25)) return e;
      const bool floats = is_float(e);
      return unary(std::move(e), floats);
    };
    ir::Expression result = maybe_unary(std::move(operands[0].value));
    for (size_t i = 1; i < operands.size(); ++i) {
      ir::Expression next = maybe_unary(std::move(operands[i].value));
      const bool floats = is_float(result) || is_float(next);
      result = combined(std::move(result), std::move(next), floats, axes);
    }
    if (!axes.empty() && choices_.chance(5)) result = plus(std::move(result), ir::variable(choices_.pick(axes).name));
    return result;
  }

  /// Of a value of integers; nullopt: not known.
  std::optional<ir::Interval> bounds(const ir::Expression& e) const {
    if (e.op == Op::literal || e.op == Op::variable) {
      const std::optional<int64_t> known = constant(e);
      return known ? ir::Interval{*known, *known} : ir::Interval{0, 1000};   // axes
    }
    if (e.op == Op::read) {
      const ir::Buffer& buffer = workload_.buffers.at(e.name);
      const ir::Interval all{ir::lowest(buffer.dtype), ir::highest(buffer.dtype)};
      if (buffer.role != ir::Role::in || !buffer.range) return all;
      return ir::Interval{ir::lowest(buffer.dtype) < 0 ? -100 : 0, 100};
    }
    if (ir::is_comparison(e.op) || e.op == Op::sign) return ir::Interval{-1, 1};
    std::vector<ir::Interval> parts;
    for (size_t i = e.op == Op::select ? 1 : 0; i < e.operands.size(); ++i) {
      const auto part = bounds(e.operands[i]);
      if (!part) return std::nullopt;
      parts.push_back(*part);
    }
    const ir::Interval a = parts[0];
    const ir::Interval sides{std::min(a.low, ir::negated(a).low), std::max(a.high, ir::negated(a).high)};
    if (e.op == Op::negate || e.op == Op::abs || e.op == Op::shift_right) return sides;
    if (e.op == Op::bit_not) return ir::combine(Op::subtract, sides, {1, 1});
    if (parts.size() != 2) return std::nullopt;
    if (e.op == Op::select) return ir::Interval{std::min(a.low, parts[1].low), std::max(a.high, parts[1].high)};
    return ir::combine(e.op, a, parts[1]);
  }

  /// The largest of 64-bit integers is not the largest of their low 32 bits: then partial results take 64.
  bool needs_wide_partials(const ir::Statement& s) const {
    if ((s.update != ir::Update::max && s.update != ir::Update::min) || s.value.op == Op::read) return false;
    if (ir::is_float(ir::accumulate_dtype(s, workload_.dtypes()))) return false;
    const std::optional<ir::Interval> all = bounds(s.value);
    return !all || all->low < ir::lowest(Dtype::i32) || all->high > ir::highest(Dtype::i32);
  }

  ir::Update accumulation(bool is_float) {
    using enum ir::Update;
    if (is_float) return choices_.pick({add, add, add, max, min, max, multiply});
    return choices_.pick({add, add, add, max, min, multiply, bit_and, bit_or, bit_xor});
  }

  void operation(bool is_last) {
    points_ = 1;
    std::vector<ir::Axis> axes;
    std::vector<Operand> operands;
    bool pointwise = !workload_.statements.empty();
    if (!workload_.statements.empty()) {   // every dim of the result before, once
      const ir::Buffer& before = workload_.buffers.at(workload_.statements.back().destination);
      std::vector<ir::Expression> indices;
      for (const ir::Expression& extent : before.extents) {
        const bool reduces = choices_.chance(20);
        pointwise &= !reduces;
        ir::Axis each{scene_.fresh(reduces ? "k" : "j"), extent, reduces ? ir::AxisKind::reduce : ir::AxisKind::parallel, {}, {}};
        points_ *= most(extent);
        indices.push_back(ir::variable(each.name));
        axes.push_back(std::move(each));
      }
      operands.push_back({ir::read(before.name, std::move(indices)), before.dtype});
    } else {
      for (uint64_t i = choices_.pick<uint64_t>({1, 2, 2, 1, 3, 0}); i > 0; --i) axes.push_back(axis(ir::AxisKind::parallel));
      for (uint64_t i = choices_.pick<uint64_t>({0, 1, 1, 1, 2}); i > 0; --i) axes.push_back(axis(ir::AxisKind::reduce));
    }
    for (uint64_t i = choices_.below(3) + operands.empty(); i > 0; --i) operands.push_back(fresh_input(axes));
    choices_.shuffle(axes);

    ir::Statement s;
    s.opcode = "compute";
    s.value = value(std::move(operands), axes);
    const bool is_float = ir::value_type(s.value, workload_.dtypes()).is_float;
    const bool reduces = std::ranges::any_of(axes, [](const ir::Axis& a) { return a.kind == ir::AxisKind::reduce; });
    std::vector<ir::Expression> extents;
    std::vector<ir::Axis> dims;
    for (const ir::Axis& a : axes)
      if (a.kind != ir::AxisKind::reduce) dims.push_back(a);
    choices_.shuffle(dims);
    for (const ir::Axis& dim : dims) {
      s.indices.push_back(ir::variable(dim.name));
      extents.push_back(dim.extent);
    }
    if (s.indices.empty()) s.indices.push_back(ir::integer(0));
    Dtype type = dtype();
    if (reduces) s.update = accumulation(is_float || ir::is_float(type));
    const bool old_counts = reduces && choices_.chance(10);
    s.destination = scene_.fresh(is_last ? "y" : "z");
    const ir::Role role = old_counts ? ir::Role::inout : is_last || choices_.chance(25) ? ir::Role::out : ir::Role::none;
    declare(s.destination, type, std::move(extents), role);
    if (reduces && !old_counts) s.start.emplace();
    s.axes = std::move(axes);
    // Where the mask lets nothing pass, the old value stays as it is; partial results are rounded through the accumulate dtype.
    const bool old_value_fits = !old_counts || oracle::contains(ir::accumulate_dtype(s, workload_.dtypes()), type);
    if (reduces && old_value_fits && choices_.chance(6) && s.update == ir::Update::add) mask(s);
    workload_.has_wide_integer |= needs_wide_partials(s);
    workload_.statements.push_back(std::move(s));
    workload_.is_pointwise.push_back(pointwise);
  }

  /// Only the terms of a sum that a mask of integers lets pass.
  void mask(ir::Statement& s) {
    const auto axis = std::ranges::find(s.axes, ir::AxisKind::reduce, &ir::Axis::kind);
    const std::string name = scene_.fresh("m");
    declare(name, choices_.pick({Dtype::boolean, Dtype::i8}), {axis->extent}, ir::Role::in);
    workload_.buffers[name].range = ir::Range{ir::integer(0), ir::integer(2)};
    s.where.push_back(compare(Op::equal, ir::read(name, {ir::variable(axis->name)}), ir::integer(1)));
  }
};

}  // namespace

Workload draw_workload(Scene& scene) { return WorkloadWriter(scene).take(); }

}  // namespace tileproof::fuzz
