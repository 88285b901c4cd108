#include "oracle/domain/rounding.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace tileproof::oracle {
namespace {

using ir::Dtype;

constexpr size_t float_count = static_cast<size_t>(Dtype::e2m1) + 1;

std::array<FloatFormat, float_count> make_formats() {
  std::array<FloatFormat, float_count> formats;
  const auto set = [&](Dtype dtype, FloatFormat format) { formats[static_cast<size_t>(dtype)] = format; };
  set(Dtype::f64, {53, -1022, std::numeric_limits<double>::max(), true, true});
  set(Dtype::f32, {24, -126, static_cast<double>(std::numeric_limits<float>::max()), true, true});
  set(Dtype::tf32, {11, -126, std::ldexp(2 - std::ldexp(1.0, -10), 127), true, true});
  set(Dtype::f16, {11, -14, 65504, true, true});
  set(Dtype::bf16, {8, -126, std::ldexp(2 - std::ldexp(1.0, -7), 127), true, true});
  set(Dtype::e4m3, {4, -6, 240, true, true});
  set(Dtype::e4m3fn, {4, -6, 448, false, true});
  set(Dtype::e5m2, {3, -14, 57344, true, true});
  set(Dtype::e8m0, {1, -127, std::ldexp(1.0, 127), false, false});
  set(Dtype::e2m1, {2, 0, 6, false, true});
  return formats;
}

const std::array<FloatFormat, float_count> formats = make_formats();

/// The nearest power of two; a tie takes the even code, which is the exponent plus 127.
double round_to_power(double value) {
  constexpr int lowest = -127, highest = 127;
  if (!(value > std::ldexp(1.0, lowest))) return std::ldexp(1.0, lowest);
  if (value >= std::ldexp(1.0, highest)) return std::ldexp(1.0, highest);
  int exponent = std::ilogb(value);
  const double significand = std::ldexp(value, -exponent);
  if (significand > 1.5 || (significand == 1.5 && (exponent + highest) % 2 != 0)) ++exponent;
  return std::ldexp(1.0, exponent);
}

double round_to_float(const FloatFormat& format, double value) {
  constexpr uint64_t sign_bit = uint64_t{1} << 63;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  double rounded = 0;
  if (exponent >= format.min_exponent) {
    const int dropped = 53 - format.precision;   // a carry into the exponent is what rounding up past a power of two is
    const uint64_t odd = (bits >> dropped) & 1;
    const uint64_t half = (uint64_t{1} << (dropped - 1)) - 1;
    rounded = std::bit_cast<double>((bits + half + odd) & ~((uint64_t{1} << dropped) - 1));
  } else {
    // Adding 1.5 * 2^52 quanta leaves no bit below the quantum, and the adder rounds to nearest even.
    const double quanta = std::ldexp(1.5, 52 + format.min_exponent - format.precision + 1);
    const volatile double shifted = std::abs(value) + quanta;
    rounded = shifted - quanta;
  }
  rounded = std::abs(rounded);
  if (rounded > format.max_finite) rounded = format.has_infinity ? std::numeric_limits<double>::infinity() : format.max_finite;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(rounded) | (bits & sign_bit));
}

}  // namespace

const FloatFormat& float_format(Dtype dtype) { return formats[static_cast<size_t>(dtype)]; }

double round_to(Dtype dtype, double value) {
  if (std::isnan(value) || dtype == Dtype::f64) return value;
  if (dtype == Dtype::f32) return static_cast<double>(static_cast<float>(value));
  if (dtype == Dtype::e8m0) return round_to_power(value);
  if (!ir::is_float(dtype)) return static_cast<double>(round_to_integer(dtype, value));
  const FloatFormat& format = float_format(dtype);
  if (std::isinf(value)) return format.has_infinity ? value : std::copysign(format.max_finite, value);
  return round_to_float(format, value);
}

int64_t round_to_integer(Dtype dtype, double value) {
  const double rounded = std::nearbyint(value);
  if (rounded >= static_cast<double>(ir::highest(dtype))) return ir::highest(dtype);
  if (rounded <= static_cast<double>(ir::lowest(dtype))) return ir::lowest(dtype);
  return static_cast<int64_t>(rounded);
}

int64_t wrap_to_integer(Dtype dtype, int64_t value) {
  if (dtype == Dtype::boolean) return value != 0;
  const int width = ir::bits(dtype);
  if (width == 64) return value;
  const uint64_t low = static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1);
  const bool negative = ir::lowest(dtype) < 0 && ((low >> (width - 1)) & 1) != 0;
  return static_cast<int64_t>(negative ? low | ~((uint64_t{1} << width) - 1) : low);
}

double max_finite(Dtype dtype) {
  return ir::is_float(dtype) ? float_format(dtype).max_finite : static_cast<double>(ir::highest(dtype));
}

double unit_roundoff(Dtype dtype) { return ir::is_float(dtype) ? std::ldexp(1.0, -float_format(dtype).precision) : 0; }

bool contains(Dtype outer, Dtype inner) {
  if (outer == inner) return true;
  if (!ir::is_float(inner)) {
    const int64_t low = ir::lowest(inner), high = ir::highest(inner);
    if (!ir::is_float(outer)) return ir::lowest(outer) <= low && high <= ir::highest(outer);
    const FloatFormat& format = float_format(outer);
    if (!format.is_signed) return false;
    // The odd integer of most digits is `high`; a lowest value that is a power of two fits wherever it is not too large.
    const int digits = 64 - std::countl_zero(static_cast<uint64_t>(high));
    return digits <= format.precision && static_cast<double>(high) <= format.max_finite &&
           -static_cast<double>(low) <= format.max_finite;
  }
  if (!ir::is_float(outer)) return false;
  const FloatFormat &in = float_format(inner), &out = float_format(outer);
  const int quantum_in = in.min_exponent - in.precision + 1, quantum_out = out.min_exponent - out.precision + 1;
  return out.is_signed >= in.is_signed && in.precision <= out.precision && quantum_in >= quantum_out &&
         in.max_finite <= out.max_finite;
}

}  // namespace tileproof::oracle
