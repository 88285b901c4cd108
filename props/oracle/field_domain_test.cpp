// The field tier: the laws that it must have, and the differences that it must show.
#include "oracle/domain/field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace tileproof::oracle {
namespace {

using ir::Dtype;
using ir::Op;
using Value = Field::Value;

Signature signature(std::vector<Dtype> dtypes, std::vector<ir::Decimal> literals = {}) {
  std::ranges::sort(dtypes);
  return {std::move(dtypes), std::move(literals), true, true, false};
}
Signature comparing(std::vector<Dtype> dtypes) {
  Signature s = signature(std::move(dtypes));
  s.has_compare = true;
  return s;
}

constexpr int rounds = 300;

/// A field and elements of it by dtype and number.
struct World {
  Field field;
  explicit World(const Signature& s, uint64_t key = 1, const Projection& projection = {}) : field(s, projection, key) {}
  Value operator()(Dtype dtype, int64_t element) const { return field.input({"x", 99, dtype, element, 1000, 0, 0}); }
  Value store(Value v, Dtype to, Dtype from = Dtype::f32) const { return field.narrow(v, {from, to, ir::is_float(from), 0}); }
  Value apply(Op op, std::vector<Value> operands) { return field.apply(op, operands); }
};

TEST(FieldNumbers, AreAFieldInWhichIntegersAndDecimalsHaveTheirValue) {
  World w(signature({Dtype::f32}));
  Field& f = w.field;
  EXPECT_EQ(f.multiply(f.literal({125, -3}), f.integer(8)), f.integer(1));
  EXPECT_EQ(f.divide(f.integer(1), f.integer(3)), f.divide(f.integer(2), f.integer(6)));
  EXPECT_EQ(f.literal({1, 2}), f.integer(100));
  EXPECT_EQ(f.integer(INT64_MIN), f.negate(f.add(f.integer(INT64_MAX), f.integer(1))));
  for (int i = 0; i < rounds; ++i) {
    const Value a = w(Dtype::f32, 3 * i), b = w(Dtype::f32, 3 * i + 1), c = w(Dtype::f32, 3 * i + 2);
    EXPECT_EQ(f.multiply(a, f.add(b, c)), f.add(f.multiply(a, b), f.multiply(a, c)));
    EXPECT_EQ(f.multiply(f.divide(a, b), b), a);
    EXPECT_EQ(f.add(f.subtract(a, b), b), a);
  }
}

TEST(FieldMax, IsCommutativeAndAssociative) {
  for (uint64_t key = 1; key <= 3; ++key) {
    World w(signature({Dtype::f32, Dtype::bf16, Dtype::i8}, {{0, 0}, {6, 0}, {5, -1}}), key);
    Field& f = w.field;
    for (int i = 0; i < rounds; ++i) {
      std::vector<Value> v{w(Dtype::f32, i),   w(Dtype::bf16, i), w(Dtype::i8, i), f.integer(0), f.negate(w(Dtype::i8, i + 1)),
                           f.literal({5, -1}), f.integer(6)};
      const auto pick = [&](int k) { return v[static_cast<size_t>(i * 5 + k * 3 + i / 7 * k) % v.size()]; };
      const Value a = pick(0), b = pick(1), c = pick(2);
      EXPECT_EQ(f.max(a, b), f.max(b, a));
      EXPECT_EQ(f.max(f.max(a, b), c), f.max(a, f.max(b, c)));
      EXPECT_EQ(f.min(f.min(a, b), c), f.min(a, f.min(b, c)));
      EXPECT_EQ(f.min(a, b), f.negate(f.max(f.negate(a), f.negate(b))));
    }
  }
}

TEST(FieldMax, CountsEveryElement) {
  World w(signature({Dtype::f32, Dtype::bf16, Dtype::i8}, {{0, 0}}));
  Field& f = w.field;
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::i8})
    for (int dropped = 0; dropped < 64; ++dropped) {
      Value all = f.identity(ir::Update::max), rest = all;
      for (int i = 0; i < 64; ++i) {
        all = f.max(all, w(dtype, i));
        if (i != dropped) rest = f.max(rest, w(dtype, i));
      }
      EXPECT_NE(all, rest);
    }
}

