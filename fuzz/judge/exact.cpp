#include "fuzz/judge/exact.h"

#include "fuzz/judge/exact_rounding.h"
#include "oracle/domain/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tileproof::fuzz {

using ir::Dtype;
using ir::Op;

mpz_class Exact::mpz_of(int64_t value) {
  static_assert(sizeof(long) == sizeof(int64_t));
  return mpz_class(static_cast<long>(value));
}

uint32_t Exact::keep(mpq_class value) {
  store_.push_back(std::move(value));
  return static_cast<uint32_t>(store_.size() - 1);
}

Exact::Value Exact::exact(mpq_class value) {
  const uint32_t at = keep(std::move(value));
  return {Kind::number, false, at, at};
}

Exact::Value Exact::between(mpq_class low, mpq_class high) {
  if (low == high) return exact(std::move(low));
  const uint32_t first = keep(std::move(low));
  return {Kind::number, false, first, keep(std::move(high))};
}

int Exact::sign(Value v) const {
  if (v.kind == Kind::infinite) return v.negative ? -1 : 1;
  return low(v) > 0 ? 1 : high(v) < 0 ? -1 : 0;
}

namespace {

/// The result where an operand is no number: poison is strict, then NaN, then what is unknown.
std::optional<ExactValue> strict(std::initializer_list<ExactValue> operands) {
  for (const ExactValue::Kind kind : {ExactValue::Kind::poison, ExactValue::Kind::not_a_number, ExactValue::Kind::unknown}) {
    for (const ExactValue& v : operands)
      if (v.kind == kind) return v;
  }
  return std::nullopt;
}

}  // namespace

// ---- arithmetic ----

Exact::Value Exact::literal(ir::Decimal decimal) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(decimal.exponent)));
  mpq_class value(mpz_of(decimal.digits));
  if (decimal.exponent >= 0)
    value *= power;
  else
    value /= power;
  return exact(std::move(value));
}

Exact::Value Exact::negate(Value a) {
  if (a.kind == Kind::infinite) return {Kind::infinite, !a.negative};
  if (a.kind != Kind::number) return a;
  if (is_exact(a)) return exact(-low(a));
  return between(-high(a), -low(a));
}

/// Integers are 64 bits and wrap.
Exact::Value Exact::wrapped(Value v, Dtype dtype) {
  if (ir::is_float(dtype) || v.kind != Kind::number) return v;
  if (!is_exact(v)) {
    const mpq_class limit = mpq_class(mpz_class(1) << 63);
    return low(v) >= -limit && high(v) < limit ? v : Value{Kind::unknown};
  }
  if (low(v).get_den() != 1) return v;
  mpz_class result = wrap(Dtype::i64, low(v).get_num());
  return result == low(v).get_num() ? v : exact(mpq_class(result));
}

Exact::Value Exact::sum(Value a, Value b) {
  if (const auto special = strict({a, b})) return *special;
  if (a.kind == Kind::infinite && b.kind == Kind::infinite) return a.negative == b.negative ? a : nan();
  if (a.kind == Kind::infinite) return a;
  if (b.kind == Kind::infinite) return b;
  if (is_exact(a) && is_exact(b)) return exact(low(a) + low(b));
  return between(low(a) + low(b), high(a) + high(b));
}

Exact::Value Exact::add(Value a, Value b, Dtype dtype) { return wrapped(sum(a, b), dtype); }

Exact::Value Exact::product(Value a, Value b) {
  if (const auto special = strict({a, b})) return *special;
  if (a.kind == Kind::infinite || b.kind == Kind::infinite) {
    const int signs = sign(a) * sign(b);
    if (signs != 0) return {Kind::infinite, signs < 0};
    const Value finite = a.kind == Kind::infinite ? b : a;
    return is_exact(finite) ? nan() : Value{Kind::unknown};
  }
  if (is_exact(a) && is_exact(b)) return exact(low(a) * low(b));
  const mpq_class products[] = {low(a) * low(b), low(a) * high(b), high(a) * low(b), high(a) * high(b)};
  const auto [least, most] = std::ranges::minmax(products);
  return between(least, most);
}

