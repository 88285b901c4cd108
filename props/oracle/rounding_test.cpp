// Rounding, against a search through every value of the small dtypes.
#include "oracle/domain/rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace tileproof::oracle {
namespace {

using ir::Dtype;

struct Code {
  double value;
  int code;
};

/// Every finite value of a floating dtype of at most 16 bits, decoded from its bits, ascending; -0 left out.
std::vector<Code> enumerate(Dtype dtype) {
  struct Layout {
    int exponent_bits, mantissa_bits, bias;
    bool top_exponent_is_special;
  };
  static const std::map<Dtype, Layout> layouts{{Dtype::f16, {5, 10, 15, true}},   {Dtype::bf16, {8, 7, 127, true}},
                                               {Dtype::e5m2, {5, 2, 15, true}},   {Dtype::e4m3, {4, 3, 7, true}},
                                               {Dtype::e4m3fn, {4, 3, 7, false}}, {Dtype::e2m1, {2, 1, 1, false}}};
  std::vector<Code> codes;
  if (dtype == Dtype::e8m0) {
    for (int code = 0; code < 255; ++code) codes.push_back({std::ldexp(1.0, code - 127), code});
    return codes;
  }
  const Layout layout = layouts.at(dtype);
  const int magnitudes = 1 << (layout.exponent_bits + layout.mantissa_bits);
  for (int code = 0; code < magnitudes; ++code) {
    const int exponent = code >> layout.mantissa_bits, mantissa = code & ((1 << layout.mantissa_bits) - 1);
    if (layout.top_exponent_is_special && exponent == (1 << layout.exponent_bits) - 1) continue;
    if (dtype == Dtype::e4m3fn && code == magnitudes - 1) continue;   // its only NaN
    const double fraction = std::ldexp(mantissa, -layout.mantissa_bits);
    const double value = exponent == 0 ? std::ldexp(fraction, 1 - layout.bias) : std::ldexp(1 + fraction, exponent - layout.bias);
    codes.push_back({value, code});
    if (value != 0) codes.push_back({-value, code});
  }
  std::ranges::sort(codes, {}, &Code::value);
  return codes;
}

/// The nearest of `codes`, ties to the even code. Beyond the last one: the step beyond it would be the next value of an unbounded
/// exponent.
double nearest(const std::vector<Code>& codes, double value, bool overflows) {
  const double largest = codes.back().value, step = largest - codes[codes.size() - 2].value;
  if (overflows && std::abs(value) >= largest + step / 2) return std::copysign(INFINITY, value);
  const auto above = std::ranges::lower_bound(codes, value, {}, &Code::value);
  if (above == codes.end()) return largest;
  if (above == codes.begin()) return codes.front().value;
  const Code &high = *above, &low = *(above - 1);
  const double up = high.value - value, down = value - low.value;
  if (up != down) return up < down ? high.value : low.value;
  return high.code % 2 == 0 ? high.value : low.value;
}

const std::vector<Dtype> small_floats{Dtype::f16, Dtype::bf16, Dtype::e4m3, Dtype::e4m3fn, Dtype::e5m2, Dtype::e8m0, Dtype::e2m1};

class SmallFloat : public testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(Rounding, SmallFloat, testing::ValuesIn(small_floats),
                         [](const auto& dtype) { return std::string(ir::name(dtype.param)); });

TEST_P(SmallFloat, KeepsEachOfItsValues) {
  for (const Code& code : enumerate(GetParam())) EXPECT_EQ(round_to(GetParam(), code.value), code.value);
}

TEST_P(SmallFloat, RoundsWhatLiesBetweenTwoValuesToTheNearestAndTiesToTheEvenCode) {
  const std::vector<Code> codes = enumerate(GetParam());
  const bool overflows = float_format(GetParam()).has_infinity;
  for (size_t i = 0; i + 1 < codes.size(); ++i) {
    const double low = codes[i].value, high = codes[i + 1].value, middle = low + (high - low) / 2;
    for (const double value :
         {low + (high - low) / 3, std::nextafter(middle, low), middle, std::nextafter(middle, high), high - (high - low) / 5})
      EXPECT_EQ(round_to(GetParam(), value), nearest(codes, value, overflows)) << value;
  }
}

TEST_P(SmallFloat, OverflowsToInfinityOrSaturates) {
  const std::vector<Code> codes = enumerate(GetParam());
  const double largest = codes.back().value, step = largest - codes[codes.size() - 2].value;
  EXPECT_EQ(max_finite(GetParam()), largest);
  const double limit = float_format(GetParam()).has_infinity ? INFINITY : largest;
  EXPECT_EQ(round_to(GetParam(), std::nextafter(largest + step / 2, 0)), largest);
  EXPECT_EQ(round_to(GetParam(), largest + step / 2), limit);
  EXPECT_EQ(round_to(GetParam(), 1e300), limit);
  EXPECT_EQ(round_to(GetParam(), INFINITY), limit);
}

TEST_P(SmallFloat, RoundsTinyValuesToTheSmallest) {
  const std::vector<Code> codes = enumerate(GetParam());
  EXPECT_EQ(round_to(GetParam(), 5e-324), nearest(codes, 5e-324, true));
  EXPECT_EQ(round_to(GetParam(), -5e-324), nearest(codes, -5e-324, true));
}

TEST_P(SmallFloat, RandomDoublesRoundAsTheSearchSays) {
  const std::vector<Code> codes = enumerate(GetParam());
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double exponent = std::uniform_real_distribution(-140.0, 130.0)(random);
    const double value = std::exp2(exponent) * ((random() & 1) != 0 ? 1 : -1);
    EXPECT_EQ(round_to(GetParam(), value), nearest(codes, value, float_format(GetParam()).has_infinity)) << value;
  }
}