TEST(FieldMax, IsClosedOnEachNarrowSetTogetherWithItsLiterals) {
  World w(signature({Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::i8}, {{0, 0}, {127, 0}, {5, -1}}));
  Field& f = w.field;
  for (const Dtype dtype : {Dtype::bf16, Dtype::f16, Dtype::i8})
    for (int i = 0; i < rounds; ++i) {
      const Value a = w(dtype, i), b = w(dtype, i + 1);
      for (const Value m : {f.max(a, b), f.min(a, b), f.max(a, f.integer(0)), f.min(f.max(a, f.integer(0)), f.integer(127)),
                            f.min(f.max(a, b), a)})
        EXPECT_EQ(w.store(m, dtype), m);
    }
}

TEST(FieldMax, IsNotMinNorTheMaxOfTheNegationsInDisguise) {
  World w(signature({Dtype::f32, Dtype::bf16, Dtype::i8}));
  Field& f = w.field;
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::i8})
    for (int i = 0; i < rounds; ++i) {
      const Value a = w(dtype, 3 * i), b = w(dtype, 3 * i + 1), c = w(dtype, 3 * i + 2);
      const Value max = f.max(a, b);
      EXPECT_NE(max, f.min(a, b));
      EXPECT_NE(max, f.negate(f.min(a, b)));
      EXPECT_NE(max, f.max(f.negate(a), f.negate(b)));
      EXPECT_NE(max, f.negate(f.max(f.negate(a), f.negate(b))));
      EXPECT_NE(f.max(f.min(a, b), c), f.max(a, f.min(b, c)));
      EXPECT_NE(f.max(a, f.negate(a)), a);
    }
}

TEST(FieldMax, TreatsInfinitiesAsTheOrderSays) {
  World w(signature({Dtype::f32}));
  Field& f = w.field;
  const Value x = w(Dtype::f32, 0), inf = f.infinity(), low = f.negate(inf);
  EXPECT_EQ(f.max(low, x), x);
  EXPECT_EQ(f.max(x, inf), inf);
  EXPECT_EQ(f.min(inf, x), x);
  EXPECT_EQ(f.min(x, low), low);
  EXPECT_TRUE(f.is_nan(f.max(x, f.nan())));
  EXPECT_TRUE(Field::is_poison(f.max(f.nan(), Field::poison())));
}

TEST(FieldProjection, IsIdempotentAndOdd) {
  World w(signature({Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::i8}));
  Field& f = w.field;
  int unchanged = 0;
  for (int i = 0; i < rounds; ++i) {
    const Value x = w(Dtype::f32, i);
    for (const Dtype dtype : {Dtype::bf16, Dtype::f16}) {
      const Value p = w.store(x, dtype);
      unchanged += p == x;
      EXPECT_EQ(w.store(p, dtype), p);
      EXPECT_EQ(w.store(f.negate(x), dtype), f.negate(p));
    }
    EXPECT_EQ(w.store(w.store(x, Dtype::i8), Dtype::i8), w.store(x, Dtype::i8));
  }
  EXPECT_LE(unchanged, rounds / 50) << "about one in 2^group_width()";
}

TEST(FieldProjection, PassesWhatAContainedDtypeHolds) {
  World w(signature({Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::i8, Dtype::i16, Dtype::e4m3}));
  for (int i = 0; i < rounds; ++i) {
    for (const Dtype outer : {Dtype::bf16, Dtype::f16, Dtype::i16, Dtype::f32})
      EXPECT_EQ(w.store(w(Dtype::i8, i), outer), w(Dtype::i8, i));
    EXPECT_EQ(w.store(w(Dtype::e4m3, i), Dtype::bf16), w(Dtype::e4m3, i));
  }
}

TEST(FieldProjection, MovesWhatADtypeDoesNotHold) {
  const auto moves = [](Dtype inner, Dtype outer) {
    World w(signature({inner, outer}));
    for (int i = 0; i < rounds; ++i)
      EXPECT_NE(w.store(w(inner, i), outer), w(inner, i)) << ir::name(inner) << " in " << ir::name(outer);
  };
  moves(Dtype::bf16, Dtype::f16);
  moves(Dtype::f16, Dtype::bf16);
  moves(Dtype::bf16, Dtype::e5m2);
  moves(Dtype::i16, Dtype::i8);
  moves(Dtype::u8, Dtype::i8);
  moves(Dtype::i16, Dtype::bf16);
}

