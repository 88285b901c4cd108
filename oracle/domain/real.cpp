#include "oracle/domain/real.h"

#include "oracle/domain/rounding.h"

#include <algorithm>
#include <cstdio>

namespace tileproof::oracle {
namespace {

using ir::Dtype;
using ir::Op;

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double u = 0x1p-52;           // twice the unit roundoff of double: covers the rounding of the bounds themselves
constexpr double slack = 1 + 8 * u;   // as Real's own

double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

/// Not rounded to in ideal arithmetic (f32 is, beside f64: then the bound is wider than it need be).
bool is_wide(Dtype dtype) { return dtype == Dtype::f32 || dtype == Dtype::f64; }

/// What the exact sum and product differ by from the double that stands for them.
double sum_error(double a, double b, double sum) {
  const double part = sum - a;
  return std::abs((a - (sum - part)) + (b - part));
}
double product_error(double a, double b, double result) {
  const double error = std::abs(std::fma(a, b, -result));
  return std::abs(result) < 0x1p-960 && result != 0 ? error + 0x1p-1074 : error;  // the residue of a tiny product may underflow
}

/// The largest distance of f(value) to f(value +- error), of a monotone f with value `result` at `value`.
template <class F>
double spread(double value, double error, double result, const F& f) {
  if (error == 0) return 0;
  const auto [below, above] = Real::around(value, error);
  const double up = std::abs(f(above) - result), down = std::abs(f(below) - result);
  return std::isnan(up) || std::isnan(down) ? unknown : std::max(up, down) * slack;
}

}  // namespace

Real::Value Real::literal(ir::Decimal decimal) const {
  if (const auto integer = ir::to_integer(decimal)) return make(*integer, 0);
  const double value = ir::to_double(decimal);
  bool exact = decimal.exponent < 0 && decimal.exponent >= -22;  // digits / 10^k is dyadic iff 5^k divides digits
  int64_t digits = decimal.digits;
  for (int k = decimal.exponent; exact && k < 0; ++k, digits /= 5) exact = digits % 5 == 0;
  return make(value, exact && std::abs(digits) <= int64_t{1} << 53 ? 0 : std::abs(value) * u);
}

/// A result of real arithmetic, rounded to the dtype it is computed in; `error` holds what came in and what the double lost.
Real::Value Real::rounded(double value, double error, Dtype dtype) const {
  if (std::isnan(value)) return make(value, error == 0 ? 0 : unknown);
  if (rounds_to_f32() && dtype != Dtype::f64) {
    const double result = round_to(ir::is_float(dtype) ? dtype : Dtype::f32, value);
    if (std::isinf(result) && !std::isinf(value)) return make(result, unknown);
    if (!std::isinf(value)) error += std::abs(result - value);
    value = result;
  }
  return make(value, std::isnan(error) ? unknown : error * slack);
}

Real::Value Real::negate(Value a) const {
  if (is_poison(a)) return a;
  if (is_integer(a)) return make(static_cast<int64_t>(-a.bits), a.error);
  return make(-std::bit_cast<double>(a.bits), a.error);
}

Real::Value Real::add_carefully(Value a, Value b, Dtype dtype) const {
  if (is_poison(a) || is_poison(b)) return poison();
  if (is_integer(a) && is_integer(b) && !ir::is_float(dtype)) {
    int64_t sum = 0;
    const bool wraps = __builtin_add_overflow(int_of(a), int_of(b), &sum);
    const double error = a.error + b.error;
    return make(sum, wraps && error > 0 ? unknown : error);
  }
  const double x = to_double(a), y = to_double(b), sum = x + y;
  const double error = as_real(a).error + as_real(b).error;
  if (std::isinf(sum)) return make(sum, std::isinf(x) ? a.error : std::isinf(y) ? b.error : unknown);
  return rounded(sum, std::isnan(sum) ? error : error + sum_error(x, y, sum), dtype);
}

Real::Value Real::multiply_carefully(Value a, Value b, Dtype dtype) const {
  if (is_poison(a) || is_poison(b)) return poison();
  if (is_integer(a) && is_integer(b) && !ir::is_float(dtype)) {
    int64_t result = 0;
    const bool wraps = __builtin_mul_overflow(int_of(a), int_of(b), &result);
    if (wraps) result = static_cast<int64_t>(a.bits * b.bits);
    const double error =
        product(a.error, std::abs(to_double(b))) + product(b.error, std::abs(to_double(a))) + product(a.error, b.error);
    return make(result, wraps && error > 0 ? unknown : error);
  }
  const double x = to_double(a), y = to_double(b), result = x * y;
  const double x_error = as_real(a).error, y_error = as_real(b).error;
  if (std::isinf(result)) {
    const bool from_infinity = std::isinf(x) || std::isinf(y);
    const bool certain =
        (std::isinf(x) ? a.error == 0 : std::abs(x) > x_error) && (std::isinf(y) ? b.error == 0 : std::abs(y) > y_error);
    return make(result, from_infinity && certain ? 0 : unknown);
  }
  if (std::isnan(result)) return rounded(result, x_error + y_error, dtype);
  const double error = product(x_error, std::abs(y)) + product(y_error, std::abs(x)) + product(x_error, y_error);
  return rounded(result, error + product_error(x, y, result), dtype);
}

Real::Value Real::divide(Value a, Value b, Dtype dtype) const {
  if (is_poison(a) || is_poison(b)) return poison();
  const double x = to_double(a), y = to_double(b), quotient = x / y;
  const double x_error = as_real(a).error, y_error = as_real(b).error;
  if (std::isnan(quotient)) return rounded(quotient, x_error + y_error, dtype);
  if (std::isinf(y)) return make(quotient, b.error == 0 && x_error < unknown ? 0 : unknown);
  if (std::abs(y) <= y_error && y_error > 0) return make(quotient, unknown);
  if (std::isinf(quotient)) return make(quotient, std::isinf(x) ? a.error : y == 0 && x_error < std::abs(x) ? 0 : unknown);
  const double residue = std::abs(std::fma(-quotient, y, x)) + (std::abs(x) < 0x1p-960 && x != 0 ? 0x1p-1074 : 0);
  return rounded(quotient, (x_error + product(std::abs(quotient), y_error) + residue) / (std::abs(y) - y_error), dtype);
}

Real::Value Real::extreme(Value a, Value b, bool smaller) const {
  if (is_poison(a) || is_poison(b)) return poison();
  if (is_nan(a)) return a;
  if (is_nan(b)) return b;
  const bool integers = is_integer(a) && is_integer(b);
  const bool a_wins = integers ? (int_of(a) < int_of(b)) == smaller : (to_double(a) < to_double(b)) == smaller;
  Value winner = integers ? (a_wins ? a : b) : as_real(a_wins ? a : b);
  const Value loser = a_wins ? b : a;
  const bool decided = std::abs(to_double(a) - to_double(b)) > a.error + b.error;
  if (!decided) winner.error = std::max(winner.error, loser.error);
  return winner;
}

Real::Value Real::compare(Op op, Value a, Value b) const {
  if (is_poison(a) || is_poison(b)) return poison();
  // Where a NaN came of an overflow, another order of the same operations may have given a number.
  if (is_nan(a) || is_nan(b)) return make(int64_t{op == Op::not_equal}, a.error == 0 && b.error == 0 ? 0 : 1);
  const auto holds = [&](auto x, auto y) {
    switch (op) {
      case Op::less: return x < y;
      case Op::less_equal: return x <= y;
      case Op::greater: return x > y;
      case Op::greater_equal: return x >= y;
      case Op::equal: return !(x < y) && !(y < x);
      default: return x < y || y < x;
    }
  };
  const bool result = is_integer(a) && is_integer(b) ? holds(int_of(a), int_of(b)) : holds(to_double(a), to_double(b));
  const double error = a.error + b.error;
  const double distance = to_double(a) == to_double(b) ? 0 : std::abs(to_double(a) - to_double(b));
  return make(int64_t{result}, error > 0 && distance <= error ? 1 : 0);
}

Real::Value Real::select(Value c, Value a, Value b) const {
  if (is_poison(c) || is_poison(a) || is_poison(b)) return poison();
  if (is_nan(c)) return c;
  Value picked = to_double(c) != 0 ? a : b;
  if (c.error > 0) {
    const double x = to_double(a), y = to_double(b);
    const double apart = x == y ? 0 : std::abs(x - y);
    picked.error = std::isfinite(apart) ? apart + std::max(a.error, b.error) : unknown;
  }
  return picked;
}

Real::Value Real::narrow_to_float(Value v, Dtype to, bool additive) const {
  const Value real = as_real(v);
  const double value = to_double(real);
  if (!options_.rounding || std::isnan(value)) return real;
  const double result = round_to(to, value);
  if (std::isinf(value)) return make(result, real.error);
  if (std::isinf(result)) return make(result, unknown);
  const double flip = spread(value, real.error, result, [&](double x) { return round_to(to, x); });
  // Where ideal arithmetic leaves the value alone, as it does at an exempt narrowing, the bound is on what the rounding moved.
  const double moved = (real.error + std::abs(result - value)) * slack;
  return make(result, additive || is_wide(to) ? std::max(flip, moved) : flip);
}

Real::Value Real::narrow_to_integer(Value v, Dtype to) const {
  if (is_integer(v)) {
    const int64_t result = wrap_to_integer(to, int_of(v));
    if (v.error == 0) return make(result, 0);
    if (to == Dtype::boolean) return make(result, std::abs(to_double(v)) <= v.error ? 1 : 0);
    const double value = to_double(v);
    const bool fits =
        value - v.error >= static_cast<double>(ir::lowest(to)) && value + v.error <= static_cast<double>(ir::highest(to));
    return make(result, fits ? v.error : unknown);
  }
  if (is_nan(v)) return v;
  const double value = to_double(v);
  const int64_t result = round_to_integer(to, value);
  if (std::isinf(value)) return make(result, v.error);
  return make(result, spread(value, v.error, static_cast<double>(result),
                             [&](double x) { return static_cast<double>(round_to_integer(to, x)); }));
}

void Real::mark_changed(Site site) {
  if (site == no_site) return;
  if (site >= changed_.size()) changed_.resize(site + size_t{1});
  changed_[site] = true;
}

Real::Value Real::narrow(Value v, const Narrowing& narrowing) {
  if (is_poison(v)) return v;
  if (v.kind == Value::Kind::real && v.error == 0 && narrowing.to == Dtype::f32 && narrowing.from == Dtype::f32 &&
      narrowing.from_float) {  // the most common case of all
    const double value = std::bit_cast<double>(v.bits);
    if (static_cast<double>(static_cast<float>(value)) == value) return v;
  }
  if (!options_.rounding && ir::is_float(narrowing.to) && (narrowing.from_float || !is_integer(v))) return as_real(v);
  const bool exempt = narrowing.site < options_.projection.exempt.size() && options_.projection.exempt[narrowing.site];
  const bool additive = exempt || !options_.projection.floats;
  if (!is_integer(v) && v.error == 0 && narrowing.from_float &&
      ir::is_float(narrowing.to)) {  // what follows, for the common case
    const double value = to_double(v), result = round_to(narrowing.to, value);
    const bool stays = narrowing.from == narrowing.to || round_to(narrowing.from, value) == value;
    if (stays && std::isfinite(result)) {
      if (result == value) return v;
      mark_changed(narrowing.site);
      return make(result, additive || is_wide(narrowing.to) ? std::abs(result - value) * slack : 0);
    }
  }
  if (!is_integer(v) && narrowing.to == Dtype::f32 && narrowing.from == Dtype::f32 && narrowing.from_float && options_.rounding) {
    const double value = to_double(v);  // the same again: an f32 with a bound
    if (static_cast<double>(static_cast<float>(value)) == value && std::isfinite(value)) {
      const auto [below, above] = around(value, v.error);
      const double down = value - static_cast<double>(static_cast<float>(below)),
                   up = static_cast<double>(static_cast<float>(above)) - value;
      return make(value, std::max({v.error, down, up}) * slack);
    }
  }
  const auto step = [&](Value value, Dtype to) {
    return ir::is_float(to) ? narrow_to_float(value, to, additive) : narrow_to_integer(value, to);
  };
  if (narrowing.to == Dtype::boolean && !narrowing.from_float && narrowing.site != no_site) {  // a compare with 0
    bool& met = compared_at(uint64_t{1} << 63 | narrowing.site);
    met = met || equal(v, integer(0));
  }
  Value result = v;
  // An infinity in an integer buffer is the lowest or highest of that buffer.
  const bool infinite = !is_integer(v) && std::isinf(to_double(v));
  if (narrowing.from != narrowing.to && ir::is_float(narrowing.from) == narrowing.from_float && !infinite)
    result = step(result, narrowing.from);
  result = step(result, narrowing.to);
  const bool changes = is_integer(v) && is_integer(result) ? v.bits != result.bits : to_double(v) != to_double(result);
  // The identity of a maximum, which is exact, becomes the lowest integer, and that is no change; what overflowed is one.
  if (changes && (is_finite(v) || v.error > 0)) mark_changed(narrowing.site);
  return result;
}

bool Real::contract(Value* sums, const Packed* a, const Packed* b, int64_t count) const {
  float results[panel];
  double errors[panel];
  for (int64_t j = 0; j < panel; ++j) {
    results[j] = static_cast<float>(to_double(sums[j]));
    if (is_poison(sums[j]) || static_cast<double>(results[j]) != to_double(sums[j])) return false;
  }
  contract_f32(results, errors, a, b, count);
  if (!std::ranges::all_of(results, [](float x) { return std::isfinite(x); }) ||
      !std::ranges::all_of(errors, [](double x) { return std::isfinite(x); }))
    return false;
  for (int64_t j = 0; j < panel; ++j) sums[j] = make(static_cast<double>(results[j]), (sums[j].error + errors[j]) * slack);
  return true;
}

Real::Value Real::identity(ir::Update update) const { return arithmetic_identity(*this, update); }

Real::Value Real::accumulate_other(ir::Update update, Value old, Value value, Dtype dtype) const {
  // The identity of max and min is infinite also where integers are combined, and these stay integers, which wrap when stored.
  const bool begins = !is_integer(old) && !is_poison(old) && std::isinf(to_double(old));
  if (begins && is_integer(value) && !ir::is_float(dtype) && (update == ir::Update::max || update == ir::Update::min))
    return value;
  if (const auto result = accumulate_arithmetic(*this, update, old, value, dtype)) return *result;
  return integer_operation(update == ir::Update::bit_and  ? Op::bit_and
                           : update == ir::Update::bit_or ? Op::bit_or
                                                          : Op::bit_xor,
                           old, value);
}

Real::Agreement Real::agreement(Value a, Value b) {
  if (is_poison(a) || is_poison(b)) return is_poison(a) && is_poison(b) ? Agreement::agree : Agreement::differ;
  const double bound = a.error + b.error;
  if (is_integer(a) && is_integer(b)) {
    if (a.bits == b.bits) return Agreement::agree;
    if (bound == 0) return Agreement::differ;
  }
  const double x = to_double(a), y = to_double(b);
  if (x == y || (std::isnan(x) && std::isnan(y))) return Agreement::agree;
  if (!(bound < unknown)) return Agreement::not_judged;
  if (std::isnan(x) || std::isnan(y)) return Agreement::differ;
  return std::abs(x - y) <= bound * slack ? Agreement::agree : Agreement::differ;
}

std::string Real::describe(Value v) const {
  if (is_poison(v)) return "poison";
  if (is_integer(v)) return std::to_string(int_of(v));
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", to_double(v));
  return text;
}

}  // namespace tileproof::oracle