Exact::Value Exact::multiply(Value a, Value b, Dtype dtype) { return wrapped(product(a, b), dtype); }

Exact::Value Exact::divide(Value a, Value b, Dtype) {
  if (const auto special = strict({a, b})) return *special;
  if (b.kind == Kind::infinite) return a.kind == Kind::infinite ? nan() : exact(0);
  if (sign(b) == 0) return {Kind::unknown};   // also by an exact 0: whose sign is not known
  if (is_exact(b)) return product(a, exact(1 / low(b)));
  return product(a, between(1 / high(b), 1 / low(b)));
}

Exact::Value Exact::max(Value a, Value b) {
  if (const auto special = strict({a, b})) return *special;
  if (a.kind == Kind::infinite) return a.negative ? b : a;
  if (b.kind == Kind::infinite) return b.negative ? a : b;
  if (low(a) >= high(b)) return a;
  if (low(b) >= high(a)) return b;
  return between(std::max(low(a), low(b)), std::max(high(a), high(b)));
}

Exact::Value Exact::compare(Op op, Value a, Value b) {
  if (a.kind == Kind::poison || b.kind == Kind::poison) return poison();
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return between(0, 1);
  if (is_nan(a) || is_nan(b)) return integer(op == Op::not_equal);
  int order = 2;   // -1, 0, 1; 2: open
  if (a.kind == Kind::infinite || b.kind == Kind::infinite) {
    const auto rank = [](Value v) { return v.kind == Kind::infinite ? (v.negative ? -1 : 1) : 0; };
    order = rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
  } else if (high(a) < low(b)) {
    order = -1;
  } else if (low(a) > high(b)) {
    order = 1;
  } else if (is_exact(a) && is_exact(b)) {
    order = 0;
  }
  if (order == 2) return between(0, 1);
  switch (op) {
    case Op::less: return integer(order < 0);
    case Op::less_equal: return integer(order <= 0);
    case Op::greater: return integer(order > 0);
    case Op::greater_equal: return integer(order >= 0);
    case Op::equal: return integer(order == 0);
    default: return integer(order != 0);
  }
}

Exact::Value Exact::select(Value c, Value a, Value b) {
  if (is_poison(c) || is_poison(a) || is_poison(b)) return poison();
  if (is_exact(c)) return low(c) != 0 ? a : b;
  if (c.kind == Kind::infinite || (c.kind == Kind::number && sign(c) != 0)) return a;
  if (a.kind != Kind::number || b.kind != Kind::number) return {Kind::unknown};
  return between(std::min(low(a), low(b)), std::max(high(a), high(b)));
}

// ---- other operators ----

