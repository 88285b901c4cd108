// Real: named functions and integer operations.
#include "compiler/ir/floor_divide.h"
#include "oracle/domain/real.h"

#include <algorithm>
#include <numbers>

namespace tileproof::oracle {
namespace {

using ir::Dtype;
using ir::Op;

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double library = 0x1p-50;     // relative error allowed for a function of the C library

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double value_of(Op op, double x) {
  switch (op) {
    case Op::exp: return std::exp(x);
    case Op::log: return std::log(x);
    case Op::sqrt: return std::sqrt(x);
    case Op::rsqrt: return 1 / std::sqrt(x);
    case Op::tanh: return std::tanh(x);
    case Op::sigmoid: return sigmoid(x);
    case Op::silu: return x * sigmoid(x);
    case Op::softplus: return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    case Op::erf: return std::erf(x);
    case Op::gelu: return x * 0.5 * (1 + std::erf(x / std::numbers::sqrt2));
    case Op::sin: return std::sin(x);
    case Op::cos: return std::cos(x);
    case Op::sign: return x > 0 ? 1 : x < 0 ? -1 : x;
    case Op::floor: return std::floor(x);
    case Op::ceil: return std::ceil(x);
    default: return std::nearbyint(x);
  }
}

bool is_exact(Op op) { return op == Op::sign || op == Op::floor || op == Op::ceil || op == Op::round; }

/// How far the function's value can move where its argument moves by `error`: by its slope where that is bounded, else by the two
/// ends.
double moved(Op op, double x, double error, double result) {
  if (error == 0) return 0;
  if (error == unknown) return op == Op::sin || op == Op::cos ? 2 : unknown;
  switch (op) {
    case Op::sin:
    case Op::cos: return std::min(error, 2.0);
    case Op::tanh:
    case Op::softplus: return error;
    case Op::erf: return 1.13 * error;
    case Op::silu: return 1.1 * error;
    case Op::gelu: return 1.13 * error;
    case Op::sigmoid: return 0.25 * error;
    default: break;
  }
  const auto [below, above] = Real::around(x, error);
  const double up = std::abs(value_of(op, above) - result), down = std::abs(value_of(op, below) - result);
  return std::isnan(up) || std::isnan(down) ? unknown : std::max(up, down);
}

}  // namespace

Real::Value Real::function(Op op, Value a, Dtype dtype) const {
  const Value real = as_real(a);
  const double x = to_double(real), result = value_of(op, x);
  if (std::isnan(result)) return make(result, 0);
  if (std::isinf(x)) return make(result, real.error);
  if (std::isinf(result)) return make(result, real.error == 0 && x == 0 ? 0 : unknown);  // log(0), rsqrt(0): else an overflow
  const double own = is_exact(op) || (op == Op::exp && x == 0) ? 0 : std::abs(result) * library + 0x1p-1074;
  return rounded(result, moved(op, x, real.error, result) + own, dtype);
}

Real::Value Real::integer_operation(Op op, Value a, Value b) const {
  if (is_poison(a) || is_poison(b)) return poison();
  const auto whole = [](Value v) {
    return is_integer(v) ? v : make(static_cast<int64_t>(std::clamp(to_double(v), -0x1p62, 0x1p62)), v.error);
  };
  if (is_nan(a) || is_nan(b)) return nan();
  const Value left = whole(a), right = whole(b);
  const int64_t x = int_of(left), y = int_of(right);
  const double error = left.error > 0 || right.error > 0 ? unknown : 0;
  switch (op) {
    case Op::bit_and: return make(x & y, error);
    case Op::bit_or: return make(x | y, error);
    case Op::bit_xor: return make(x ^ y, error);
    case Op::shift_left: return make(y < 0 || y > 63 ? int64_t{0} : static_cast<int64_t>(left.bits << y), error);
    case Op::shift_right: return make(y < 0 || y > 63 ? int64_t{x < 0 ? -1 : 0} : x >> y, error);
    default: break;
  }
  if (y == 0 || (y == -1 && x == std::numeric_limits<int64_t>::min())) return nan();
  const int64_t quotient = ir::floor_divide(x, y);
  return make(op == Op::floordiv ? quotient : x - quotient * y, error);
}

Real::Value Real::apply(Op op, std::span<const Value> operands, Dtype dtype) const {
  for (const Value v : operands)
    if (is_poison(v)) return poison();
  const Value a = operands[0];
  const auto truth = [](Value v) { return to_double(v) != 0; };
  switch (op) {
    case Op::logical_and:
    case Op::logical_or: {
      const Value b = operands[1];
      const bool absorbing = op == Op::logical_or;
      const bool settled = (truth(a) == absorbing && a.error == 0) || (truth(b) == absorbing && b.error == 0);
      const bool result = absorbing ? truth(a) || truth(b) : truth(a) && truth(b);
      return make(int64_t{result}, !settled && a.error + b.error > 0 ? 1 : 0);
    }
    case Op::logical_not: return make(int64_t{!truth(a)}, a.error > 0 ? 1 : 0);
    case Op::bit_not: return subtract(negate(a), integer(1), Dtype::i64);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::shift_left:
    case Op::shift_right:
    case Op::floordiv:
    case Op::mod: return integer_operation(op, a, operands[1]);
    case Op::abs: return max(a, negate(a));
    default: break;
  }
  if (is_integer(a) && is_exact(op)) {  // an integer stays one
    if (op != Op::sign) return a;
    const int64_t value = int_of(a);
    return make(int64_t{value > 0} - int64_t{value < 0}, a.error >= std::abs(to_double(a)) && a.error > 0 ? 2 : 0);
  }
  return function(op, a, dtype);
}

}  // namespace tileproof::oracle