TEST_P(SmallFloat, StaysWithinItsUnitRoundoffInTheNormalRange) {
  std::mt19937_64 random(8);
  const FloatFormat& format = float_format(GetParam());
  for (int i = 0; i < 5'000; ++i) {
    const double value =
        std::ldexp(std::uniform_real_distribution(1.0, 2.0)(random), format.min_exponent + static_cast<int>(random() % 3));
    if (value > format.max_finite) continue;
    EXPECT_LE(std::abs(round_to(GetParam(), value) - value), unit_roundoff(GetParam()) * value);
  }
}

TEST(Rounding, OfF32IsThatOfTheHardware) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    EXPECT_EQ(round_to(Dtype::f32, value), static_cast<double>(static_cast<float>(value)));
  }
}

TEST(Rounding, OfTf32KeepsElevenBitsAndTheExponentsOfF32) {
  EXPECT_EQ(round_to(Dtype::tf32, 1 + 0x1p-10), 1 + 0x1p-10);
  EXPECT_EQ(round_to(Dtype::tf32, 1 + 0x1p-11), 1);
  EXPECT_EQ(round_to(Dtype::tf32, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(round_to(Dtype::tf32, 0x1p-136), 0x1p-136);
  EXPECT_EQ(round_to(Dtype::tf32, 0x1p-137), 0);
  EXPECT_EQ(round_to(Dtype::tf32, 0x1.fffp127), INFINITY);
}

TEST(Rounding, NaNStaysNaNEverywhere) {
  for (const Dtype dtype : ir::all_dtypes()) EXPECT_TRUE(std::isnan(round_to(dtype, NAN)));
}

TEST(Rounding, FloatsIntoIntegersGoToTheNearestEvenAndSaturate) {
  EXPECT_EQ(round_to_integer(Dtype::i8, 2.5), 2);
  EXPECT_EQ(round_to_integer(Dtype::i8, 3.5), 4);
  EXPECT_EQ(round_to_integer(Dtype::i8, -2.5), -2);
  EXPECT_EQ(round_to_integer(Dtype::i8, 300), 127);
  EXPECT_EQ(round_to_integer(Dtype::i8, -INFINITY), -128);
  EXPECT_EQ(round_to_integer(Dtype::u8, -3), 0);
  EXPECT_EQ(round_to_integer(Dtype::i64, 1e30), INT64_MAX);
  EXPECT_EQ(round_to_integer(Dtype::i64, -1e30), INT64_MIN);
}

TEST(Rounding, IntegersIntoNarrowerIntegersWrap) {
  EXPECT_EQ(wrap_to_integer(Dtype::i8, 128), -128);
  EXPECT_EQ(wrap_to_integer(Dtype::u8, -1), 255);
  EXPECT_EQ(wrap_to_integer(Dtype::i2, 3), -1);
  EXPECT_EQ(wrap_to_integer(Dtype::i4, 8), -8);
  EXPECT_EQ(wrap_to_integer(Dtype::u32, -1), 0xffffffff);
  EXPECT_EQ(wrap_to_integer(Dtype::i64, INT64_MIN), INT64_MIN);
  EXPECT_EQ(wrap_to_integer(Dtype::boolean, -7), 1);
}

TEST(Containment, OfTheSmallDtypesIsWhatTheirValuesSay) {
  std::map<Dtype, std::vector<double>> values;
  for (const Dtype dtype : small_floats)
    for (const Code& code : enumerate(dtype)) values[dtype].push_back(code.value);
  for (const Dtype dtype : ir::all_dtypes())
    if (ir::is_integer(dtype) && ir::bits(dtype) <= 16)
      for (int64_t value = ir::lowest(dtype); value <= ir::highest(dtype); ++value)
        values[dtype].push_back(static_cast<double>(value));
  for (const auto& [inner, elements] : values)
    for (const Dtype outer : ir::all_dtypes()) {
      const bool all = std::ranges::all_of(elements, [&](double value) { return round_to(outer, value) == value; });
      EXPECT_EQ(contains(outer, inner), all) << ir::name(inner) << " in " << ir::name(outer);
    }
}

TEST(Containment, OfTheLargeDtypesFollowsTheirBits) {
  for (const Dtype inner : {Dtype::f32, Dtype::tf32, Dtype::i32, Dtype::u32, Dtype::i64}) {
    EXPECT_EQ(contains(Dtype::f64, inner), inner != Dtype::i64);
    EXPECT_EQ(contains(Dtype::f32, inner), inner == Dtype::f32 || inner == Dtype::tf32);
    EXPECT_EQ(contains(Dtype::i64, inner), ir::is_integer(inner));
    EXPECT_FALSE(contains(Dtype::bf16, inner));
  }
}

}  // namespace
}  // namespace tileproof::oracle
