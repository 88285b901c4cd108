// Keyed: compares, select and the operators beside arithmetic. Included by keyed_domain.h.
//
// A law is built in where every real number obeys it: compares depend on a - b alone; tanh, erf, sin, sign and round are odd, cos
// is even; ceil(x) = -floor(-x); mod(x, d) = x - d * floordiv(x, d); shl by a literal multiplies, shr divides; bitnot(x) = -x -
// 1. bitand, bitor and bitxor are commutative, associative, closed on the narrow sets and know 0 and -1, and nothing else; `and`
// and `or` of truth values are the same operations.
#pragma once

#include "oracle/domain/keyed_domain.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tileproof::oracle {

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::divide(Value a, Value b, ir::Dtype) -> Value {
  if (are_numbers(a, b)) [[likely]]
    return first(b) == 0 ? nan() : arithmetic_.divide(a, b);
  if (const auto symbol = symbols::strict(first(a), first(b))) return Arithmetic::symbol(*symbol);
  if (is_infinite(b)) return is_infinite(a) ? nan() : integer(0);
  return Arithmetic::symbol(symbols::signed_infinity(sign(a), sign(b)));
}

/// Known of 0, small integers, literals, and quotients of small integers (by rational reconstruction; unique up to 2^24 / 2^16).
template <class Derived, class Arithmetic>
symbols::Sign Keyed<Derived, Arithmetic>::sign(Value v) const {
  using symbols::Sign;
  const uint64_t code = first(v);
  if (symbols::is_infinite(code)) return symbols::sign_of_infinite(code);
  if (!symbols::is_number(code)) return Sign::unknown;
  if (const auto real = known(code)) return real->value == 0 ? Sign::zero : real->value > 0 ? Sign::positive : Sign::negative;
  uint64_t r0 = Modulus::modulus, r1 = code;  // Euclid, stopped at the first remainder below 2^24: code = r1 / s1
  int64_t s0 = 0, s1 = 1;
  while (r1 >= uint64_t{1} << 24) {
    const uint64_t quotient = r0 / r1;
    if (quotient >= uint64_t{1} << 17) return Sign::unknown;  // the denominator would be too large
    r0 = std::exchange(r1, r0 - quotient * r1);
    s0 = std::exchange(s1, s0 - static_cast<int64_t>(quotient) * s1);
    if (std::abs(s1) > 1 << 16) return Sign::unknown;
  }
  return r1 == 0 ? Sign::unknown : s1 > 0 ? Sign::positive : Sign::negative;
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::is_positive(uint64_t difference) const -> Value {
  if (const auto real = known(difference)) return truth(real->value > 0);
  return member(hash_(tag(Tag::less), difference), [&](uint64_t bits) { return sets_.bool_member(bits); });
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::is_zero(uint64_t difference) const -> Value {
  if (const auto real = known(difference)) return truth(real->value == 0);
  return member(hash_(tag(Tag::equal), Modulus::magnitude(difference)), [&](uint64_t bits) { return sets_.bool_member(bits); });
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::compare(ir::Op op, Value a, Value b) const -> Value {
  if (!are_numbers(a, b)) {
    if (is_poison(a) || is_poison(b)) return poison();
    if (is_nan(a) || is_nan(b)) return truth(op == ir::Op::not_equal);
    return truth(symbols::compare(op, first(a), first(b)));
  }
  const uint64_t difference = Modulus::subtract(first(a), first(b));
  if (op == ir::Op::equal || op == ir::Op::not_equal) {
    for (const auto& [truth_value, constant] : {std::pair(a, first(b)), std::pair(b, first(a))}) {  // c == 1 is c
      if (constant > 1 || small(first(truth_value)) || !is_truth(first(truth_value))) continue;
      return (constant == 1) == (op == ir::Op::equal) ? truth_value : subtract(integer(1), truth_value);
    }
  }
  const auto left = known(first(a)), right = known(first(b));
  if (left && right && left->value != right->value) {
    const double sign = left->value < right->value ? -1 : 1;  // of two literals; both zero if they differ by too little to tell
    return truth(op == ir::Op::not_equal || (sign < 0 ? op == ir::Op::less || op == ir::Op::less_equal
                                                      : op == ir::Op::greater || op == ir::Op::greater_equal));
  }
  switch (op) {
    case ir::Op::less: return is_positive(Modulus::negate(difference));
    case ir::Op::greater: return is_positive(difference);
    case ir::Op::less_equal: return subtract(integer(1), is_positive(difference));
    case ir::Op::greater_equal: return subtract(integer(1), is_positive(Modulus::negate(difference)));
    case ir::Op::equal: return is_zero(difference);
    default: return subtract(integer(1), is_zero(difference));
  }
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::select(Value c, Value a, Value b) const -> Value {
  if (is_poison(c) || is_poison(a) || is_poison(b)) return poison();
  if (is_nan(c)) return nan();
  const uint64_t code = first(c);
  if (!symbols::is_number(code)) return a;
  if (const auto truth_value = small(code)) return *truth_value != 0 ? a : b;
  if (are_numbers(a, b)) return Arithmetic::add(b, Arithmetic::multiply(c, Arithmetic::subtract(a, b)));
  // c*inf has no value: a keyed bit of c picks an arm, and that of 1-c the other one.
  return hash_(tag(Tag::pick), code) < hash_(tag(Tag::pick), Modulus::subtract(1, code)) ? a : b;
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::bit_operation(ir::Update op, Value a, Value b, bool at_face_value) const -> Value {
  if (!are_numbers(a, b)) return Arithmetic::symbol(symbols::strict(first(a), first(b)).value_or(symbols::nan));
  const auto left = small(first(a)), right = small(first(b));
  if (left && right && at_face_value)
    return integer(op == ir::Update::bit_and ? *left & *right : op == ir::Update::bit_or ? *left | *right : *left ^ *right);
  const int64_t identity = op == ir::Update::bit_and ? -1 : 0;
  if (left == identity) return b;
  if (right == identity) return a;
  const int64_t zero = op == ir::Update::bit_and ? 0 : -1;
  if (op != ir::Update::bit_xor && (left == zero || right == zero)) return integer(zero);
  const Scramble& scramble = bit_words_[static_cast<size_t>(op) - static_cast<size_t>(ir::Update::bit_and)];
  const uint64_t rest = sets_.rest();
  const auto scrambled = [&](Value v) {
    // A small integer counts with a word that lies in all narrow sets: partial results of a narrow dtype are then not projected.
    const bool is_small_part = !at_face_value && is_small(first(v));
    const uint64_t bits = is_small_part ? (hash_(tag(Tag::pick, 1), first(v)) & rest) | sets_.plus() : word(first(v));
    return (bits & ~rest) | scramble(bits & rest);
  };
  const uint64_t sum = words_.join(scrambled(a), scrambled(b));
  return drawn(words_.number((sum & ~rest) | scramble.inverse(sum & rest)));
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::floor_divide(Value a, Value b) -> Value {
  if (!are_numbers(a, b)) return Arithmetic::symbol(symbols::strict(first(a), first(b)).value_or(symbols::nan));
  const auto left = small(first(a)), right = small(first(b));
  if (right == 0) return nan();
  if (right == 1) return a;
  if (left && right) {
    const int64_t quotient = *left / *right;
    return integer(*left % *right != 0 && (*left < 0) != (*right < 0) ? quotient - 1 : quotient);
  }
  return member(hash_(tag(Tag::floor_division), first(a), first(b)), [&](uint64_t bits) { return sets_.whole_member(bits); });
}

/// The value of a function at an infinity, NaN or poison.
template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::at_symbol(ir::Op op, Value a) const -> Value {
  if (!is_infinite(a)) return a;
  const bool positive = first(a) == symbols::infinity;
  switch (op) {
    case ir::Op::exp: return positive ? a : integer(0);
    case ir::Op::log:
    case ir::Op::sqrt: return positive ? a : nan();
    case ir::Op::tanh:
    case ir::Op::erf:
    case ir::Op::sign: return integer(positive ? 1 : -1);
    case ir::Op::gelu: return positive ? a : nan();  // x * Phi(x)
    case ir::Op::floor:
    case ir::Op::ceil:
    case ir::Op::round: return a;
    default: return nan();  // sin, cos
  }
}

/// The value of a function at a small integer where it is an integer or an infinity; NaN outside its domain.
template <class Derived, class Arithmetic>
std::optional<double> Keyed<Derived, Arithmetic>::at_small(ir::Op op, int64_t a) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case ir::Op::exp:
    case ir::Op::cos: return a == 0 ? std::optional(1.0) : std::nullopt;
    case ir::Op::log:
      return a < 0 ? std::optional(std::nan("")) : a == 0 ? std::optional(-infinity) : a == 1 ? std::optional(0.0) : std::nullopt;
    case ir::Op::sqrt: {
      if (a < 0) return std::nan("");
      const double root = std::sqrt(static_cast<double>(a));
      return root == std::floor(root) ? std::optional(root) : std::nullopt;
    }
    default: return a == 0 ? std::optional(0.0) : std::nullopt;  // tanh, erf, gelu, sin
  }
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::function(ir::Op op, Value a) -> Value {
  const uint64_t code = first(a);
  if (!symbols::is_number(code)) return at_symbol(op, a);
  if (op == ir::Op::floor || op == ir::Op::round) return whole(a, op);
  if (op == ir::Op::ceil) return negate(whole(negate(a), ir::Op::floor));
  if (op == ir::Op::sign) {
    if (const auto real = known(code)) return integer(real->value > 0 ? 1 : real->value < 0 ? -1 : 0);
    // -1, 0 and 1 lie in every set of numbers with a sign, and so do their negations: no group, neither plus nor minus.
    const uint64_t word = hash_(tag(Tag::function, static_cast<uint64_t>(op)), Modulus::magnitude(code)) & (NarrowSets::sign - 1);
    const Value result = drawn(words_.number(word & ~(sets_.all_groups() | sets_.plus() | sets_.minus())));
    return Modulus::is_negative(code) ? negate(result) : result;
  }
  if (const auto value = small(code))
    if (const auto result = at_small(op, *value)) return from_real(*result);
  const bool odd = op == ir::Op::tanh || op == ir::Op::erf || op == ir::Op::sin;
  const uint64_t argument = odd || op == ir::Op::cos ? Modulus::magnitude(code) : code;
  const Value result = drawn(hash_(tag(Tag::function, static_cast<uint64_t>(op)), argument) % Modulus::modulus);
  if (op == ir::Op::exp) return arithmetic_.exp(a, result);
  return odd && Modulus::is_negative(code) ? negate(result) : result;
}

/// The reciprocals of values.
template <class Derived, class Arithmetic>
void Keyed<Derived, Arithmetic>::invert_all(Value* values, int64_t n) {
  if constexpr (requires { arithmetic_.invert_all(values, n); }) {
    if (std::all_of(values, values + n, [](Value v) { return is_number(v) && first(v) != 0; }))
      return arithmetic_.invert_all(values, n);
  }
  for (int64_t i = 0; i < n; ++i) values[i] = divide(integer(1), values[i]);
}

template <class Derived, class Arithmetic>
void Keyed<Derived, Arithmetic>::apply_dividing(ir::Op op, const Value* a, int64_t stride, int64_t n, Value* results) {
  if (op == ir::Op::gelu) {
    const Value half = divide(integer(1), integer(2)), root_half = divide(integer(1), function(ir::Op::sqrt, integer(2)));
    for (int64_t i = 0; i < n; ++i) {
      const Value x = a[i * stride];
      results[i] = is_number(x) ? multiply(multiply(x, add(integer(1), function(ir::Op::erf, multiply(x, root_half)))), half)
                                : function(op, x);
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const Value x = a[i * stride];
    results[i] = op == ir::Op::rsqrt ? function(ir::Op::sqrt, x) : add(integer(1), function(ir::Op::exp, negate(x)));
  }
  invert_all(results, n);
  if (op != ir::Op::silu) return;
  for (int64_t i = 0; i < n; ++i) results[i] = multiply(a[i * stride], results[i]);
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::apply(ir::Op op, std::span<const Value> operands, ir::Dtype) -> Value {
  const Value a = operands[0];
  for (const Value v : operands)
    if (is_poison(v)) return poison();
  const auto both_bits = [&](ir::Update update) { return bit_operation(update, a, operands[1]); };
  switch (op) {
    case ir::Op::logical_and: return first(a) == 1 ? operands[1] : first(operands[1]) == 1 ? a : both_bits(ir::Update::bit_and);
    case ir::Op::logical_or: return first(a) == 1 || first(operands[1]) == 1 ? integer(1) : both_bits(ir::Update::bit_or);
    case ir::Op::logical_not: return subtract(integer(1), a);
    case ir::Op::bit_and: return both_bits(ir::Update::bit_and);
    case ir::Op::bit_or: return both_bits(ir::Update::bit_or);
    case ir::Op::bit_xor: return both_bits(ir::Update::bit_xor);
    case ir::Op::bit_not: return subtract(negate(a), integer(1));
    case ir::Op::shift_left:
    case ir::Op::shift_right: {
      const auto distance = small(first(operands[1]));
      const bool left = op == ir::Op::shift_left;
      if (distance && *distance >= 0 && *distance < 63) {
        const Value power = integer(int64_t{1} << *distance);
        return left ? multiply(a, power) : floor_divide(a, power);
      }
      if (!are_numbers(a, operands[1])) return nan();
      return member(hash_(tag(Tag::shift, left), first(a), first(operands[1])),
                    [&](uint64_t bits) { return sets_.whole_member(bits); });
    }
    case ir::Op::floordiv: return floor_divide(a, operands[1]);
    case ir::Op::mod: return subtract(a, multiply(operands[1], floor_divide(a, operands[1])));
    case ir::Op::abs: return derived().max(a, derived().negate(a));
    case ir::Op::rsqrt:
    case ir::Op::sigmoid:
    case ir::Op::silu:
    case ir::Op::gelu: {
      Value result;
      apply_dividing(op, operands.data(), 1, 1, &result);
      return result;
    }
    case ir::Op::softplus: return function(ir::Op::log, add(integer(1), function(ir::Op::exp, a)));
    default: return function(op, a);
  }
}

template <class Derived, class Arithmetic>
auto Keyed<Derived, Arithmetic>::identity(ir::Update update) const -> Value {
  return arithmetic_identity(derived(), update);
}

template <class Derived, class Arithmetic>
std::string Keyed<Derived, Arithmetic>::describe(Value v) const {
  const uint64_t code = first(v);
  if (code == symbols::infinity) return "inf";
  if (code == symbols::minus_infinity) return "-inf";
  if (code == symbols::nan) return "nan";
  if (code == symbols::poison) return "poison";
  if (const auto value = small(code)) return std::to_string(*value);
  char text[32];
  if (const auto real = known(code))
    std::snprintf(text, sizeof text, "%.9g", real->value);
  else
    std::snprintf(text, sizeof text, "element %#llx", static_cast<unsigned long long>(hash_(tag(Tag::digest, 1), code) >> 32));
  return text;
}

}  // namespace tileproof::oracle
