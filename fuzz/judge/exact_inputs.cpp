// Exact: the inputs of a run, and opaque values.
#include "fuzz/judge/exact.h"
#include "oracle/domain/rounding.h"
#include "oracle/interpret/order.h"

#include <algorithm>
#include <limits>

namespace tileproof::fuzz {

Exact::Value Exact::input(const oracle::InputElement& at) {
  using Form = ExactInputs::Form;
  const uint64_t random =
      oracle::mix(oracle::mix(oracle::mix(inputs_.key, at.buffer_hash), static_cast<uint64_t>(at.element)), 7);
  Form form = inputs_.form;
  if (inputs_.planted_buffer == at.buffer_hash && inputs_.planted_element == at.element)
    form = inputs_.planted_high ? Form::highest : Form::lowest;
  if (ir::is_integer(at.dtype)) {
    const bool declared = at.low < at.high;
    // Not the lowest of i64: its negation wraps, and a value here does not know whether it is one of integers.
    const int64_t lowest = declared ? at.low : std::max(ir::lowest(at.dtype), -std::numeric_limits<int64_t>::max()),
                  highest = declared ? at.high - 1 : ir::highest(at.dtype);
    const auto clamped = [&](int64_t value) { return integer(std::clamp(value, lowest, highest)); };
    switch (form) {
      case Form::small: return clamped(static_cast<int64_t>(random % 7) - (lowest < 0 ? 3 : 0));
      case Form::digits: {
        const uint64_t count = static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest) + 1;
        return integer(static_cast<int64_t>(static_cast<uint64_t>(lowest) + (count == 0 ? random : random % count)));
      }
      case Form::extremes:
        return random % 4 == 0 ? integer(lowest) : random % 4 == 1 ? integer(highest) : clamped(random % 4 == 2);
      case Form::zeros: return clamped(0);
      case Form::ones: return clamped(1);
      case Form::lowest: return integer(lowest);
      case Form::highest: return integer(highest);
    }
  }
  const oracle::FloatFormat& format = oracle::float_format(at.dtype);
  const auto of = [&](mpq_class value) { return to_float(exact(std::move(value)), at.dtype); };
  switch (form) {
    case Form::small: return of(mpq_class(static_cast<long>(random % 13) - 6, 2));
    case Form::digits: {
      const auto digits = static_cast<unsigned>(std::min(format.precision, 24));
      const uint64_t leading = uint64_t{1} << (digits - 1), significand = leading | (random >> 8 & (leading - 1));
      mpq_class scale(mpz_class(1) << (random % 7), mpz_class(8 * leading));
      scale.canonicalize();
      const mpq_class value = mpq_class(mpz_class(significand)) * scale;
      return of((random >> 40 & 1) != 0 ? mpq_class(-value) : value);
    }
    case Form::extremes: return of(random % 4 == 0 ? -8 : random % 4 == 1 ? 8 : static_cast<long>(random % 4) - 2);
    case Form::zeros: return of(0);
    case Form::ones: return of(1);
    case Form::lowest: return of(-8);
    case Form::highest: return of(8);
  }
  return poison();
}

uint64_t Exact::digest(Value v) {
  inexact_digest_ |= v.kind == Kind::unknown || (v.kind == Kind::number && !is_exact(v));
  uint64_t hash = static_cast<uint64_t>(v.kind) * 2 + v.negative;
  if (v.kind == Kind::number) hash = oracle::mix(hash, oracle::hash_name(low(v).get_str()));
  return hash;
}

Exact::Value Exact::from_digest(uint64_t digest) {
  if (inexact_digest_) return {Kind::unknown};
  return exact(mpq_class(static_cast<long>(digest % 4001) - 2000, 16));
}

}  // namespace tileproof::fuzz
