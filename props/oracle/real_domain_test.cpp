// Real runs: the bounds hold, rounding happens where it should, extremes are planted.
#include "oracle/domain/real.h"
#include "oracle/domain/rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tileproof::oracle {
namespace {

using ir::Dtype;
using ir::Op;
using Value = Real::Value;

InputElement element(Dtype dtype, int64_t index, uint64_t buffer = 7, int64_t low = 0, int64_t high = 0) {
  return {"x", buffer, dtype, index, 1000, low, high};
}

Value bits(double value, double error = 0) { return {std::bit_cast<uint64_t>(value), error, Value::Kind::real}; }

Narrowing store(Dtype from, Dtype to, Site site = 0) { return {from, to, ir::is_float(from), site}; }

constexpr int rounds = 300;

TEST(RealArithmetic, RoundsEachOperationToItsDtypeInIeeeRunsOnly) {
  Real ieee({}, {}, 1), directed({.rounding = false, .projection = {}}, {}, 1);
  const Value one = bits(1), third = bits(1.0 / 3);
  EXPECT_EQ(Real::to_double(ieee.add(one, third, Dtype::f32)), static_cast<double>(static_cast<float>(1 + 1.0 / 3)));
  EXPECT_EQ(Real::to_double(ieee.add(one, third, Dtype::f64)), 1 + 1.0 / 3);
  EXPECT_EQ(Real::to_double(directed.add(one, third, Dtype::f32)), 1 + 1.0 / 3);
}

TEST(RealArithmetic, HasNoErrorWhereNothingIsLost) {
  Real real({}, {}, 1);
  const Value a = bits(3.5), b = bits(-1.25);
  for (const Value v : {real.add(a, b, Dtype::f32), real.multiply(a, b, Dtype::f32), real.max(a, b),
                        real.divide(a, bits(0.5), Dtype::f32), real.apply(Op::floor, std::vector{a}, Dtype::f32),
                        real.literal({125, -3}), real.add(real.integer(3), real.integer(4), Dtype::i32)})
    EXPECT_EQ(v.error, 0);
  EXPECT_GT(real.divide(bits(1), bits(3), Dtype::f32).error, 0);
  EXPECT_GT(real.literal({1, -1}).error, 0);
}

TEST(RealAccumulation, OfIntegersInAFloatingDtypeDoesNotWrap) {
  Real real({}, {}, 1);
  Value product = real.identity(ir::Update::multiply), sum = real.identity(ir::Update::add);
  for (int i = 0; i < 12; ++i) {
    product = real.accumulate(ir::Update::multiply, product, real.integer(100), Dtype::f32);
    sum = real.accumulate(ir::Update::add, sum, real.integer(int64_t{1} << 61), Dtype::f32);
  }
  EXPECT_NEAR(Real::to_double(product), 1e24, 1e18);
  EXPECT_EQ(Real::to_double(sum), 12 * 0x1p61);
}

TEST(RealAccumulation, OfIntegersFromAnInfiniteIdentityStaysAnInteger) {
  Real real({}, {}, 1);
  const Value most = real.accumulate(ir::Update::max, real.identity(ir::Update::max), real.integer(4294967295), Dtype::i64);
  EXPECT_EQ(Real::to_double(real.narrow(most, {Dtype::f32, Dtype::i32, false, 0})), -1);
}

/// Sums and products in another order: the difference stays within the two bounds, and the bounds stay small.
TEST(RealBounds, CoverEveryOrderOfASum) {
  for (const bool rounding : {true, false})
    for (uint64_t key = 1; key <= 50; ++key) {
      Real real({.rounding = rounding, .projection = {}}, {}, key);
      std::vector<Value> terms;
      for (int i = 0; i < 200; ++i)
        terms.push_back(real.multiply(real.input(element(Dtype::bf16, i)), real.input(element(Dtype::f32, i, 8)), Dtype::f32));
      const auto sum = [&] {
        Value total = real.integer(0);
        for (const Value v : terms) total = real.add(total, v, Dtype::f32);
        return total;
      };
      const Value forward = sum();
      std::ranges::reverse(terms);
      const Value reversed = sum();
      std::ranges::shuffle(terms, std::mt19937_64(key));
      const Value shuffled = sum();
      EXPECT_EQ(Real::agreement(forward, reversed), Real::Agreement::agree);
      EXPECT_EQ(Real::agreement(forward, shuffled), Real::Agreement::agree);
      EXPECT_LT(forward.error, rounding ? 1e-2 : 1e-10);
      EXPECT_EQ(Real::agreement(forward, real.add(forward, bits(0.1), Dtype::f64)), Real::Agreement::differ);
    }
}

/// The bound against the same computation in long double.
TEST(RealBounds, CoverTheExactResultOfComposedFunctions) {
  Real real({}, {}, 3);
  for (int i = 0; i < rounds; ++i) {
    const Value x = real.input(element(Dtype::f32, i)), y = real.input(element(Dtype::f32, i, 8));
    const long double a = Real::to_double(x), b = Real::to_double(y);
    const auto check = [&](Value v, long double exact, const char* what) {
      EXPECT_LE(std::abs(static_cast<long double>(Real::to_double(v)) - exact), v.error + 1e-18L * std::abs(exact))
          << what << " " << i;
    };
    const Value sum = real.add(x, y, Dtype::f32), exponential = real.apply(Op::exp, std::vector{sum}, Dtype::f32);
    check(exponential, std::exp(a + b), "exp");
    check(real.divide(x, exponential, Dtype::f32), a / std::exp(a + b), "divide");
    check(real.apply(Op::tanh, std::vector{sum}, Dtype::f32), std::tanh(a + b), "tanh");
    check(real.apply(Op::sigmoid, std::vector{sum}, Dtype::f32), 1 / (1 + std::exp(-(a + b))), "sigmoid");
    check(real.apply(Op::softplus, std::vector{sum}, Dtype::f32), std::log1p(std::exp(a + b)), "softplus");
    check(real.apply(Op::log, std::vector{exponential}, Dtype::f32), a + b, "log");
    check(real.apply(Op::rsqrt, std::vector{exponential}, Dtype::f32), std::exp(-(a + b) / 2), "rsqrt");
    check(real.multiply(real.apply(Op::sin, std::vector{sum}, Dtype::f32), y, Dtype::f32), std::sin(a + b) * b, "sin");
  }
}

TEST(RealBounds, EndAtANarrowingThatCannotFlip) {
  Real real({}, {}, 1);
  EXPECT_EQ(real.narrow(bits(1.1, 1e-6), store(Dtype::f32, Dtype::bf16)).error, 0);
  const double tie = 1 + 0x1p-8;
  EXPECT_GE(real.narrow(bits(tie, 1e-6), store(Dtype::f32, Dtype::bf16)).error, 0x1p-7);
  EXPECT_EQ(real.narrow(bits(2.4, 0.05), store(Dtype::f32, Dtype::i8)).error, 0);
  EXPECT_GE(real.narrow(bits(2.499, 0.05), store(Dtype::f32, Dtype::i8)).error, 1);
  EXPECT_EQ(real.narrow(bits(300, 5), store(Dtype::f32, Dtype::i8)).error, 0);   // saturates either way
}

TEST(RealBounds, StayWhereANarrowingIsExempt) {
  Real real({.rounding = true, .projection = {true, true, {true}}}, {}, 1);
  EXPECT_GE(real.narrow(bits(1.125, 1e-6), store(Dtype::f32, Dtype::bf16, 0)).error, 1e-6);
}

TEST(RealBounds, AreInfiniteWhereNothingCanBeSaid) {
  Real real({}, {}, 1);
  EXPECT_TRUE(std::isinf(real.divide(bits(1), bits(0.5, 1), Dtype::f32).error));
  EXPECT_TRUE(std::isinf(real.apply(Op::log, std::vector{bits(0.5, 1)}, Dtype::f32).error));
  EXPECT_TRUE(std::isinf(real.multiply(bits(1e30), bits(1e30), Dtype::f32).error));
  EXPECT_EQ(Real::agreement(bits(1, INFINITY), bits(5)), Real::Agreement::not_judged);
}

TEST(RealCompare, IsUndecidedWithinTheBounds) {
  Real real({}, {}, 1);
  EXPECT_EQ(real.compare(Op::less, bits(1, 0.1), bits(2, 0.1)).error, 0);
  const Value open = real.compare(Op::less, bits(1, 0.6), bits(2, 0.6));
  EXPECT_EQ(open.error, 1);
  EXPECT_GE(real.select(open, bits(5), bits(9)).error, 4);
  EXPECT_EQ(real.compare(Op::less, bits(1), bits(INFINITY)).error, 0);
  EXPECT_EQ(Real::to_double(real.compare(Op::not_equal, real.nan(), real.nan())), 1);
}

TEST(RealMax, KnowsTheRealOrder) {
  Real real({}, {}, 1);
  EXPECT_EQ(Real::to_double(real.max(bits(-2), bits(3))), 3);
  EXPECT_EQ(Real::to_double(real.min(real.integer(-2), real.integer(3))), -2);
  EXPECT_EQ(Real::to_double(real.max(real.identity(ir::Update::max), bits(-7))), -7);
  EXPECT_EQ(real.max(bits(1, 0.5), bits(9, 0.1)).error, 0.1);
  EXPECT_EQ(real.max(bits(1, 0.5), bits(1.2, 0.1)).error, 0.5);
  EXPECT_TRUE(real.is_nan(real.max(real.nan(), bits(1))));
}

TEST(RealIntegers, AreExactAndWrap) {
  Real real({}, {}, 1);
  EXPECT_EQ(real.describe(real.multiply(real.integer(int64_t{1} << 40), real.integer(1 << 20), Dtype::i64)),
            std::to_string(int64_t{1} << 60));
  EXPECT_EQ(real.describe(real.add(real.integer(INT64_MAX), real.integer(1), Dtype::i64)), std::to_string(INT64_MIN));
  EXPECT_EQ(real.describe(real.narrow(real.integer(200), store(Dtype::i32, Dtype::i8))), "-56");
  EXPECT_EQ(real.describe(real.narrow(bits(200), store(Dtype::f32, Dtype::i8))), "127");
  EXPECT_EQ(real.describe(real.narrow(real.integer(7), store(Dtype::i32, Dtype::boolean))), "1");
  EXPECT_EQ(real.describe(real.narrow(real.negate(real.infinity()), store(Dtype::i32, Dtype::i8))), "-128");
  EXPECT_EQ(real.describe(real.apply(Op::mod, std::vector{real.integer(-7), real.integer(4)}, Dtype::i32)), "1");
  EXPECT_EQ(real.describe(real.apply(Op::floordiv, std::vector{real.integer(-7), real.integer(4)}, Dtype::i32)), "-2");
  EXPECT_EQ(real.describe(real.apply(Op::shift_right, std::vector{real.integer(-7), real.integer(1)}, Dtype::i32)), "-4");
  EXPECT_EQ(real.describe(real.apply(Op::bit_xor, std::vector{real.integer(6), real.integer(3)}, Dtype::i32)), "5");
  EXPECT_EQ(real.describe(real.divide(real.integer(1), real.integer(4), Dtype::f32)), "0.25");
}

TEST(RealDirected, KeepsFloatsUnroundedButWrapsAndSaturatesIntegers) {
  Real real({.rounding = false, .projection = {}}, {}, 1);
  EXPECT_EQ(Real::to_double(real.narrow(bits(1.2345678), store(Dtype::f32, Dtype::bf16))), 1.2345678);
  EXPECT_EQ(real.describe(real.narrow(bits(200.4), store(Dtype::f32, Dtype::i8))), "127");
  EXPECT_EQ(real.describe(real.narrow(real.integer(200), store(Dtype::i32, Dtype::i8))), "-56");
}

TEST(RealInputs, AreExactValuesOfTheirDtype) {
  for (const Plan::Inputs inputs :
       {Plan::Inputs::normal, Plan::Inputs::full_range, Plan::Inputs::all_lowest, Plan::Inputs::all_highest}) {
    Real real({}, {.inputs = inputs, .scale = 1, .planted = {}}, 5);
    for (const Dtype dtype : ir::all_dtypes())
      for (int i = 0; i < 100; ++i) {
        const Value v = real.input(element(dtype, i));
        EXPECT_EQ(v.error, 0);
        EXPECT_TRUE(Real::is_finite(v));
        if (ir::is_float(dtype))
          EXPECT_EQ(round_to(dtype, Real::to_double(v)), Real::to_double(v)) << ir::name(dtype);
        else {
          EXPECT_GE(static_cast<int64_t>(v.bits), ir::lowest(dtype));
          EXPECT_LE(static_cast<int64_t>(v.bits), ir::highest(dtype));
        }
      }
  }
}

TEST(RealInputs, OfTheFullRangeReachSubnormalsAndTheLargestExponents) {
  Real real({}, {.inputs = Plan::Inputs::full_range, .scale = 1, .planted = {}}, 5);
  bool subnormal = false, huge = false, negative = false;
  for (int i = 0; i < 1000; ++i) {
    const double x = Real::to_double(real.input(element(Dtype::bf16, i)));
    subnormal |= x != 0 && std::abs(x) < 0x1p-126;
    huge |= std::abs(x) > 0x1p120;
    negative |= x < 0;
  }
  EXPECT_TRUE(subnormal && huge && negative);
}

TEST(RealInputs, StayInTheirDeclaredRangeAndReachItsEnds) {
  Real real({}, {.inputs = Plan::Inputs::full_range, .scale = 1, .planted = {}}, 5);
  int64_t low = 99, high = 0;
  for (int i = 0; i < 200; ++i) {
    const auto x = static_cast<int64_t>(real.input(element(Dtype::i32, i, 7, 3, 9)).bits);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  EXPECT_EQ(low, 3);
  EXPECT_EQ(high, 8);
}

TEST(RealInputs, PlantOneElementAtAnExtreme) {
  const Plan plan{.inputs = Plan::Inputs::normal, .scale = 1, .planted = Plan::Planted{7, 3, false}};
  Real real({.rounding = false, .projection = {}}, plan, 5), unplanted({.rounding = false, .projection = {}}, {}, 5);
  EXPECT_EQ(Real::to_double(real.input(element(Dtype::f32, 3))), -8);
  EXPECT_EQ(Real::to_double(real.input(element(Dtype::i8, 3))), -128);
  EXPECT_EQ(Real::to_double(real.input(element(Dtype::i32, 3, 7, 2, 5))), 2);
  EXPECT_EQ(Real::to_double(real.input(element(Dtype::f32, 4))), Real::to_double(unplanted.input(element(Dtype::f32, 4))));
  EXPECT_EQ(Real::to_double(real.input(element(Dtype::f32, 3, 8))), Real::to_double(unplanted.input(element(Dtype::f32, 3, 8))));
}

TEST(RealRecord, NamesTheSitesWhoseNarrowingChangedAValue) {
  Real real({}, {}, 1);
  real.narrow(bits(1.5), store(Dtype::f32, Dtype::bf16, 0));
  real.narrow(bits(1.001), store(Dtype::f32, Dtype::bf16, 2));
  real.narrow(real.negate(real.infinity()), store(Dtype::f32, Dtype::i8, 3));
  real.narrow(real.integer(300), store(Dtype::i32, Dtype::i8, 4));
  EXPECT_EQ(real.changed(), (std::vector<bool>{false, false, true, false, true}));
}

TEST(RealPoison, IsStrictInEveryOperator) {
  Real real({}, {}, 1);
  const Value p = Real::poison(), zero = real.integer(0);
  for (const Value v :
       {real.add(p, zero, Dtype::f32), real.multiply(zero, p, Dtype::f32), real.divide(p, zero, Dtype::f32),
        real.max(p, real.infinity()), real.select(zero, p, zero), real.compare(Op::less, p, zero),
        real.apply(Op::logical_and, std::vector{zero, p}, Dtype::i32), real.apply(Op::exp, std::vector{p}, Dtype::f32),
        real.narrow(p, store(Dtype::f32, Dtype::i8)), real.negate(p)})
    EXPECT_TRUE(Real::is_poison(v));
}

TEST(RealOpaque, OfInexactValuesIsNotJudged) {
  Real real({}, {}, 1);
  real.digest(bits(1));
  EXPECT_EQ(real.from_digest(5).error, 0);
  real.digest(bits(1, 1e-7));
  EXPECT_TRUE(std::isinf(real.from_digest(5).error));
}

}  // namespace
}  // namespace tileproof::oracle