TEST(FieldProjection, OfManyNarrowDtypesStillMovesMostValues) {   // the groups share 40 bits: five each here
  World w(signature({Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::i8, Dtype::i16, Dtype::e4m3}));
  int moved = 0;
  for (int i = 0; i < rounds; ++i) moved += w.store(w(Dtype::f32, i), Dtype::bf16) != w(Dtype::f32, i) ? 1 : 0;
  EXPECT_GT(moved, rounds * 9 / 10);
}

TEST(FieldProjection, ShowsARoundingAtAnotherPlace) {
  World w(signature({Dtype::f32, Dtype::bf16, Dtype::f16}));
  Field& f = w.field;
  for (int i = 0; i < rounds; ++i) {
    const Value x = w(Dtype::f32, 2 * i), y = w(Dtype::f32, 2 * i + 1);
    EXPECT_NE(w.store(f.add(x, y), Dtype::bf16), w.store(f.add(w.store(x, Dtype::bf16), y), Dtype::bf16));
    EXPECT_NE(w.store(x, Dtype::bf16), w.store(w.store(x, Dtype::f16), Dtype::bf16));
  }
}

TEST(FieldProjection, IsSwitchedOffByKindAndBySite) {
  const Signature s = signature({Dtype::f32, Dtype::bf16, Dtype::i8});
  const Value x = World(s)(Dtype::f32, 5);
  EXPECT_EQ(World(s, 1, {false, true, {}}).store(x, Dtype::bf16), x);
  EXPECT_EQ(World(s, 1, {false, true, {}}).store(x, Dtype::i8), x);   // a float that is rounded to an integer
  EXPECT_NE(World(s, 1, {false, true, {}}).store(x, Dtype::i8, Dtype::i32), x);
  EXPECT_EQ(World(s, 1, {true, false, {}}).store(x, Dtype::i8, Dtype::i32), x);
  const Field exempt(s, {true, true, {false, true}}, 1);
  EXPECT_EQ(exempt.narrow(x, {Dtype::f32, Dtype::bf16, true, 1}), x);
  EXPECT_NE(exempt.narrow(x, {Dtype::f32, Dtype::bf16, true, 0}), x);
  EXPECT_NE(exempt.narrow(x, {Dtype::f32, Dtype::bf16, true, 2}), x);
}

TEST(FieldProjection, KeepsLiteralsThatFitAndRoundsTheOthersTruly) {
  World w(signature({Dtype::f32, Dtype::bf16, Dtype::i8}, {{5, -1}, {1, -1}, {300, 0}}));
  Field& f = w.field;
  EXPECT_EQ(w.store(f.literal({5, -1}), Dtype::bf16), f.literal({5, -1}));
  EXPECT_EQ(w.store(f.negate(f.literal({5, -1})), Dtype::bf16), f.negate(f.literal({5, -1})));
  EXPECT_EQ(w.store(f.literal({1, -1}), Dtype::bf16), f.literal({10009765625, -11}));   // 0.1 in bf16
  EXPECT_EQ(w.store(f.integer(257), Dtype::bf16), f.integer(256));
  EXPECT_EQ(w.store(f.integer(300), Dtype::i8), f.integer(127));                        // a float saturates
  EXPECT_EQ(w.store(f.integer(300), Dtype::i8, Dtype::i32), f.integer(44));             // an integer wraps
}

TEST(FieldProjection, WrappingIsNotSaturating) {
  World w(signature({Dtype::f32, Dtype::i32, Dtype::i8}));
  for (int i = 0; i < rounds; ++i)
    EXPECT_NE(w.store(w(Dtype::i32, i), Dtype::i8, Dtype::i32), w.store(w(Dtype::i32, i), Dtype::i8, Dtype::f32));
}

TEST(FieldProjection, OfANegatedIntegerIsNotTheIdentity) {
  World w(signature({Dtype::i32, Dtype::i8, Dtype::i16}));
  Field& f = w.field;
  for (int i = 0; i < rounds; ++i) {
    const Value x = w(Dtype::i8, i);
    EXPECT_NE(w.store(f.negate(x), Dtype::i8, Dtype::i32), f.negate(x));   // -(-128) wraps
    const Value magnitude = w.apply(Op::abs, {x});
    EXPECT_NE(w.store(magnitude, Dtype::i8, Dtype::i32), magnitude);
  }
}

