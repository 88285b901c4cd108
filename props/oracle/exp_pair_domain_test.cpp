// The exp tier's base: exp is a homomorphism as long as its argument is known in both parts.
#include "oracle/domain/exp_pair.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tileproof::oracle {
namespace {

using ir::Dtype;
using ir::Op;
using Value = ExpPair::Value;

constexpr int rounds = 300;

struct World {
  ExpPair domain;
  explicit World(std::vector<Dtype> dtypes = {Dtype::f32, Dtype::bf16}, uint64_t key = 1)
      : domain({std::move(dtypes), {{5, -1}}, true, true, false}, {}, key) {}
  Value operator()(int64_t element, Dtype dtype = Dtype::f32) const {
    return domain.input({"x", 99, dtype, element, 1000, 0, 0});
  }
  Value exp(Value v) { return domain.apply(Op::exp, std::vector{v}); }
};

TEST(ExpModulusReduction, IsThatOfLongDivision) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    uint64_t a = random() % ExpModulus::modulus, b = random() % ExpModulus::modulus;
    if (i % 7 == 0) a = ExpModulus::modulus - 1 - random() % 3;
    if (i % 5 == 0) b = ExpModulus::modulus - 1 - random() % 3;
    if (i % 11 == 0) a = (uint64_t{1} << 61) - 1 - random() % 3;
    EXPECT_EQ(ExpModulus::multiply(a, b), static_cast<uint64_t>(Wide{a} * b % ExpModulus::modulus));
  }
}

TEST(ExpModulusReduction, OfTheMersennePrimeToo) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    uint64_t a = random() % FieldModulus::modulus, b = random() % FieldModulus::modulus;
    if (i % 7 == 0) a = FieldModulus::modulus - 1 - random() % 3;
    if (i % 5 == 0) b = FieldModulus::modulus - 1 - random() % 3;
    EXPECT_EQ(FieldModulus::multiply(a, b), static_cast<uint64_t>(Wide{a} * b % FieldModulus::modulus));
  }
}

TEST(ExpModulusGenerator, HasOrderQAndFastPowers) {
  std::mt19937_64 random(2);
  EXPECT_EQ(generator_power(0), 1U);
  EXPECT_EQ(generator_power(1), generator);
  for (int i = 0; i < 1000; ++i) {
    const auto exponent = static_cast<uint32_t>(random() % ExpPrime::order);
    EXPECT_EQ(generator_power(exponent), ExpModulus::power(generator, exponent));
  }
}

TEST(ExpPairArithmetic, IsARingInBothParts) {
  World w;
  ExpPair& d = w.domain;
  for (int i = 0; i < rounds; ++i) {
    const Value a = w(3 * i), b = w(3 * i + 1), c = w(3 * i + 2);
    const Value left = d.multiply(a, d.add(b, c)), right = d.add(d.multiply(a, b), d.multiply(a, c));
    EXPECT_EQ(left, right);
    EXPECT_EQ(left.second, right.second);
    const Value quotient = d.multiply(d.divide(a, b), b);
    EXPECT_EQ(quotient, a);
    EXPECT_EQ(quotient.second, a.second);
  }
  EXPECT_EQ(d.literal({5, -1}).second, d.divide(d.integer(1), d.integer(2)).second);
}

TEST(Exp, TurnsSumsIntoProducts) {
  World w;
  ExpPair& d = w.domain;
  for (int i = 0; i < rounds; ++i) {
    const Value a = w(2 * i), b = w(2 * i + 1);
    EXPECT_EQ(d.multiply(w.exp(a), w.exp(b)), w.exp(d.add(a, b)));
    EXPECT_EQ(d.divide(w.exp(a), w.exp(b)), w.exp(d.subtract(a, b)));
    EXPECT_EQ(d.multiply(w.exp(a), w.exp(d.negate(a))), d.integer(1));
    EXPECT_NE(w.exp(a), w.exp(b));
    EXPECT_NE(d.add(w.exp(a), w.exp(b)), w.exp(d.add(a, b)));
  }
  EXPECT_EQ(w.exp(d.subtract(w(0), w(0))), d.integer(1));
  EXPECT_EQ(w.exp(d.negate(d.infinity())), d.integer(0));
}

TEST(Exp, OfAnUnknownSecondPartIsAnOrdinaryFunction) {
  World w;
  ExpPair& d = w.domain;
  const Value a = w.exp(w(0)), b = w.exp(w(1));
  EXPECT_EQ(a.second, ExpArithmetic::unknown);
  EXPECT_EQ(d.add(a, w(2)).second, ExpArithmetic::unknown);
  EXPECT_EQ(w.exp(a), w.exp(a));
  EXPECT_NE(d.multiply(w.exp(a), w.exp(b)), w.exp(d.add(a, b)));
}

TEST(Exp, AcceptsTheRescalingOfAnOnlineSoftmax) {
  World w;
  ExpPair& d = w.domain;
  const Value x = w(0), y = w(1), m1 = x, m2 = d.max(x, y);
  const Value whole = d.add(w.exp(d.subtract(x, m2)), w.exp(d.subtract(y, m2)));
  const Value rescaled = d.multiply(w.exp(d.subtract(x, m1)), w.exp(d.subtract(m1, m2)));
  EXPECT_EQ(d.add(rescaled, w.exp(d.subtract(y, m2))), whole);
  EXPECT_NE(d.add(w.exp(d.subtract(x, m1)), w.exp(d.subtract(y, m2))), whole);
}

TEST(ExpPairMax, IsAssociativeCountsEachElementAndIsClosed) {
  World w({Dtype::f32, Dtype::bf16, Dtype::i8});
  ExpPair& d = w.domain;
  for (int i = 0; i < rounds; ++i) {
    const Value a = w(3 * i), b = w(3 * i + 1, Dtype::bf16), c = w(3 * i + 2, Dtype::i8);
    EXPECT_EQ(d.max(d.max(a, b), c), d.max(a, d.max(c, b)));
    EXPECT_EQ(d.max(d.max(a, b), c).second, d.max(a, d.max(c, b)).second);
    EXPECT_NE(d.max(d.max(a, b), c), d.max(a, b));
    const Value m = d.max(w(i, Dtype::bf16), w(i + 1, Dtype::bf16));
    EXPECT_EQ(d.narrow(m, {Dtype::f32, Dtype::bf16, true, 0}), m);
  }
}

TEST(ExpPairProjection, IsIdempotentAndOddInBothParts) {
  World w;
  ExpPair& d = w.domain;
  const Narrowing bf16{Dtype::f32, Dtype::bf16, true, 0};
  for (int i = 0; i < rounds; ++i) {
    const Value p = d.narrow(w(i), bf16), opposite = d.narrow(d.negate(w(i)), bf16);
    EXPECT_NE(p, w(i));
    EXPECT_EQ(d.narrow(p, bf16), p);
    EXPECT_EQ(opposite, d.negate(p));
    EXPECT_EQ(opposite.second, d.negate(p).second);
    EXPECT_EQ(d.multiply(w.exp(p), w.exp(opposite)), d.integer(1));
  }
}

}  // namespace
}  // namespace tileproof::oracle
