#include "fuzz/judge/exact_rounding.h"

#include "oracle/domain/rounding.h"

namespace tileproof::fuzz {

namespace {

mpq_class power_of_two(long exponent) {
  mpq_class result(1);
  if (exponent >= 0)
    mpq_mul_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else
    mpq_div_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return result;
}

/// The largest e with 2^e <= value. Precondition: value > 0.
long exponent_of(const mpq_class& value) {
  const auto bits = [](const mpz_class& z) { return static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2)); };
  const long guess = bits(value.get_num()) - bits(value.get_den());
  return power_of_two(guess) <= value ? guess : guess - 1;
}

}  // namespace

mpz_class floor_of(const mpq_class& value) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

mpz_class nearest_integer(const mpq_class& value) {
  const mpz_class below = floor_of(value);
  const mpq_class rest = value - below;
  const int side = cmp(rest, mpq_class(1, 2));
  const bool up = side > 0 || (side == 0 && mpz_odd_p(below.get_mpz_t()) != 0);
  return up ? mpz_class(below + 1) : below;
}

std::optional<mpq_class> nearest_of(ir::Dtype dtype, const mpq_class& value) {
  const oracle::FloatFormat& format = oracle::float_format(dtype);
  const mpq_class largest(format.max_finite);
  if (!format.is_signed) {   // powers of two
    const long lowest = format.min_exponent;
    if (value <= power_of_two(lowest)) return power_of_two(lowest);
    if (value >= largest) return largest;
    const long exponent = exponent_of(value);
    const mpq_class significand = value / power_of_two(exponent);
    const int side = cmp(significand, mpq_class(3, 2));
    const bool odd_code = (exponent - lowest) % 2 != 0;
    return power_of_two(side > 0 || (side == 0 && odd_code) ? exponent + 1 : exponent);
  }
  if (value == 0) return value;
  const mpq_class magnitude = abs(value);
  const long exponent = std::max<long>(exponent_of(magnitude), format.min_exponent);
  const mpq_class quantum = power_of_two(exponent - format.precision + 1);
  mpq_class rounded = nearest_integer(magnitude / quantum) * quantum;
  if (rounded > largest) {
    if (format.has_infinity) return std::nullopt;
    rounded = largest;
  }
  if (value < 0) rounded = -rounded;
  return rounded;
}

mpz_class wrap(ir::Dtype dtype, const mpz_class& value) {
  if (dtype == ir::Dtype::boolean) return value != 0 ? 1 : 0;
  const auto bits = static_cast<mp_bitcnt_t>(ir::bits(dtype));
  mpz_class result;
  mpz_fdiv_r_2exp(result.get_mpz_t(), value.get_mpz_t(), bits);
  if (ir::lowest(dtype) < 0 && mpz_tstbit(result.get_mpz_t(), bits - 1) != 0) result -= mpz_class(1) << bits;
  return result;
}

}  // namespace tileproof::fuzz
