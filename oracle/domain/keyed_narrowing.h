// Keyed: what is drawn from the narrow sets, and the projections onto them (rules 2 and 7). Included by keyed_domain.h.
#pragma once

#include "oracle/domain/keyed_domain.h"

namespace tileproof::oracle {

template <class Derived, class Arithmetic>
void Keyed<Derived, Arithmetic>::inputs(const InputElement& at, int64_t end, Value* values) const {
  const auto hash = hash_.of_pair(tag(Tag::input), at.buffer_hash);
  if (sets_.zeros(at.dtype) == 0) {
    for (int64_t element = at.element; element < end; ++element)
      *values++ = drawn(hash(static_cast<uint64_t>(element)) % Modulus::modulus);
    return;
  }
  for (int64_t element = at.element; element < end; ++element)
    *values++ = member(hash(static_cast<uint64_t>(element)), [&](uint64_t bits) { return sets_.member(at.dtype, bits); });
}

/// `value` is finite or infinite, not NaN unless NaN is meant.
template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::from_real(double value) const -> Value {
  if (std::isnan(value)) return nan();
  if (std::isinf(value)) return Arithmetic::symbol(value > 0 ? symbols::infinity : symbols::minus_infinity);
  constexpr double limit = 0x1p53;
  if (std::abs(value) <= limit && value == std::floor(value)) return Arithmetic::integer(static_cast<int64_t>(value));
  const Dyadic parts = dyadic(value);
  return Arithmetic::scaled(parts.digits, 2, parts.exponent);
}

template <class Derived, class Arithmetic>
bool Keyed<Derived, Arithmetic>::is_member(Value v, ir::Dtype dtype) const {
  if (!is_number(v)) return false;
  const uint64_t code = first(v);
  if (const auto real = known(code)) return real->exact && round_to(dtype, real->value) == real->value;
  return lies_in(code, dtype);
}

/// Rounding to an integer, by floor or to nearest even (`how`: Op::floor or Op::round): onto the set of the integers where there
/// is one.
template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::whole(Value v, ir::Op how) const -> Value {
  const uint64_t code = first(v);
  const bool floors = how == ir::Op::floor;
  if (const auto real = known(code)) return from_real(floors ? std::floor(real->value) : std::nearbyint(real->value));
  if (sets_.has_whole() && ((words_.word(code) & sets_.whole_zeros()) == 0 || is_truth(code))) return v;
  const uint64_t argument = floors ? code : Modulus::magnitude(code);
  const Value result = member(hash_(tag(Tag::function, static_cast<uint64_t>(how)), argument),
                              [&](uint64_t bits) { return sets_.whole_member(bits); });
  return !floors && Modulus::is_negative(code) ? negate(result) : result;
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::project_known(Value v, ir::Dtype to, bool wraps) const -> std::optional<Value> {
  const KnownReal real = *known(first(v));
  // A result that is not known for what it is would be projected once more by the next narrowing to the same dtype, as if it were
  // any other element: such a number (2^32 - 5, from -5 in a u32) is made a member of the set like any other.
  constexpr double limit = 0x1p62;  // what is larger wraps as any other element does
  if (!wraps) {
    const double rounded = round_to(to, real.value);
    if (rounded == real.value && real.exact) return v;
    if (const Value result = from_real(rounded); !is_number(result) || is_known(first(result))) return result;
  } else if (real.exact && std::abs(real.value) < limit) {
    const Value result = integer(wrap_to_integer(to, static_cast<int64_t>(real.value)));
    if (is_known(first(result))) return result;
  }
  return is_member(v, to) ? std::optional(v) : std::nullopt;
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::project(Value v, ir::Dtype to, bool from_float) const -> Value {
  if (!is_number(v)) return v;
  const uint64_t code = first(v);
  const bool wraps = ir::is_integer(to) && !from_float;
  if (wraps && to == ir::Dtype::boolean) return derived().compare(ir::Op::not_equal, v, integer(0));
  if (is_known(code)) {
    if (const std::optional<Value> result = project_known(v, to, wraps)) return *result;
  } else if (lies_in(code, to)) {
    return v;
  }
  if (ir::is_integer(to) && from_float) {
    v = whole(v, ir::Op::round);
    if (!sets_.is_narrow(to) || is_member(v, to)) return v;
  }
  const bool odd = NarrowSets::is_odd(to);
  const uint64_t number = first(v);
  const uint64_t random =
      hash_(tag(wraps ? Tag::wrap : Tag::project, static_cast<uint64_t>(to)), odd ? Modulus::magnitude(number) : number);
  const Value result = member(random, [&](uint64_t bits) { return sets_.member(to, bits); });
  return odd && Modulus::is_negative(number) ? negate(result) : result;
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::narrow(Value v, const Narrowing& narrowing) const -> Value {
  const auto step = [&](Value value, ir::Dtype to, bool from_float) {
    const uint64_t code = first(value);
    const bool to_integer = ir::is_integer(to);
    if (symbols::is_infinite(code)) {  // integers and saturating floats have no infinity
      const bool positive = code == symbols::infinity;
      if (to_integer) return integer(positive ? ir::highest(to) : ir::lowest(to));
      return float_format(to).has_infinity ? value : from_real(round_to(to, positive ? HUGE_VAL : -HUGE_VAL));
    }
    if (!projects_to(to, from_float) || is_exempt(narrowing.site) || leaves_class(narrowing)) return value;
    return derived().project(value, to, from_float);
  };
  if (narrowing.from != narrowing.to && sets_.is_narrow(narrowing.from) && !is_infinite(v))
    v = step(v, narrowing.from, narrowing.from_float);
  return step(v, narrowing.to, narrowing.from_float);
}

template <class Derived, class Arithmetic>
RealRange Keyed<Derived, Arithmetic>::real_range(Value v) const {
  if (!is_number(v)) return {};
  const uint64_t code = first(v);
  if (const auto real = known(code)) {
    if (real->exact) return {real->value, real->value};
    return {std::nextafter(real->value, -HUGE_VAL), std::nextafter(real->value, HUGE_VAL)};
  }
  const uint64_t mine = words_.word(code), opposite = words_.word(Modulus::negate(code));
  RealRange range;
  const auto meet = [&](double low, double high) { range = {std::max(range.low, low), std::min(range.high, high)}; };
  for (const ir::Dtype dtype : signature_.dtypes) {
    if (!ir::is_integer(dtype) || !sets_.is_narrow(dtype)) continue;
    const auto low = static_cast<double>(ir::lowest(dtype)), high = static_cast<double>(ir::highest(dtype));
    if (sets_.holds(dtype, mine)) meet(low, high);
    if (sets_.holds(dtype, opposite)) meet(-high, -low);
  }
  if (is_truth(code)) meet(0, 1);
  return range;
}

}  // namespace tileproof::oracle
