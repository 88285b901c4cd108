#include "compiler/ir/interval.h"

#include "compiler/ir/floor_divide.h"

#include <algorithm>
#include <limits>

namespace tileproof::ir {
namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

int64_t add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? least : greatest;
  return sum;
}

int64_t negated(int64_t a) { return a == least ? greatest : -a; }

Interval product(Interval a, Interval b) {
  const auto [low, high] = std::minmax({multiply_saturating(a.low, b.low), multiply_saturating(a.low, b.high),
                                        multiply_saturating(a.high, b.low), multiply_saturating(a.high, b.high)});
  return {low, high};
}

Interval quotient(Interval a, Interval b) {
  const auto [low, high] = std::minmax(
      {floor_divide(a.low, b.low), floor_divide(a.low, b.high), floor_divide(a.high, b.low), floor_divide(a.high, b.high)});
  return {low, high};
}

Interval remainder(Interval a, Interval b) {
  if (a.low >= 0 && a.high < b.low) return a;
  if (a.is_point() && b.is_point()) {
    const int64_t rest = a.low % b.low;
    return rest < 0 ? Interval{rest + b.low, rest + b.low} : Interval{rest, rest};
  }
  return {0, b.high - 1};
}

}  // namespace

int64_t multiply_saturating(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return (a < 0) == (b < 0) ? greatest : least;
  return result;
}

Interval negated(Interval a) { return {negated(a.high), negated(a.low)}; }

std::optional<Interval> combine(Op op, Interval a, Interval b) {
  switch (op) {
    case Op::add: return Interval{add(a.low, b.low), add(a.high, b.high)};
    case Op::subtract: return combine(Op::add, a, negated(b));
    case Op::multiply: return product(a, b);
    case Op::floordiv: return b.low > 0 ? std::optional(quotient(a, b)) : std::nullopt;
    case Op::mod: return b.low > 0 ? std::optional(remainder(a, b)) : std::nullopt;
    case Op::min: return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::max: return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
    default: return std::nullopt;
  }
}

std::optional<Interval> interval(const Expression& e, const ParameterRange& range_of) {
  if (e.op == Op::literal) {
    const auto value = to_integer(e.value);
    return value ? std::optional(Interval{*value, *value}) : std::nullopt;
  }
  if (e.op == Op::variable) return range_of(e.name);
  if (e.op == Op::select && e.operands.size() == 3) {
    const auto a = interval(e.operands[1], range_of);
    const auto b = interval(e.operands[2], range_of);
    if (!a || !b) return std::nullopt;
    return Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
  }
  if (e.operands.empty() || e.operands.size() > 2) return std::nullopt;
  const auto a = interval(e.operands[0], range_of);
  if (!a) return std::nullopt;
  if (e.op == Op::negate) return negated(*a);
  if (e.operands.size() != 2) return std::nullopt;
  const auto b = interval(e.operands[1], range_of);
  if (!b) return std::nullopt;
  return combine(e.op, *a, *b);
}

}  // namespace tileproof::ir
