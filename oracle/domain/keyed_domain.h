// What the exact tiers share: numbers modulo a prime with symbols beside them, keyed functions, projections onto narrow sets and
// a keyed max.
//
//   Keyed<Derived, Arithmetic>
//      Field    numbers modulo 2^61 - 1                                (field.h)
//      ExpPair  pairs, in which exp is a homomorphism                  (exp_pair.h)
//      Rank     Field with a keyed total order for max and compares    (rank.h)
//
// Small true integers, |v| < 2^26, are taken at face value where an operator asks what a number really is: compares, floor, bit
// operations, rounding. They come from literals, loop variables and sums of them. A random element is that small with probability
// 2^-34, and then both programs still compute the same function of it: nothing right is refuted, and something wrong is missed
// only if the one place that shows it is such an element.
#pragma once

#include "oracle/domain/domain.h"
#include "oracle/domain/keyed.h"
#include "oracle/domain/literals.h"
#include "oracle/domain/narrow_sets.h"
#include "oracle/domain/real_range.h"
#include "oracle/domain/symbols.h"
#include "oracle/domain/words.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace tileproof::oracle {

/// `Arithmetic` gives Value, Modulus and the ring operations on numbers; `Derived` may replace max, min, compare, select and
/// project by its own.
template <class Derived, class Arithmetic>
class Keyed {
 public:
  using Value = typename Arithmetic::Value;
  using Modulus = typename Arithmetic::Modulus;

