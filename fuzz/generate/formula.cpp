#include "fuzz/generate/formula.h"

#include <algorithm>

namespace tileproof::fuzz {

using ir::Op;

const Tensor* Formula::pick(bool (*wanted)(const Tensor&)) {
  std::vector<const Tensor*> list;
  for (const Tensor& tensor : scene_.tensors) {
    if (wanted(tensor)) list.push_back(&tensor);
  }
  return list.empty() ? nullptr : choices_.pick(list);
}

ir::Expression Formula::any_coordinate() {
  return coordinates_.empty() ? ir::integer(choices_.between(0, 3)) : choices_.pick(coordinates_).value;
}

ir::Expression Formula::index(const Dim& dim, size_t preferred) {
  const bool straight = !choices_.chance(25);
  if (straight && preferred < coordinates_.size() && coordinates_[preferred].dim == dim) return coordinates_[preferred].value;
  std::vector<Coordinate> same, shorter;
  for (const Coordinate& c : coordinates_) {
    if (c.dim == dim) same.push_back(c);
    if (dim.is_literal() && c.dim.is_literal() && c.dim.most < dim.most) shorter.push_back(c);
  }
  if (straight && !same.empty()) return choices_.pick(same).value;
  const Coordinate* any = coordinates_.empty() ? nullptr : &choices_.pick(coordinates_);
  const Tensor* indices = nullptr;
  if (gathers_ && dim.is_literal() && choices_.chance(40)) {
    for (const Tensor& tensor : scene_.tensors) {
      if (tensor.range != 0 && tensor.range <= dim.most) indices = &tensor;
    }
  }
  if (indices != nullptr) {
    gathers_ = choices_.chance(20);
    ir::Expression gathered = read(*indices);
    gathers_ = true;
    return gathered;
  }
  switch (choices_.below(8)) {
    case 0:
      if (!shorter.empty()) {
        const Coordinate window = choices_.pick(shorter);
        return plus(window.value, choices_.between(0, dim.most - window.dim.most));
      }
      break;
    case 1:
      if (!same.empty()) return binary(Op::subtract, plus(dim.extent, -1), choices_.pick(same).value);
      break;
    case 2:
      if (any != nullptr) return binary(Op::min, any->value, plus(dim.extent, -1));
      break;
    case 3:
      if (any != nullptr && any->dim.is_literal() && dim.is_literal()) {
        return binary(Op::floordiv, any->value, ir::integer((any->dim.most + dim.most - 1) / dim.most));
      }
      break;
    case 4:
      if (any != nullptr) return binary(Op::mod, plus(any->value, choices_.between(0, 5)), dim.extent);
      break;
    case 5:
      if (any != nullptr) {
        return select(compare(Op::less, any->value, dim.extent), any->value, ir::integer(0));
      }
      break;
    default: break;
  }
  if (dim.is_literal()) return ir::integer(choices_.between(0, dim.most - 1));
  return ir::integer(0);
}

ir::Expression Formula::read(const Tensor& tensor) {
  std::vector<ir::Expression> indices;
  for (size_t i = 0; i < tensor.dims.size(); ++i) indices.push_back(index(tensor.dims[i], i));
  return ir::read(tensor.name, std::move(indices));
}

ir::Expression Formula::leaf(bool is_whole) {
  const Tensor* tensor =
      pick(is_whole ? [](const Tensor& t) { return ir::is_integer(t.dtype); } : [](const Tensor&) { return true; });
  if (tensor != nullptr && !choices_.chance(25)) return read(*tensor);
  if (choices_.chance(40)) return any_coordinate();
  if (!is_whole && choices_.chance(40)) {
    // 200 is finite in each dtype, 300 infinite in e4m3.
    const std::vector<ir::Decimal> literals{{5, -1}, {125, -3}, {1, -6}, {tame_ ? 2 : 3, 2}, {1, -1}, {314159, -5}};
    ir::Expression literal;
    literal.value = choices_.pick(literals);
    return literal;
  }
  if (!tame_ && !is_whole && choices_.chance(10)) return ir::make(choices_.chance(30) ? Op::nan : Op::infinity, {});
  return number(choices_.pick({1, 2, 0, 3, -1, 7, 128, -5}));
}

/// The operands in the order of the choices, which arguments of a call are not.
template <class F>
static ir::Expression both(Op op, const F& operand) {
  ir::Expression a = operand();
  ir::Expression b = operand();
  return binary(op, std::move(a), std::move(b));
}

ir::Expression Formula::whole(int depth) {
  if (depth <= 0 || !choices_.chance(70)) return leaf(true);
  const auto operand = [&] { return whole(depth - 1); };
  const uint64_t form = choices_.below(10);
  switch (form) {
    case 0: return both(Op::add, operand);
    case 1: return both(choices_.pick({Op::subtract, Op::multiply}), operand);
    case 2: return both(choices_.pick({Op::max, Op::min}), operand);
    case 4: return both(choices_.pick({Op::bit_and, Op::bit_or, Op::bit_xor}), operand);
    case 8: return both(choices_.pick({Op::less, Op::equal, Op::not_equal, Op::greater_equal}), operand);
    default: break;
  }
  ir::Expression first = operand();
  if (form == 3) {
    const Op op = choices_.pick({Op::floordiv, Op::mod});
    return binary(op, std::move(first), ir::integer(choices_.between(1, 5)));
  }
  if (form == 5) {
    const Op op = choices_.pick({Op::shift_left, Op::shift_right});
    return binary(op, std::move(first), ir::integer(choices_.between(0, 3)));
  }
  if (form == 6) return ir::make(choices_.pick({Op::negate, Op::abs, Op::sign, Op::bit_not}), {std::move(first)});
  if (form == 9) return ir::cast(choices_.pick({ir::Dtype::i32, ir::Dtype::i8, ir::Dtype::i64, ir::Dtype::u8}), std::move(first));
  ir::Expression second = operand();
  return select(condition(), std::move(first), std::move(second));
}

ir::Expression Formula::value(int depth) {
  if (depth <= 0 || !choices_.chance(75)) return leaf(false);
  const auto operand = [&] { return value(depth - 1); };
  const uint64_t form = choices_.below(12);
  switch (form) {
    case 0: return both(Op::multiply, operand);
    case 1: return both(Op::add, operand);
    case 2: return both(Op::subtract, operand);
    case 3: return both(Op::max, operand);
    case 4: return both(Op::min, operand);
    case 11: return whole(depth - 1);
    default: break;
  }
  ir::Expression first = operand();
  if (form == 5) return ir::make(choices_.pick({Op::negate, Op::abs, Op::sign, Op::floor, Op::round}), {std::move(first)});
  if (form == 6 && tame_) return ir::make(choices_.pick({Op::tanh, Op::sigmoid, Op::sin, Op::erf}), {std::move(first)});
  if (form == 6) return ir::make(choices_.pick({Op::exp, Op::log, Op::sqrt, Op::rsqrt}), {std::move(first)});
  if (form == 9) {
    return ir::cast(choices_.pick({ir::Dtype::bf16, ir::Dtype::f32, ir::Dtype::f16, ir::Dtype::i8, ir::Dtype::f64}),
                    std::move(first));
  }
  if (form == 10 && tame_) return binary(Op::divide, std::move(first), ir::integer(choices_.between(1, 7)));
  ir::Expression second = operand();
  if (form == 10) return binary(Op::divide, std::move(first), std::move(second));
  if (form == 7) return select(condition(), std::move(first), std::move(second));
  return select(both(choices_.pick({Op::less, Op::greater, Op::equal}), operand), std::move(first), std::move(second));
}

ir::Expression Formula::condition() {
  const Tensor* indices = pick([](const Tensor& t) { return t.range != 0; });
  const Op op = choices_.pick({Op::less, Op::greater_equal, Op::equal, Op::not_equal, Op::less_equal, Op::greater});
  const bool reads = indices != nullptr && choices_.chance(25);
  ir::Expression left = reads ? read(*indices) : any_coordinate();
  if (reads) return compare(op, std::move(left), number(choices_.between(0, indices->range)));
  const uint64_t form = choices_.below(3);
  if (form == 1) left = binary(Op::mod, std::move(left), ir::integer(choices_.between(2, 4)));
  ir::Expression right = form == 2 ? any_coordinate() : number(choices_.between(0, form == 0 ? 6 : 2));
  if (right == left) right = ir::integer(1);
  return compare(op, std::move(left), std::move(right));
}

ir::Expression Formula::steering(int64_t range) {
  ir::Expression sum = any_coordinate();
  if (const Tensor* indices = pick([](const Tensor& t) { return t.range != 0; })) sum = plus(read(*indices), std::move(sum));
  return binary(Op::mod, plus(std::move(sum), choices_.between(0, 3)), ir::integer(range));
}

}  // namespace tileproof::fuzz