TEST(FieldProjection, IntoAnyIntegerRoundsToAnInteger) {
  World w(signature({Dtype::f32, Dtype::i32, Dtype::i8}));
  int moved = 0;
  for (int i = 0; i < rounds; ++i) {
    const Value x = w(Dtype::f32, i);
    const Value n = w.store(x, Dtype::i32);
    moved += n != x ? 1 : 0;
    EXPECT_EQ(w.store(n, Dtype::i32), n);
    EXPECT_EQ(w.apply(Op::round, {x}), n);
    EXPECT_EQ(w.store(w.apply(Op::round, {x}), Dtype::i8), w.store(x, Dtype::i8));
    EXPECT_EQ(w.store(w(Dtype::i32, i), Dtype::i32), w(Dtype::i32, i));
    EXPECT_EQ(w.store(w(Dtype::i8, i), Dtype::i32), w(Dtype::i8, i));
  }
  EXPECT_GT(moved, rounds * 9 / 10);   // the set of the integers has eight bits where others need some
}

TEST(FieldProjection, LeavesWideDtypesAlone) {
  World w(signature({Dtype::f32, Dtype::bf16}));
  World with_f64(signature({Dtype::f64, Dtype::f32}));
  EXPECT_EQ(w.store(w(Dtype::f32, 1), Dtype::f32), w(Dtype::f32, 1));
  EXPECT_NE(with_f64.store(with_f64(Dtype::f64, 1), Dtype::f32, Dtype::f64), with_f64(Dtype::f64, 1));
  EXPECT_EQ(with_f64.store(with_f64(Dtype::f32, 1), Dtype::f32, Dtype::f64), with_f64(Dtype::f32, 1));
  World integers(signature({Dtype::i64, Dtype::i32}));
  EXPECT_NE(integers.store(integers(Dtype::i64, 1), Dtype::i32, Dtype::i64), integers(Dtype::i64, 1));
}

TEST(FieldProjection, RoundsToTheAccumulateDtypeFirst) {
  World w(signature({Dtype::f32, Dtype::f16}));
  const Value x = w(Dtype::f32, 0);
  EXPECT_EQ(w.store(x, Dtype::f32, Dtype::f16), w.store(x, Dtype::f16));
}

TEST(FieldInfinity, FollowsRuleEleven) {
  World w(signature({Dtype::f32, Dtype::i8, Dtype::bf16, Dtype::e4m3fn}, {{125, -3}}));
  Field& f = w.field;
  const Value x = w(Dtype::f32, 0), inf = f.infinity(), low = f.negate(inf);
  EXPECT_EQ(f.add(x, low), low);
  EXPECT_EQ(f.subtract(x, low), inf);
  EXPECT_TRUE(f.is_nan(f.add(inf, low)));
  EXPECT_TRUE(f.is_nan(f.multiply(f.integer(0), inf)));
  EXPECT_TRUE(f.is_nan(f.multiply(x, inf)));
  EXPECT_EQ(f.multiply(f.literal({125, -3}), low), low);
  EXPECT_EQ(f.multiply(f.divide(f.integer(-1), f.integer(7)), low), inf);
  EXPECT_EQ(f.divide(x, inf), f.integer(0));
  EXPECT_TRUE(f.is_nan(f.divide(x, f.integer(0))));
  EXPECT_EQ(w.apply(Op::exp, {low}), f.integer(0));
  EXPECT_EQ(w.apply(Op::exp, {f.integer(0)}), f.integer(1));
  EXPECT_EQ(w.apply(Op::sigmoid, {low}), f.integer(0));
  EXPECT_EQ(w.apply(Op::softplus, {low}), f.integer(0));
  EXPECT_EQ(w.apply(Op::log, {f.integer(0)}), low);
  EXPECT_EQ(w.store(low, Dtype::bf16), low);
  EXPECT_EQ(w.store(low, Dtype::i8), f.integer(-128));
  EXPECT_EQ(w.store(inf, Dtype::i8, Dtype::i32), f.integer(127));
  EXPECT_EQ(w.store(low, Dtype::e4m3fn), f.integer(-448));
}

