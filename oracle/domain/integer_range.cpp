#include "oracle/domain/integer_range.h"

#include "oracle/domain/rounding.h"

#include <algorithm>
#include <cmath>

namespace tileproof::oracle {
namespace {

using ir::Op;

constexpr int64_t exact = int64_t{1} << 53;

/// Every integer of at most this size is a value of the floating dtype.
double whole_to(ir::Dtype dtype) {
  if (dtype == ir::Dtype::e8m0) return 0;
  const FloatFormat& format = float_format(dtype);
  return std::min(std::ldexp(1, format.precision), format.max_finite);
}

bool fits(ir::Interval range, ir::Dtype to) {
  if (ir::is_float(to)) return static_cast<double>(std::max(-range.low, range.high)) <= whole_to(to);
  return range.low >= ir::lowest(to) && range.high <= ir::highest(to);
}

}  // namespace

IntegerRangeValue IntegerRange::within(ir::Interval range) {
  return range.low >= -exact && range.high <= exact ? Value{Kind::integers, range} : any(true);
}

auto IntegerRange::all_of(ir::Dtype dtype) -> Value { return within({ir::lowest(dtype), ir::highest(dtype)}); }

auto IntegerRange::combined(Op op, Value a, Value b) -> Value {
  if (!is_number(a) || !is_number(b)) return unknown(a, b);
  if (!are_integers(a, b)) return any(is_whole(a) && is_whole(b));
  const auto range = ir::combine(op, a.range, b.range);
  return range ? within(*range) : any(true);
}

auto IntegerRange::bitwise(Op op, Value a, Value b) -> Value {
  if (is_poison(a) || is_poison(b)) return poison();
  if (!are_integers(a, b)) return any(true);
  if (op == Op::bit_and && a.range.low >= 0)
    return within({0, b.range.low >= 0 ? std::min(a.range.high, b.range.high) : a.range.high});
  if (op == Op::bit_and && b.range.low >= 0) return within({0, b.range.high});
  int64_t size = 1;  // both are less than it, and not less than its negation; so is what their bits make
  while (std::min(a.range.low, b.range.low) < -size || std::max(a.range.high, b.range.high) >= size) size *= 2;
  return within({a.range.low >= 0 && b.range.low >= 0 ? 0 : -size, size - 1});
}

auto IntegerRange::input(const InputElement& at) const -> Value {
  if (ir::is_float(at.dtype)) return any();
  return at.low < at.high ? within({at.low, at.high - 1}) : all_of(at.dtype);
}

auto IntegerRange::literal(ir::Decimal decimal) const -> Value {
  const auto value = ir::to_integer(decimal);
  return value ? integer(*value) : any();
}

auto IntegerRange::max(Value a, Value b) const -> Value {
  if (a.kind == Kind::none) return b;
  if (b.kind == Kind::none) return a;
  if (are_integers(a, b) || !is_number(a) || !is_number(b)) return combined(Op::max, a, b);
  return {Kind::any, {std::max(a.range.low, b.range.low), std::max(a.range.high, b.range.high)}, is_whole(a) && is_whole(b)};
}

auto IntegerRange::compare(Op, Value a, Value b) const -> Value {
  return is_poison(a) || is_poison(b) ? poison() : within({0, 1});
}

auto IntegerRange::select(Value c, Value a, Value b) const -> Value {
  if (is_poison(c) || is_poison(a) || is_poison(b)) return poison();
  if (!are_integers(a, b)) return any(is_whole(a) && is_whole(b));
  return within({std::min(a.range.low, b.range.low), std::max(a.range.high, b.range.high)});
}

auto IntegerRange::apply(Op op, std::span<const Value> operands, ir::Dtype) const -> Value {
  if (std::ranges::any_of(operands, is_poison)) return poison();
  const Value a = operands[0];
  switch (op) {
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not: return within({0, 1});
    case Op::sign: return within({-1, 1});
    case Op::abs: return max(a, negate(a));
    case Op::floor:
    case Op::ceil:
    case Op::round: return a.kind == Kind::any ? within(a.range) : a;
    case Op::bit_not: return combined(Op::subtract, negate(a), integer(1));
    case Op::floordiv:
    case Op::mod: return combined(op, a, operands[1]);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor: return bitwise(op, a, operands[1]);
    case Op::shift_right:
      if (!are_integers(a, operands[1]) || operands[1].range.low < 0) return any();
      return within({std::min<int64_t>(a.range.low, 0), std::max<int64_t>(a.range.high, 0)});
    default: return any();
  }
}

void IntegerRange::note(std::vector<bool>& sites, Site site) {
  if (site == no_site) return;
  if (site >= sites.size()) sites.resize(site + size_t{1});
  sites[site] = true;
}

auto IntegerRange::into(Value v, ir::Dtype to, const Narrowing& narrowing) -> Value {
  const bool projects = sets_.is_narrow(to) || (ir::is_integer(to) && narrowing.from_float && sets_.has_whole());
  const bool whole = v.kind == Kind::integers;
  if (whole && fits(v.range, to)) return v;
  if (!whole && narrowing.from_float && ir::is_integer(to)) {
    if (!is_whole(v)) note(fractions_, narrowing.site);
    if (fits(v.range, to)) return within(v.range);
  }
  const bool is_word = wraps_when_read(to);
  if (((whole && projects) || is_word) && narrowing.site != no_site) {
    words_wrap_ |= is_word;
    note(misfits_, narrowing.site);
  }
  if (!ir::is_float(to)) return all_of(to);
  if (to == ir::Dtype::e8m0) return any();
  if (within(v.range).kind == Kind::any) return any(is_whole(v));   // a whole number is rounded to a whole one
  const double low = round_to(to, static_cast<double>(v.range.low)), high = round_to(to, static_cast<double>(v.range.high));
  if (!std::isfinite(low) || !std::isfinite(high)) return any(is_whole(v));
  const ir::Interval range{static_cast<int64_t>(low), static_cast<int64_t>(high)};
  return whole ? within(range) : Value{Kind::any, range, v.whole};
}

auto IntegerRange::narrow(Value v, const Narrowing& narrowing) -> Value {
  if (v.kind == Kind::poison || v.kind == Kind::none || narrowing.when_read) return v;
  if (narrowing.from != narrowing.to && ir::is_float(narrowing.from) == narrowing.from_float)
    v = into(v, narrowing.from, narrowing);
  return into(v, narrowing.to, narrowing);
}

auto IntegerRange::identity(ir::Update update) const -> Value {
  switch (update) {
    case ir::Update::max:
    case ir::Update::min: return {Kind::none, {}};
    case ir::Update::multiply: return integer(1);
    case ir::Update::bit_and: return integer(-1);
    default: return integer(0);
  }
}

auto IntegerRange::accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype) const -> Value {
  if (const auto result = accumulate_arithmetic(*this, update, old, value, dtype)) return *result;
  return bitwise(update == ir::Update::bit_and  ? Op::bit_and
                 : update == ir::Update::bit_or ? Op::bit_or
                                                : Op::bit_xor,
                 old, value);
}

}  // namespace tileproof::oracle
