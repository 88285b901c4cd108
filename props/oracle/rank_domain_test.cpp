// The rank tier: a total order that max, compares and projections respect.
#include "oracle/domain/rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tileproof::oracle {
namespace {

using ir::Dtype;
using ir::Op;
using Value = Rank::Value;

constexpr int rounds = 300;

struct World {
  Rank rank;
  explicit World(std::vector<Dtype> dtypes = {Dtype::f32, Dtype::bf16, Dtype::i8}, uint64_t key = 1)
      : rank({std::move(dtypes), {{0, 0}, {5, -1}, {6, 0}, {1000, 0}}, true, false, true}, {}, key) {}
  Value operator()(int64_t element, Dtype dtype = Dtype::f32) const { return rank.input({"x", 99, dtype, element, 1000, 0, 0}); }
  bool less(Value a, Value b) const { return rank.compare(Op::less, a, b) == 1; }
  Value store(Value v, Dtype to) const { return rank.narrow(v, {Dtype::f32, to, true, 0}); }
};

TEST(RankOrder, IsTotalOddAndAgreesWithMaxAndMin) {
  World w;
  Rank& r = w.rank;
  for (int i = 0; i < rounds; ++i) {
    const Value a = w(3 * i), b = w(3 * i + 1, Dtype::bf16), c = w(3 * i + 2, Dtype::i8);
    EXPECT_NE(w.less(a, b), w.less(b, a));
    EXPECT_EQ(w.less(a, b), w.less(r.negate(b), r.negate(a)));
    EXPECT_EQ(r.max(a, b), w.less(a, b) ? b : a);
    EXPECT_EQ(r.min(a, b), w.less(a, b) ? a : b);
    EXPECT_EQ(r.min(a, c), r.negate(r.max(r.negate(a), r.negate(c))));
    EXPECT_EQ(r.select(r.compare(Op::greater, a, b), a, b), r.max(a, b));
    EXPECT_TRUE(!(w.less(a, b) && w.less(b, c)) || w.less(a, c));
    EXPECT_EQ(r.compare(Op::less_equal, a, a), 1U);
    EXPECT_TRUE(w.less(a, r.infinity()));
  }
}

TEST(RankOrder, IsAnotherOneForAnotherKey) {
  World one({Dtype::f32}, 1), two({Dtype::f32}, 2);
  int agree = 0;
  for (int i = 0; i < rounds; ++i) agree += one.less(one(2 * i), one(2 * i + 1)) == two.less(two(2 * i), two(2 * i + 1)) ? 1 : 0;
  EXPECT_GT(agree, rounds / 3);
  EXPECT_LT(agree, 2 * rounds / 3);
}

TEST(RankOrder, OfLiteralsIsTheRealOne) {
  World w;
  Rank& r = w.rank;
  const std::vector<Value> ascending{r.negate(r.infinity()), r.integer(-1000),   r.integer(-7), r.negate(r.literal({5, -1})),
                                     r.integer(0),           r.literal({5, -1}), r.integer(6),  r.integer(41),
                                     r.integer(1000)};
  for (size_t i = 0; i + 1 < ascending.size(); ++i) EXPECT_TRUE(w.less(ascending[i], ascending[i + 1])) << i;
}

TEST(RankOrder, PutsDataOnBothSidesOfLiterals) {
  World w;
  int above = 0;
  for (int i = 0; i < rounds; ++i) above += w.less(0, w(i)) ? 1 : 0;
  EXPECT_GT(above, rounds / 3);
  EXPECT_LT(above, 2 * rounds / 3);
}

TEST(RankOrder, KeepsIntegerDataInItsRange) {
  World w({Dtype::f32, Dtype::i8, Dtype::u8});
  Rank& r = w.rank;
  for (int i = 0; i < rounds; ++i) {
    const Value x = w(i, Dtype::i8), y = w(i, Dtype::u8);
    EXPECT_EQ(r.max(x, r.integer(-128)), x);
    EXPECT_EQ(r.min(x, r.integer(127)), x);
    EXPECT_EQ(r.max(y, r.integer(0)), y);
    EXPECT_EQ(r.min(r.negate(y), r.integer(0)), r.negate(y));
  }
}

TEST(RankProjection, IsIdempotentOddAndMonotone) {
  World w;
  Rank& r = w.rank;
  for (const Dtype dtype : {Dtype::bf16, Dtype::i8})
    for (int i = 0; i < rounds; ++i) {
      const Value a = w(2 * i), b = w(2 * i + 1), p = w.store(a, dtype), q = w.store(b, dtype);
      EXPECT_NE(p, a);
      EXPECT_EQ(w.store(r.negate(a), Dtype::bf16), r.negate(w.store(a, Dtype::bf16)));
      EXPECT_EQ(w.store(p, dtype), p);
      EXPECT_EQ(w.store(r.max(a, b), dtype), r.max(p, q));
      EXPECT_EQ(w.store(r.max(a, r.integer(0)), dtype), r.max(p, r.integer(0)));
    }
}

TEST(RankProjection, KeepsMembersOfContainedDtypes) {
  World w;
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(w.store(w(i, Dtype::i8), Dtype::bf16), w(i, Dtype::i8));
    EXPECT_EQ(w.store(w(i, Dtype::bf16), Dtype::bf16), w(i, Dtype::bf16));
  }
}

/// argmax of eight elements, whole and in two stages of four: the index of the stage must be rebased.
TEST(RankArgmax, InTwoStagesIsThatOfTheWholeOnlyIfTheIndexIsRebased) {
  bool wrong_differs = false;
  for (uint64_t key = 1; key <= 12; ++key) {
    World w({Dtype::f32, Dtype::i32}, key);
    Rank& r = w.rank;
    const auto argmax = [&](int from, int to, int base) {
      Value best = r.negate(r.infinity()), index = r.integer(1000);
      for (int i = from; i < to; ++i) best = r.max(best, w(i));
      for (int i = from; i < to; ++i)
        index = r.min(index, r.select(r.compare(Op::equal, w(i), best), r.integer(i - base), r.integer(1000)));
      return std::pair(best, index);
    };
    const auto whole = argmax(0, 8, 0), left = argmax(0, 4, 0), right = argmax(4, 8, 0), unrebased = argmax(4, 8, 4);
    EXPECT_EQ(r.select(r.compare(Op::greater_equal, left.first, right.first), left.second, right.second), whole.second);
    wrong_differs |=
        r.select(r.compare(Op::greater_equal, left.first, unrebased.first), left.second, unrebased.second) != whole.second;
  }
  EXPECT_TRUE(wrong_differs);
}

}  // namespace
}  // namespace tileproof::oracle