TEST(FieldPoison, IsStrictInEveryOperator) {
  World w(signature({Dtype::f32}));
  Field& f = w.field;
  const Value p = Field::poison(), zero = f.integer(0), x = w(Dtype::f32, 1);
  for (const Value v :
       {f.add(p, x), f.multiply(zero, p), f.divide(p, f.infinity()), f.max(p, f.infinity()), f.min(f.nan(), p), f.negate(p),
        f.select(p, x, x), f.select(zero, p, x), f.select(f.integer(1), x, p), f.compare(Op::less, p, f.nan()),
        w.apply(Op::logical_and, {zero, p}), w.apply(Op::exp, {p}), w.apply(Op::sigmoid, {p}), w.apply(Op::abs, {p}),
        w.store(p, Dtype::f32), f.accumulate(ir::Update::bit_or, p, zero)})
    EXPECT_TRUE(Field::is_poison(v));
}

TEST(FieldCompare, HasTheLawsOfAnOrderThatNeedNoOrder) {
  World w(comparing({Dtype::f32, Dtype::bf16}));
  Field& f = w.field;
  const Value one = f.integer(1);
  for (int i = 0; i < rounds; ++i) {
    const Value a = w(Dtype::f32, 2 * i), b = w(Dtype::f32, 2 * i + 1);
    EXPECT_EQ(f.compare(Op::less, a, a), f.integer(0));
    EXPECT_EQ(f.compare(Op::equal, a, a), one);
    EXPECT_EQ(f.compare(Op::greater_equal, a, b), f.subtract(one, f.compare(Op::less, a, b)));
    EXPECT_EQ(f.compare(Op::greater, a, b), f.compare(Op::less, b, a));
    EXPECT_EQ(f.compare(Op::equal, a, b), f.compare(Op::equal, b, a));
    EXPECT_EQ(f.compare(Op::not_equal, a, b), f.subtract(one, f.compare(Op::equal, a, b)));
    EXPECT_EQ(f.compare(Op::less, f.negate(a), f.negate(b)), f.compare(Op::less, b, a));
    EXPECT_NE(f.compare(Op::less, a, b), f.compare(Op::less, b, a));
    EXPECT_EQ(f.compare(Op::less, a, f.infinity()), one);
    EXPECT_EQ(f.compare(Op::less, f.infinity(), a), f.integer(0));
  }
}

TEST(FieldCompare, DecidesIntegersAndLiteralsTruly) {
  World w(signature({Dtype::f32}, {{25, -2}, {5, -1}}));
  Field& f = w.field;
  EXPECT_EQ(f.compare(Op::less, f.integer(-3), f.integer(2)), f.integer(1));
  EXPECT_EQ(f.compare(Op::greater_equal, f.literal({25, -2}), f.literal({5, -1})), f.integer(0));
  EXPECT_EQ(f.compare(Op::not_equal, f.nan(), f.nan()), f.integer(1));
  EXPECT_EQ(f.compare(Op::greater_equal, f.nan(), f.integer(0)), f.integer(0));
}

TEST(FieldCompare, YieldsAnElementOfEveryNarrowSet) {
  World w(comparing({Dtype::f32, Dtype::bf16, Dtype::i8, Dtype::boolean}));
  Field& f = w.field;
  int moved = 0;
  for (int i = 0; i < rounds; ++i) {
    const Value c = f.compare(Op::less, w(Dtype::f32, i), w(Dtype::f32, i + 1)), other = f.subtract(f.integer(1), c);
    for (const Dtype dtype : {Dtype::bf16, Dtype::i8, Dtype::boolean, Dtype::f32}) {
      EXPECT_EQ(w.store(c, dtype, Dtype::i32), c);
      EXPECT_EQ(w.store(other, dtype, Dtype::i32), other);
    }
    EXPECT_EQ(f.compare(Op::not_equal, c, f.integer(0)), c);
    EXPECT_EQ(f.compare(Op::equal, c, f.integer(0)), other);
    moved += w.store(w(Dtype::i8, i), Dtype::boolean, Dtype::i32) != w(Dtype::i8, i) ? 1 : 0;
  }
  EXPECT_GT(moved, rounds * 9 / 10);
}