Exact::Value Exact::integers(Op op, Value a, Value b) {
  if (const auto special = strict({a, b})) return *special;
  if (!is_exact(a) || !is_exact(b) || low(a).get_den() != 1 || low(b).get_den() != 1) return {Kind::unknown};
  const mpz_class &x = low(a).get_num(), &y = low(b).get_num();
  mpz_class result;
  switch (op) {
    case Op::floordiv:
    case Op::mod:
      if (y == 0) return {Kind::unknown};
      mpz_fdiv_q(result.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
      if (op == Op::mod) result = x - y * result;
      break;
    case Op::bit_and: result = x & y; break;
    case Op::bit_or: result = x | y; break;
    case Op::bit_xor: result = x ^ y; break;
    default: {
      if (y < 0 || y > 63) {
        result = op == Op::shift_right && x < 0 ? -1 : 0;
        break;
      }
      const auto places = static_cast<mp_bitcnt_t>(y.get_ui());
      if (op == Op::shift_left)
        result = x << places;
      else
        mpz_fdiv_q_2exp(result.get_mpz_t(), x.get_mpz_t(), places);
    }
  }
  return wrapped(exact(mpq_class(result)), Dtype::i64);
}

namespace {

/// The C library's functions are right to a few units in the last place (glibc: below 3).
constexpr double slack = 8 * std::numeric_limits<double>::epsilon();

mpq_class below(double value) { return mpq_class(value - std::abs(value) * slack - std::numeric_limits<double>::min()); }
mpq_class above(double value) { return mpq_class(value + std::abs(value) * slack + std::numeric_limits<double>::min()); }

/// The argument rounded to a double moves a function by its slope: so both neighbours are asked.
double down(const mpq_class& q) { return std::nextafter(q.get_d(), -std::numeric_limits<double>::infinity()); }
double up(const mpq_class& q) { return std::nextafter(q.get_d(), std::numeric_limits<double>::infinity()); }

}  // namespace

Exact::Value Exact::function(Op op, Value v) {
  if (const auto special = strict({v})) return *special;
  if (v.kind == Kind::infinite) return {Kind::unknown};
  const mpq_class huge(1e300);
  if (low(v) < -huge || high(v) > huge) return {Kind::unknown};
  const auto increasing = [&](auto f) -> Value {
    const double least = f(down(low(v))), most = f(up(high(v)));
    if (!std::isfinite(least) || !std::isfinite(most)) return {Kind::unknown};
    return between(below(least), above(most));
  };
  const auto periodic = [&](auto f) -> Value {   // slope at most 1
    const mpq_class width = high(v) - low(v);
    const double at = low(v).get_d();
    if (std::abs(at) > 1e6) return {Kind::unknown};
    const mpq_class radius = width + mpq_class(std::abs(at) * slack + std::numeric_limits<double>::min());
    return between(below(f(at)) - radius, above(f(at)) + radius);
  };
  const Value one = integer(1);
  switch (op) {
    case Op::exp: return increasing([](double x) { return std::exp(x); });
    case Op::log:
      return low(v) > 0 ? increasing([](double x) { return std::log(x); }) : high(v) < 0 ? nan() : Value{Kind::unknown};
    case Op::sqrt:
      if (high(v) < 0) return nan();
      return low(v) >= 0 ? increasing([](double x) { return std::sqrt(std::max(0.0, x)); }) : Value{Kind::unknown};
    case Op::rsqrt: return divide(one, function(Op::sqrt, v), Dtype::f64);
    case Op::tanh: return increasing([](double x) { return std::tanh(x); });
    case Op::erf: return increasing([](double x) { return std::erf(x); });
    case Op::sigmoid: return divide(one, sum(one, function(Op::exp, negate(v))), Dtype::f64);
    case Op::silu: return product(v, function(Op::sigmoid, v));
    case Op::softplus: return function(Op::log, sum(one, function(Op::exp, v)));
    case Op::gelu: {
      const Value inner = function(Op::erf, divide(v, function(Op::sqrt, integer(2)), Dtype::f64));
      return product(product(v, sum(one, inner)), exact(mpq_class(1, 2)));
    }
    case Op::sin: return periodic([](double x) { return std::sin(x); });
    case Op::cos: return periodic([](double x) { return std::cos(x); });
    default: return {Kind::unknown};
  }
}

Exact::Value Exact::apply(Op op, std::span<const Value> v, Dtype dtype) {
  if (ir::is_function(op)) return function(op, v[0]);
  const auto is_true = [&](Value a) { return compare(Op::not_equal, a, integer(0)); };
  switch (op) {
    case Op::abs: return wrapped(max(v[0], negate(v[0])), dtype);
    case Op::sign:
      if (const auto special = strict({v[0]})) return *special;
      if (sign(v[0]) != 0) return integer(sign(v[0]));
      return is_exact(v[0]) ? integer(0) : between(-1, 1);
    case Op::floor:
    case Op::ceil:
    case Op::round:
      if (v[0].kind != Kind::number) return v[0];
      return on_ends(v[0], [&](const mpq_class& q) {
        if (op == Op::ceil) return mpq_class(-floor_of(-q));
        return mpq_class(op == Op::floor ? floor_of(q) : nearest_integer(q));
      });
    case Op::logical_not: return compare(Op::equal, v[0], integer(0));
    case Op::logical_and: return product(is_true(v[0]), is_true(v[1]));
    case Op::logical_or: return max(is_true(v[0]), is_true(v[1]));
    case Op::bit_not: return sum(negate(v[0]), integer(-1));
    default: return integers(op, v[0], v[1]);
  }
}

Exact::Value Exact::identity(ir::Update update) { return oracle::arithmetic_identity(*this, update); }

Exact::Value Exact::accumulate(ir::Update update, Value old, Value value, Dtype dtype) {
  if (const auto result = oracle::accumulate_arithmetic(*this, update, old, value, dtype)) return *result;
  return integers(update == ir::Update::bit_and  ? Op::bit_and
                  : update == ir::Update::bit_or ? Op::bit_or
                                                 : Op::bit_xor,
                  old, value);
}

// ---- narrowing ----

Exact::Value Exact::to_float(Value v, Dtype to) {
  if (to == Dtype::f64 || to == Dtype::f32) return v;
  const oracle::FloatFormat& format = oracle::float_format(to);
  if (v.kind == Kind::infinite) {
    if (format.has_infinity) return v;
    if (!format.is_signed && v.negative) return exact(*nearest_of(to, mpq_class(0)));
    const mpq_class largest(format.max_finite);
    return exact(v.negative ? mpq_class(-largest) : largest);
  }
  if (v.kind != Kind::number) return v;
  const auto first = nearest_of(to, low(v)), last = is_exact(v) ? first : nearest_of(to, high(v));
  if (is_exact(v)) return first ? exact(*first) : Value{Kind::infinite, low(v) < 0};
  return first && last ? between(*first, *last) : Value{Kind::unknown};
}

Exact::Value Exact::to_integer(Value v, Dtype to) {
  const mpz_class lowest = mpz_of(ir::lowest(to)), highest = mpz_of(ir::highest(to));
  if (v.kind == Kind::infinite) return exact(mpq_class(v.negative ? lowest : highest));
  if (v.kind != Kind::number) return v;
  return on_ends(v, [&](const mpq_class& q) {
    mpz_class nearest = nearest_integer(q);
    return mpq_class(nearest < lowest ? lowest : nearest > highest ? highest : nearest);
  });
}

Exact::Value Exact::narrow(Value v, const oracle::Narrowing& n) {
  if (ir::is_float(n.to)) return to_float(v, n.to);
  if (n.from_float || v.kind == Kind::infinite) return to_integer(v, n.to);
  if (v.kind != Kind::number) return v;
  if (n.from != n.to && ir::is_integer(n.from) && ir::bits(n.from) < 64) v = narrow(v, {n.from, n.from, false, n.site});
  if (v.kind != Kind::number) return v;
  if (n.to == Dtype::boolean) return compare(Op::not_equal, v, integer(0));
  if (!is_exact(v) || low(v).get_den() != 1) {
    const mpq_class lowest(mpz_of(ir::lowest(n.to))), highest(mpz_of(ir::highest(n.to)));
    return low(v) >= lowest && high(v) <= highest ? v : Value{Kind::unknown};
  }
  return exact(mpq_class(wrap(n.to, low(v).get_num())));
}

// ---- results ----

bool Exact::differ(const Exact& one, Value a, const Exact& other, Value b) {
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return false;
  if (a.kind != b.kind) return true;
  if (a.kind == Kind::infinite) return a.negative != b.negative;
  return a.kind == Kind::number && (one.high(a) < other.low(b) || other.high(b) < one.low(a));
}

std::string Exact::describe(Value v) const {
  switch (v.kind) {
    case Kind::number: return is_exact(v) ? low(v).get_str() : fmt::format("about {}", low(v).get_d());
    case Kind::infinite: return v.negative ? "-inf" : "inf";
    case Kind::not_a_number: return "NaN";
    case Kind::unknown: return "unknown";
    case Kind::poison: return "undefined";
  }
  return "?";
}

}  // namespace tileproof::fuzz