  Keyed(const Signature& signature, const Projection& projection, uint64_t key)
      : Keyed(signature, projection, KeyStream(key ^ 0x7469'6c65'7072'6f6f)) {}

  static Value poison() { return Arithmetic::symbol(symbols::poison); }
  static bool is_poison(Value v) { return first(v) == symbols::poison; }
  bool is_nan(Value v) const { return first(v) == symbols::nan; }
  bool is_infinite(Value v) const { return symbols::is_infinite(first(v)); }
  /// A number or symbol: what two elements are compared by.
  static uint64_t first(Value v) { return Arithmetic::first(v); }

  Value input(const InputElement& at) const {
    Value value;
    inputs(at, at.element + 1, &value);
    return value;
  }
  /// The elements from `at` on up to `end`.
  void inputs(const InputElement& at, int64_t end, Value* values) const;
  Value integer(int64_t value) const { return Arithmetic::integer(value); }
  Value literal(ir::Decimal decimal) const {
    return decimal.exponent == 0 ? Arithmetic::integer(decimal.digits) : Arithmetic::scaled(decimal.digits, 10, decimal.exponent);
  }
  Value infinity() const { return Arithmetic::symbol(symbols::infinity); }
  Value nan() const { return Arithmetic::symbol(symbols::nan); }

  Value negate(Value a) const {
    if (is_number(a)) return Arithmetic::negate(a);
    return is_infinite(a) ? Arithmetic::symbol(symbols::negate(first(a))) : a;
  }
  [[gnu::always_inline]] Value add(Value a, Value b, ir::Dtype = {}) const {
    if (are_numbers(a, b)) [[likely]]
      return Arithmetic::add(a, b);
    return add_symbols(a, b);
  }
  [[gnu::always_inline]] Value subtract(Value a, Value b, ir::Dtype = {}) const {
    if (are_numbers(a, b)) [[likely]]
      return Arithmetic::subtract(a, b);
    return add_symbols(a, negate(b));
  }
  [[gnu::always_inline]] Value multiply(Value a, Value b, ir::Dtype = {}) const {
    if (are_numbers(a, b)) [[likely]]
      return Arithmetic::multiply(a, b);
    return multiply_symbols(a, b);
  }
  /// By zero: NaN.
  Value divide(Value a, Value b, ir::Dtype = {});

  Value max(Value a, Value b) const {
    if (are_numbers(a, b)) [[likely]]
      return drawn(words_.number(words_.join(word(first(a)), word(first(b)))));
    return extreme(a, b, symbols::infinity);
  }
  Value min(Value a, Value b) const {
    if (are_numbers(a, b)) [[likely]]
      return negate(max(negate(a), negate(b)));
    return extreme(a, b, symbols::minus_infinity);
  }
  /// A keyed element that lies in every narrow set, a function of a - b; 0 or 1 where the sign of a - b is known.
  Value compare(ir::Op op, Value a, Value b) const;
  /// c*a + (1-c)*b; an arm where c is a true integer or an arm is not finite.
  Value select(Value c, Value a, Value b) const;
  Value apply(ir::Op op, std::span<const Value> operands, ir::Dtype dtype = {});
  /// Functions that divide are applied to `n` elements `a[i * stride]` at once: one inversion, which costs as much as many products,
  /// is enough for all.
  static bool divides(ir::Op op) {
    return op == ir::Op::rsqrt || op == ir::Op::sigmoid || op == ir::Op::silu || op == ir::Op::gelu;
  }
  void apply_dividing(ir::Op op, const Value* a, int64_t stride, int64_t n, Value* results);
  Value narrow(Value v, const Narrowing& narrowing) const;
  Value identity(ir::Update update) const;
  [[gnu::always_inline]] Value accumulate(ir::Update update, Value old, Value value, ir::Dtype dtype = {}) {
    if (const auto result = accumulate_arithmetic(derived(), update, old, value, dtype)) return *result;
    return bit_operation(update, old, value, false);
  }

  static constexpr bool is_pure = true;  ///< a result is that of its operands, whatever was computed before it
  static constexpr bool narrows_once = true;  ///< what a buffer holds is not changed by another narrowing to its dtype
  static constexpr bool value_is_digest = std::is_same_v<Value, uint64_t>;
  /// Two elements are equal iff their digests are.
  uint64_t digest(Value v) const { return first(v); }
  Value from_digest(uint64_t digest) const { return drawn(hash_(tag(Tag::digest), digest) % Modulus::modulus); }

  bool exceeded() const { return false; }
  std::string reason() const { return {}; }
  std::string describe(Value v) const;

  /// The projection P_d onto the narrow set of `to`, whatever is switched off: `from_float` rounds (and saturates), otherwise
  /// integers wrap.
  Value project(Value v, ir::Dtype to, bool from_float) const;
  /// Whether an element lies in S_d, or is a literal representable in d.
  bool is_member(Value v, ir::Dtype dtype) const;
  RealRange real_range(Value v) const;
  /// Whether this narrowing may change a number; if not it is the identity on all of them.
  bool projects(const Narrowing& narrowing) const {
    if (is_exempt(narrowing.site) || leaves_class(narrowing)) return false;
    return (narrowing.from != narrowing.to && sets_.is_narrow(narrowing.from) &&
            projects_to(narrowing.from, narrowing.from_float)) ||
           projects_to(narrowing.to, narrowing.from_float);
  }
  symbols::Sign sign(Value v) const;
  const NarrowSets& sets() const { return sets_; }

 protected:
  enum class Tag : uint8_t { input, digest, function, project, wrap, less, equal, floor_division, shift, pick };
  static uint64_t tag(Tag tag, uint64_t detail = 0) { return static_cast<uint64_t>(tag) << 32 | detail; }
  static bool is_number(Value v) { return symbols::is_number(first(v)); }
  static bool are_numbers(Value a, Value b) { return symbols::is_number(first(a) | first(b)); }
  static bool is_small(uint64_t number) { return Modulus::magnitude(number) < uint64_t{1} << 26; }
  static std::optional<int64_t> small(uint64_t number) {
    if (!symbols::is_number(number) || !is_small(number)) return std::nullopt;
    const auto size = static_cast<int64_t>(Modulus::magnitude(number));
    return Modulus::is_negative(number) ? -size : size;
  }
  /// The real number behind a small integer or a literal.
  std::optional<KnownReal> known(uint64_t number) const {
    if (const auto value = small(number)) return KnownReal{static_cast<double>(*value), true};
    const auto* literal = literals_.find(number);
    return literal == nullptr ? std::nullopt : std::optional(literal->real);
  }
  [[gnu::always_inline]] bool is_known(uint64_t number) const {
    return (symbols::is_number(number) && is_small(number)) || literals_.find(number) != nullptr;
  }
  uint64_t word(uint64_t number) const {
    if (const auto* literal = literals_.find(number)) [[unlikely]]
      return literal->word;
    return words_.word(number);
  }
  Value drawn(uint64_t number) const { return arithmetic_.drawn(number); }
  /// A random element of a set, `word` being one of its words for any random number. Never a small integer or a literal: those
  /// belong to a set by what they are worth, and to this one perhaps not.
  template <class F>
  Value member(uint64_t random, const F& word) const {
    uint64_t number = words_.number(word(random));
    while (is_known(number)) number = words_.number(word(random = hash_(random, uint64_t{1})));
    return drawn(number);
  }
  // At least one is a symbol. Out of the way of the loops that add and multiply numbers.
  [[gnu::noinline]] Value add_symbols(Value a, Value b) const { return Arithmetic::symbol(*symbols::add(first(a), first(b))); }
  [[gnu::noinline]] Value multiply_symbols(Value a, Value b) const {
    if (const auto symbol = symbols::strict(first(a), first(b))) return Arithmetic::symbol(*symbol);
    return Arithmetic::symbol(symbols::signed_infinity(sign(a), sign(b)));
  }
  Value from_real(double value) const;
  /// Of what is known: the projection, if that is known too, or the value lies in the set.
  [[gnu::noinline]] std::optional<Value> project_known(Value v, ir::Dtype to, bool wraps) const;
  /// As is_member, of a number that is neither small nor a literal.
  [[gnu::always_inline]] bool lies_in(uint64_t unknown, ir::Dtype dtype) const {
    return sets_.holds(dtype, words_.word(unknown)) || (dtype != ir::Dtype::e8m0 && is_truth(unknown));
  }
  Value truth(bool value) const { return Arithmetic::integer(value ? 1 : 0); }
  bool projects_to(ir::Dtype to, bool from_float) const {
    if (ir::is_float(to)) return projection_.floats && sets_.is_narrow(to);
    if (from_float) return projection_.floats && (sets_.is_narrow(to) || sets_.has_whole());
    return projection_.integers && sets_.is_narrow(to);
  }
  bool leaves_class(const Narrowing& narrowing) const { return narrowing.when_read && signature_.words_wrap; }
  bool is_exempt(Site site) const { return site < projection_.exempt.size() && projection_.exempt[site]; }
  Derived& derived() { return static_cast<Derived&>(*this); }
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  Value whole(Value v, ir::Op how) const;
  Value extreme(Value a, Value b, uint64_t top) const {  // at least one is a symbol; `top` absorbs
    if (const auto symbol = symbols::strict(first(a), first(b))) return Arithmetic::symbol(*symbol);
    if (first(a) == top || first(b) == top) return Arithmetic::symbol(top);
    return first(a) == symbols::negate(top) ? b : a;
  }

  Signature signature_;
  Projection projection_;
  NarrowSets sets_;
  KeyedHash hash_;
  Words<Modulus> words_;
  Literals<Modulus> literals_;
  Arithmetic arithmetic_;

 private:
  Keyed(const Signature& signature, const Projection& projection, KeyStream keys)
      : signature_(signature),
        projection_(projection),
        sets_(signature),
        hash_(keys),
        words_(sets_, keys),
        literals_(signature, sets_, keys),
        arithmetic_(keys),
        bit_words_{Scramble(keys, sets_.rest_width()), Scramble(keys, sets_.rest_width()), Scramble(keys, sets_.rest_width())} {}
  Value function(ir::Op op, Value a);
  void invert_all(Value* values, int64_t n);
  Value at_symbol(ir::Op op, Value a) const;
  std::optional<double> at_small(ir::Op op, int64_t a) const;
  /// `at_face_value`: of two small integers, the integer that it really is. Accumulations are not: among small integers and other
  /// elements, 1 xor (1 xor x) would differ from (1 xor 1) xor x.
  Value bit_operation(ir::Update op, Value a, Value b, bool at_face_value = true) const;
  Value floor_divide(Value a, Value b);
  Value is_positive(uint64_t difference) const;
  Value is_zero(uint64_t difference) const;
  /// Whether a number is a truth value: the result of a data compare, an element of a `bool` buffer, or 1 - c of one.
  bool is_truth(uint64_t number) const { return sets_.is_narrow(ir::Dtype::boolean) && is_truth_word(number); }
  [[gnu::noinline]] bool is_truth_word(uint64_t number) const {
    return sets_.holds_truth(word(number)) || sets_.holds_truth(word(Modulus::subtract(1, number)));
  }

  std::array<Scramble, 3> bit_words_;  ///< and, or, xor
};

}  // namespace tileproof::oracle

#include "oracle/domain/keyed_functions.h"
#include "oracle/domain/keyed_narrowing.h"