TEST(FieldSelect, MixesFiniteArmsAndPicksOtherwise) {
  World w(comparing({Dtype::f32, Dtype::bf16}));
  Field& f = w.field;
  int picked_first = 0;
  for (int i = 0; i < rounds; ++i) {
    const Value a = w(Dtype::f32, 2 * i), b = w(Dtype::f32, 2 * i + 1), c = f.compare(Op::less, a, b),
                not_c = f.compare(Op::greater_equal, a, b);
    EXPECT_EQ(f.select(c, a, b), f.select(not_c, b, a));
    EXPECT_NE(f.select(c, a, b), f.select(c, b, a));
    EXPECT_EQ(f.select(c, a, a), a);
    EXPECT_EQ(f.select(f.integer(1), a, b), a);
    EXPECT_EQ(f.select(f.integer(0), a, f.negate(f.infinity())), f.negate(f.infinity()));
    const Value masked = f.select(c, a, f.negate(f.infinity()));
    EXPECT_EQ(masked, f.select(not_c, f.negate(f.infinity()), a));
    picked_first += masked == a ? 1 : 0;
  }
  EXPECT_GT(picked_first, rounds / 3);
  EXPECT_LT(picked_first, 2 * rounds / 3);
}

TEST(FieldNarrowing, OfWhatABufferHoldsIsTheIdentity) {
  World w(signature({Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::i64, Dtype::i32, Dtype::u32, Dtype::i8}));
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::i32, Dtype::u32, Dtype::i8})
    for (const int64_t value :
         {int64_t{-5}, int64_t{-1}, int64_t{300}, (int64_t{1} << 26) - 1, int64_t{1} << 33, int64_t{123'456'789}})
      for (const Dtype from : {Dtype::f64, Dtype::i64}) {
        const Value once = w.store(w.field.integer(value), dtype, from);
        EXPECT_EQ(w.store(once, dtype, from), once) << value << " into " << ir::name(dtype) << " from " << ir::name(from);
        EXPECT_EQ(w.store(once, dtype, dtype), once) << value << " into " << ir::name(dtype);
      }
}

TEST(FieldBits, AreCommutativeAssociativeClosedAndTrueOnIntegers) {
  World w(signature({Dtype::i32, Dtype::i8}));
  Field& f = w.field;
  std::set<Value> seen;
  for (const ir::Update update : {ir::Update::bit_and, ir::Update::bit_or, ir::Update::bit_xor})
    for (int i = 0; i < rounds; ++i) {
      const Value a = w(Dtype::i8, 3 * i), b = w(Dtype::i8, 3 * i + 1), c = w(Dtype::i8, 3 * i + 2);
      const Value ab = f.accumulate(update, a, b);
      EXPECT_EQ(ab, f.accumulate(update, b, a));
      EXPECT_EQ(f.accumulate(update, ab, c), f.accumulate(update, a, f.accumulate(update, b, c)));
      EXPECT_EQ(w.store(ab, Dtype::i8, Dtype::i32), ab);
      EXPECT_EQ(f.accumulate(update, f.identity(update), a), a);
      EXPECT_TRUE(seen.insert(ab).second);
    }
  // Small integers among other elements, in any order.
  for (const ir::Update update : {ir::Update::bit_and, ir::Update::bit_or, ir::Update::bit_xor})
    for (int i = 0; i < rounds; ++i) {
      const Value one = f.integer(1), three = f.integer(3), a = w(Dtype::i8, i);
      const Value first = f.accumulate(update, f.accumulate(update, one, three), a);
      EXPECT_EQ(first, f.accumulate(update, one, f.accumulate(update, three, a)));
      EXPECT_EQ(first, f.accumulate(update, f.accumulate(update, one, a), three));
      EXPECT_EQ(w.store(first, Dtype::i8, Dtype::i32), first);
    }
  EXPECT_EQ(w.apply(Op::bit_and, {f.integer(12), f.integer(10)}), f.integer(8));
  EXPECT_EQ(w.apply(Op::bit_xor, {f.integer(-1), f.integer(10)}), f.integer(-11));
  EXPECT_EQ(w.apply(Op::bit_not, {f.integer(5)}), f.integer(-6));
}

