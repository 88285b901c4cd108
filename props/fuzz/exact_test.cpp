// The judge's arithmetic: exact where it says so, never narrower than the truth where it does not.
#include "fuzz/judge/exact.h"
#include "fuzz/judge/exact_rounding.h"
#include "oracle/domain/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tileproof::fuzz {
namespace {

using ir::Dtype;
using ir::Op;

double rounded(Dtype dtype, double value) {
  const auto nearest = nearest_of(dtype, mpq_class(value));
  return nearest ? nearest->get_d() : std::copysign(INFINITY, value);
}

/// Two ways to round that share nothing but the table of formats.
TEST(ExactRounding, AgreesWithTheRoundingOfDoublesWhereDoublesAreExact) {
  std::mt19937_64 random(1);
  for (const Dtype dtype : ir::all_dtypes()) {
    if (!ir::is_float(dtype) || dtype == Dtype::f64) continue;
    const oracle::FloatFormat& format = oracle::float_format(dtype);
    for (int i = 0; i < 20'000; ++i) {
      const int low = format.min_exponent - format.precision - 2, high = std::ilogb(format.max_finite) + 2;
      const int exponent = low + static_cast<int>(random() % static_cast<uint64_t>(high - low));
      const double digits = static_cast<double>(random() % 4096);   // few digits, so that ties are frequent
      const double value = std::ldexp(digits, exponent - 11) * (random() % 2 == 0 ? 1 : -1);
      ASSERT_EQ(rounded(dtype, value), oracle::round_to(dtype, value)) << ir::name(dtype) << " " << value;
    }
  }
}

TEST(ExactRounding, SeesWhatADoubleDoesNotHold) {
  const mpq_class tie(257, 2), above = tie + mpq_class(1, mpz_class(1) << 200);   // between the bf16 128 and 129
  EXPECT_EQ(*nearest_of(Dtype::bf16, tie), 128);
  EXPECT_EQ(*nearest_of(Dtype::bf16, above), 129);
}

TEST(ExactRounding, WrapsAsTheLanguageDoes) {
  for (const Dtype dtype : ir::all_dtypes()) {
    if (ir::is_float(dtype)) continue;
    for (const int64_t value :
         {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{127}, int64_t{128}, int64_t{-129}, int64_t{1} << 40, -(int64_t{3} << 31)})
      EXPECT_EQ(wrap(dtype, mpz_class(static_cast<long>(value))), static_cast<long>(oracle::wrap_to_integer(dtype, value)));
  }
}

TEST(ExactArithmetic, LosesNothing) {
  Exact exact({});
  const auto third = exact.divide(exact.integer(1), exact.integer(3), Dtype::f32);
  const auto one = exact.multiply(third, exact.integer(3), Dtype::f32);
  EXPECT_EQ(exact.describe(third), "1/3");
  EXPECT_EQ(exact.describe(one), "1");
  EXPECT_EQ(exact.describe(exact.literal({1, -1})), "1/10");
}

TEST(ExactArithmetic, WrapsIntegersAt64Bits) {
  Exact exact({});
  const auto large = exact.integer(int64_t{1} << 62);
  EXPECT_EQ(exact.describe(exact.add(large, large, Dtype::i64)), "-9223372036854775808");
  EXPECT_EQ(exact.describe(exact.add(large, large, Dtype::f32)), "9223372036854775808");
}

TEST(ExactFunctions, LieBetweenTheirBounds) {
  Exact exact({});
  for (int i = -40; i <= 40; ++i) {
    const auto x = exact.divide(exact.integer(i), exact.integer(7), Dtype::f32);
    const auto product = exact.multiply(exact.apply(Op::exp, std::vector{x}, Dtype::f32),
                                        exact.apply(Op::exp, std::vector{exact.negate(x)}, Dtype::f32), Dtype::f32);
    EXPECT_FALSE(Exact::differ(exact, product, exact, exact.integer(1))) << i;
    const auto sine = exact.apply(Op::sin, std::vector{x}, Dtype::f32), cosine = exact.apply(Op::cos, std::vector{x}, Dtype::f32);
    const auto circle = exact.add(exact.multiply(sine, sine, Dtype::f32), exact.multiply(cosine, cosine, Dtype::f32), Dtype::f32);
    EXPECT_FALSE(Exact::differ(exact, circle, exact, exact.integer(1))) << i;
    if (i == 0) continue;
    EXPECT_TRUE(Exact::differ(exact, exact.apply(Op::tanh, std::vector{x}, Dtype::f32), exact, x)) << i;
  }
}

TEST(ExactValues, ThatAreUnknownAreNeverToldApart) {
  Exact exact({});
  const auto unknown = exact.divide(exact.integer(1), exact.integer(0), Dtype::f32);
  EXPECT_FALSE(Exact::differ(exact, unknown, exact, exact.integer(1)));
  EXPECT_FALSE(Exact::differ(exact, exact.add(unknown, exact.infinity(), Dtype::f32), exact, exact.nan()));
  EXPECT_TRUE(Exact::differ(exact, exact.infinity(), exact, exact.negate(exact.infinity())));
}

}  // namespace
}  // namespace tileproof::fuzz
