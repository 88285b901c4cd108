// Real: the inputs of a run, and opaque values.
#include "oracle/domain/real.h"
#include "oracle/domain/rounding.h"

#include <algorithm>
#include <numbers>

namespace tileproof::oracle {
namespace {

using ir::Dtype;

constexpr double extreme_float = 8;   // of a planted element, rule 5

double unit(uint64_t random) { return (static_cast<double>(random >> 11) + 0.5) * 0x1p-53; }   // in (0, 1)

}  // namespace

Real::Real(const RealOptions& options, const Plan& plan, uint64_t key)
    : options_(options), plan_(plan), keys_(key ^ 0x7265'616c), hash_(keys_) {}

/// Nearly: the sum of four uniform numbers, which is cheap, within 3.5 standard deviations.
double Real::normal(uint64_t random) const {
  const uint64_t other = hash_(random, 1);
  const auto part = [](uint64_t bits) { return static_cast<double>(static_cast<uint32_t>(bits)); };
  const double sum = part(random) + part(random >> 32) + part(other) + part(other >> 32);
  return (sum * 0x1p-32 - 2) * std::numbers::sqrt3;
}

/// By the bit of `random` that counts least in `normal`.
double Real::scale(uint64_t random) const { return plan_.scale != 1 && random % 2 != 0 ? plan_.scale : 1; }

double Real::random_float(Dtype dtype, uint64_t random) const {
  const FloatFormat& format = float_format(dtype);
  double value = 0;
  if (plan_.inputs == Plan::Inputs::coarse) {
    value = static_cast<double>(hash_(random, 7) % 4);
    return format.is_signed ? value - 1 : std::exp2(value);
  }
  if (plan_.inputs == Plan::Inputs::full_range) {
    const int lowest = format.min_exponent - format.precision + 1, highest = std::ilogb(format.max_finite);
    const uint64_t choice = hash_(random, 2);
    const int exponent = lowest + static_cast<int>(choice % static_cast<uint64_t>(highest - lowest + 1));
    value = std::clamp(std::ldexp(1 + unit(random), exponent), 0.0, format.max_finite);
    if (format.is_signed && (choice >> 63) != 0) value = -value;
  } else {
    value = normal(random) * scale(random);
    if (!format.is_signed) value = std::exp2(std::nearbyint(value));
    value = std::clamp(value, -format.max_finite, format.max_finite);
  }
  return round_to(dtype, value);
}

int64_t Real::random_integer(const InputElement& at, uint64_t random) const {
  const bool declared = at.low < at.high;
  const int64_t low = declared ? at.low : ir::lowest(at.dtype), high = declared ? at.high - 1 : ir::highest(at.dtype);
  const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;   // 0: all of 64 bits
  const auto uniform = [&] { return static_cast<int64_t>(static_cast<uint64_t>(low) + (count == 0 ? random : random % count)); };
  if (plan_.inputs == Plan::Inputs::coarse) {
    const auto step = static_cast<int64_t>(hash_(random, 7) % 4);
    return std::clamp(ir::lowest(at.dtype) == 0 ? step : step - 1, low, high);
  }
  if (plan_.inputs == Plan::Inputs::slight) {
    const auto step = static_cast<int64_t>(hash_(random, 8) % 3);
    return std::clamp(ir::lowest(at.dtype) == 0 ? step : step - 1, low, high);
  }
  if (plan_.inputs == Plan::Inputs::full_range) {
    const int64_t inner = low < high ? 1 : 0;
    switch (hash_(random, 3) % 8) {
      case 0: return low;
      case 1: return high;
      case 2: return low + inner;
      case 3: return high - inner;
      default: return uniform();
    }
  }
  if (declared || ir::bits(at.dtype) <= 8) return uniform();
  const double spread = 100 * scale(random);   // sums of products of these stay far from 2^31
  return std::clamp(static_cast<int64_t>(std::nearbyint(std::clamp(normal(random) * spread, -0x1p60, 0x1p60))), low, high);
}

Real::Value Real::input(const InputElement& at) const {
  const bool planted = plan_.planted && plan_.planted->buffer_hash == at.buffer_hash && plan_.planted->element == at.element;
  const bool lowest = planted ? !plan_.planted->high : plan_.inputs == Plan::Inputs::all_lowest;
  const bool highest = planted ? plan_.planted->high : plan_.inputs == Plan::Inputs::all_highest;
  const bool chosen =
      planted ? plan_.planted->at.has_value() : plan_.inputs == Plan::Inputs::all_at && plan_.but != at.buffer_hash;
  const double at_value = planted ? plan_.planted->at.value_or(0) : plan_.at;
  const uint64_t random = hash_(at.buffer_hash, static_cast<uint64_t>(at.element));
  if (ir::is_integer(at.dtype)) {
    const bool declared = at.low < at.high;
    if (chosen) {
      const int64_t low = declared ? at.low : ir::lowest(at.dtype), high = declared ? at.high - 1 : ir::highest(at.dtype);
      return make(std::clamp(round_to_integer(Dtype::i64, at_value), low, high), 0);
    }
    if (lowest) return make(declared ? at.low : ir::lowest(at.dtype), 0);
    if (highest) return make(declared ? at.high - 1 : ir::highest(at.dtype), 0);
    return make(random_integer(at, random), 0);
  }
  if (chosen) return make(round_to(at.dtype, at_value), 0);
  if (lowest || highest) {
    const bool is_signed = float_format(at.dtype).is_signed;
    return make(round_to(at.dtype, highest ? extreme_float : is_signed ? -extreme_float : 1 / extreme_float), 0);
  }
  return make(random_float(at.dtype, random), 0);
}

uint64_t Real::digest(Value v) {
  if (!is_poison(v) && v.error > 0) inexact_digest_ = true;
  return hash_(v.bits, static_cast<uint64_t>(v.kind), 4);
}

Real::Value Real::from_digest(uint64_t digest) const {
  return make(round_to(Dtype::f32, normal(hash_(digest, 5))), inexact_digest_ ? std::numeric_limits<double>::infinity() : 0);
}

}  // namespace tileproof::oracle