TEST(FieldIntegers, DivideShiftAndTakeRemaindersConsistently) {
  World w(signature({Dtype::i32, Dtype::i8}));
  Field& f = w.field;
  EXPECT_EQ(w.apply(Op::floordiv, {f.integer(-7), f.integer(2)}), f.integer(-4));
  EXPECT_EQ(w.apply(Op::mod, {f.integer(-7), f.integer(2)}), f.integer(1));
  EXPECT_EQ(w.apply(Op::shift_right, {f.integer(-7), f.integer(1)}), f.integer(-4));
  const Value x = w(Dtype::i32, 0), four = f.integer(4);
  EXPECT_EQ(f.add(f.multiply(four, w.apply(Op::floordiv, {x, four})), w.apply(Op::mod, {x, four})), x);
  EXPECT_EQ(w.apply(Op::shift_right, {x, f.integer(2)}), w.apply(Op::floordiv, {x, four}));
  EXPECT_EQ(w.apply(Op::shift_left, {x, f.integer(2)}), f.multiply(x, four));
  EXPECT_TRUE(f.is_nan(w.apply(Op::floordiv, {x, f.integer(0)})));
}

TEST(FieldFunctions, AreThoseOfTheirDefinitionsAndSymmetries) {
  World w(signature({Dtype::f32}));
  Field& f = w.field;
  for (int i = 0; i < rounds; ++i) {
    const Value x = w(Dtype::f32, i), minus_x = f.negate(x), one = f.integer(1);
    const Value sigmoid = f.divide(one, f.add(one, w.apply(Op::exp, {minus_x})));
    EXPECT_EQ(w.apply(Op::sigmoid, {x}), sigmoid);
    EXPECT_EQ(w.apply(Op::silu, {x}), f.multiply(x, sigmoid));
    EXPECT_EQ(w.apply(Op::rsqrt, {x}), f.divide(one, w.apply(Op::sqrt, {x})));
    EXPECT_EQ(w.apply(Op::softplus, {x}), w.apply(Op::log, {f.add(one, w.apply(Op::exp, {x}))}));
    EXPECT_EQ(w.apply(Op::abs, {x}), f.max(x, minus_x));
    EXPECT_EQ(w.apply(Op::abs, {x}), w.apply(Op::abs, {minus_x}));
    EXPECT_EQ(w.apply(Op::tanh, {minus_x}), f.negate(w.apply(Op::tanh, {x})));
    EXPECT_EQ(w.apply(Op::cos, {minus_x}), w.apply(Op::cos, {x}));
    EXPECT_EQ(w.apply(Op::ceil, {x}), f.negate(w.apply(Op::floor, {minus_x})));
    EXPECT_NE(w.apply(Op::exp, {minus_x}), w.apply(Op::exp, {x}));
    EXPECT_NE(w.apply(Op::gelu, {x}), w.apply(Op::tanh, {x}));
  }
  EXPECT_EQ(w.apply(Op::rsqrt, {f.integer(64)}), f.literal({125, -3}));
}

TEST(FieldKeys, GiveTheSameInputsAgainAndOthersWithAnotherKey) {
  const Signature s = signature({Dtype::f32, Dtype::bf16});
  EXPECT_EQ(World(s, 5)(Dtype::bf16, 3), World(s, 5)(Dtype::bf16, 3));
  EXPECT_NE(World(s, 5)(Dtype::bf16, 3), World(s, 6)(Dtype::bf16, 3));
  EXPECT_NE(World(s, 5)(Dtype::bf16, 3), World(s, 5)(Dtype::bf16, 4));
  const Field f(s, {}, 5);
  EXPECT_NE(f.input({"x", 1, Dtype::f32, 3, 9, 0, 0}), f.input({"y", 2, Dtype::f32, 3, 9, 0, 0}));
}

TEST(FieldReport, DescribesElementsShortly) {
  World w(signature({Dtype::f32}, {{5, -1}}));
  EXPECT_EQ(w.field.describe(w.field.integer(-3)), "-3");
  EXPECT_EQ(w.field.describe(w.field.literal({5, -1})), "0.5");
  EXPECT_EQ(w.field.describe(w.field.negate(w.field.infinity())), "-inf");
  EXPECT_EQ(w.field.describe(w(Dtype::f32, 0)).substr(0, 10), "element 0x");
}

}  // namespace
}  // namespace tileproof::oracle
