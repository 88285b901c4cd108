#include "oracle/domain/integer_range.h"

#include "oracle/domain/rounding.h"

#include <algorithm>
#include <cmath>

namespace tileproof::oracle {
namespace {

constexpr double exact = 0x1p53;

/// Every integer of at most this size is a value of the dtype.
double whole_to(ir::Dtype dtype) {
  if (dtype == ir::Dtype::e8m0) return 0;
  const FloatFormat& format = float_format(dtype);
  return std::min(std::ldexp(1, format.precision), format.max_finite);
}

bool fits(IntegerRangeValue v, ir::Dtype to) {
  if (ir::is_float(to)) return std::max(std::abs(v.low), std::abs(v.high)) <= whole_to(to);
  return v.low >= static_cast<double>(ir::lowest(to)) && v.high <= static_cast<double>(ir::highest(to));
}

}  // namespace

IntegerRangeValue IntegerRange::between(double low, double high) {
  return std::max(std::abs(low), std::abs(high)) <= exact ? Value{Kind::integers, low, high} : any();
}

auto IntegerRange::input(const InputElement& at) const -> Value {
  if (ir::is_float(at.dtype)) return any();
  const bool declared = at.low < at.high;
  return between(static_cast<double>(declared ? at.low : ir::lowest(at.dtype)),
                 static_cast<double>(declared ? at.high - 1 : ir::highest(at.dtype)));
}

auto IntegerRange::literal(ir::Decimal decimal) const -> Value {
  const auto value = ir::to_integer(decimal);
  return value ? integer(*value) : any();
}

auto IntegerRange::negate(Value a) const -> Value { return a.kind == Kind::integers ? between(-a.high, -a.low) : a; }

auto IntegerRange::add(Value a, Value b, ir::Dtype) const -> Value {
  return are_integers(a, b) ? between(a.low + b.low, a.high + b.high) : unknown(a, b);
}

auto IntegerRange::multiply(Value a, Value b, ir::Dtype) const -> Value {
  if (!are_integers(a, b)) return unknown(a, b);
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return between(low, high);
}

auto IntegerRange::max(Value a, Value b) const -> Value {
  if (a.kind == Kind::none) return b;
  if (b.kind == Kind::none) return a;
  return are_integers(a, b) ? between(std::max(a.low, b.low), std::max(a.high, b.high)) : unknown(a, b);
}

auto IntegerRange::compare(ir::Op, Value a, Value b) const -> Value {
  return is_poison(a) || is_poison(b) ? poison() : between(0, 1);
}

auto IntegerRange::select(Value c, Value a, Value b) const -> Value {
  if (is_poison(c)) return poison();
  return are_integers(a, b) ? between(std::min(a.low, b.low), std::max(a.high, b.high)) : unknown(a, b);
}

auto IntegerRange::apply(ir::Op op, std::span<const Value> operands, ir::Dtype) const -> Value {
  if (std::ranges::any_of(operands, is_poison)) return poison();
  const Value a = operands[0];
  const bool whole = std::ranges::all_of(operands, [](Value v) { return v.kind == Kind::integers; });
  switch (op) {
    case ir::Op::logical_and:
    case ir::Op::logical_or:
    case ir::Op::logical_not: return between(0, 1);
    case ir::Op::sign: return between(-1, 1);
    case ir::Op::abs: return max(a, negate(a));
    case ir::Op::floor:
    case ir::Op::ceil:
    case ir::Op::round: return a;
    case ir::Op::bit_not: return whole ? between(-a.high - 1, -a.low - 1) : any();
    case ir::Op::floordiv: {
      const double b = whole ? operands[1].low : 0;
      return whole && b == operands[1].high && b > 0 ? between(std::floor(a.low / b), std::floor(a.high / b)) : any();
    }
    case ir::Op::mod: {
      const double b = whole ? operands[1].low : 0;
      if (!whole || b != operands[1].high || b <= 0) return any();
      return a.low >= 0 && a.high < b ? a : between(0, b - 1);
    }
    case ir::Op::bit_and:
      return whole && a.low >= 0 && operands[1].low >= 0 ? between(0, std::min(a.high, operands[1].high)) : any();
    case ir::Op::shift_right:
      return whole && operands[1].low >= 0 && operands[1].high < 63
                 ? between(std::floor(std::min(a.low, 0.0)), std::max(a.high, 0.0))
                 : any();
    default: return any();
  }
}

auto IntegerRange::into(Value v, ir::Dtype to, const Narrowing& narrowing) -> Value {
  const bool projects = sets_.is_narrow(to) || (ir::is_integer(to) && narrowing.from_float && sets_.has_whole());
  const bool whole = v.kind == Kind::integers;
  if (whole && fits(v, to)) return v;
  if (whole && projects && narrowing.site != no_site) {
    if (narrowing.site >= misfits_.size()) misfits_.resize(narrowing.site + size_t{1});
    misfits_[narrowing.site] = true;
  }
  if (!ir::is_float(to)) return between(static_cast<double>(ir::lowest(to)), static_cast<double>(ir::highest(to)));
  return whole && to != ir::Dtype::e8m0 ? between(round_to(to, v.low), round_to(to, v.high)) : any();
}

auto IntegerRange::narrow(Value v, const Narrowing& narrowing) -> Value {
  if (v.kind == Kind::poison || v.kind == Kind::none) return v;
  if (narrowing.from != narrowing.to && ir::is_float(narrowing.from) == narrowing.from_float)
    v = into(v, narrowing.from, narrowing);
  return into(v, narrowing.to, narrowing);
}

auto IntegerRange::identity(ir::Update update) const -> Value {
  switch (update) {
    case ir::Update::max:
    case ir::Update::min: return {Kind::none};
    case ir::Update::multiply: return integer(1);
    case ir::Update::bit_and: return integer(-1);
    default: return integer(0);
  }
}

auto IntegerRange::accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) const -> Value {
  switch (update) {
    case ir::Update::assign: return value;
    case ir::Update::add: return add(old, value, dtype);
    case ir::Update::multiply: return multiply(old, value, dtype);
    case ir::Update::max: return max(old, value);
    case ir::Update::min: return min(old, value);
    default: return unknown(old, value);
  }
}

}  // namespace tileproof::oracle
