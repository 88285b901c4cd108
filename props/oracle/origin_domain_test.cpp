// Origins: which input elements enter a value, and how often.
#include "oracle/domain/origin.h"

#include <gtest/gtest.h>

#include <vector>

namespace tileproof::oracle {
namespace {

using ir::Dtype;
using ir::Op;
using Value = Origin::Value;
using Elements = std::map<Origin::Element, uint64_t>;

constexpr uint64_t x = 1, w = 2;

struct World {
  Origin origin{{{Dtype::f32, Dtype::bf16}, {}, true, true, true}, {}, 1, uint64_t{1} << 26};
  Value operator()(uint64_t buffer, int64_t element) { return origin.input({"", buffer, Dtype::f32, element, 100, 0, 0}); }
  Elements of(Value v) { return *origin.elements(v); }
};

TEST(OriginOfAReduction, CountsEachElement) {
  World world;
  Origin& o = world.origin;
  Value sum = o.identity(ir::Update::add);
  for (int k = 0; k < 3; ++k)
    sum = o.accumulate(ir::Update::add, sum, o.multiply(world(x, k), world(w, k), Dtype::f32), Dtype::f32);
  sum = o.add(sum, world(x, 1), Dtype::f32);
  EXPECT_EQ(world.of(sum), (Elements{{{x, 0}, 1}, {{x, 1}, 2}, {{x, 2}, 1}, {{w, 0}, 1}, {{w, 1}, 1}, {{w, 2}, 1}}));
}

TEST(OriginOfAProduct, DropsFactorsOfExactZero) {
  World world;
  Origin& o = world.origin;
  const Value zero = o.integer(0), skipped = o.apply(Op::exp, std::vector{o.negate(o.infinity())}, Dtype::f32);
  EXPECT_EQ(world.of(o.multiply(zero, world(x, 0), Dtype::f32)), Elements{});
  EXPECT_EQ(world.of(o.add(o.multiply(skipped, world(x, 0), Dtype::f32), world(x, 1), Dtype::f32)), (Elements{{{x, 1}, 1}}));
  EXPECT_EQ(world.of(o.add(world(x, 0), o.negate(o.infinity()), Dtype::f32)), Elements{});
}

TEST(OriginOfASelect, KeepsTheConditionAndBothArmsUnlessAnIntegerPicks) {
  World world;
  Origin& o = world.origin;
  const Value a = world(x, 0), b = world(x, 1), c = o.compare(Op::less, world(w, 0), world(w, 1));
  EXPECT_EQ(world.of(o.select(c, a, b)), (Elements{{{x, 0}, 1}, {{x, 1}, 1}, {{w, 0}, 1}, {{w, 1}, 1}}));
  EXPECT_EQ(world.of(o.select(o.integer(1), a, b)), (Elements{{{x, 0}, 1}}));
  EXPECT_EQ(world.of(o.select(o.integer(0), a, b)), (Elements{{{x, 1}, 1}}));
}

TEST(OriginOfAMax, IsThatOfAllItsElements) {
  World world;
  Origin& o = world.origin;
  Value m = o.identity(ir::Update::max);
  for (int k = 0; k < 4; ++k) m = o.max(m, world(x, k));
  EXPECT_EQ(world.of(o.max(m, world(x, 3))), (Elements{{{x, 0}, 1}, {{x, 1}, 1}, {{x, 2}, 1}, {{x, 3}, 2}}));
  EXPECT_EQ(world.of(o.narrow(m, {Dtype::f32, Dtype::bf16, true, 0})).size(), 4U);
}

TEST(OriginOfAnOpaque, IsAllThatItRead) {
  World world;
  Origin& o = world.origin;
  o.digest(world(x, 0));
  o.digest(world(x, 1));
  const Value first = o.from_digest(1), second = o.from_digest(2);
  o.digest(world(x, 2));
  EXPECT_EQ(world.of(first).size(), 2U);
  EXPECT_EQ(world.of(second).size(), 2U);
  EXPECT_EQ(world.of(o.from_digest(3)), (Elements{{{x, 2}, 1}}));
}

TEST(OriginCounts, SaturateInsteadOfOverflowing) {
  World world;
  Origin& o = world.origin;
  Value v = world(x, 0);
  for (int i = 0; i < 80; ++i) v = o.max(v, v);
  EXPECT_EQ(world.of(v), (Elements{{{x, 0}, Origin::max_count}}));
}

TEST(OriginHashes, TellSetsAndMultisetsApartInAnyOrderAndDomain) {
  World one, two;
  uint64_t work = 1000;
  const auto sum = [](World& world, std::vector<int64_t> elements) {
    Value v = world.origin.integer(0);
    for (const int64_t e : elements) v = world.origin.add(v, world(x, e), Dtype::f32);
    return v;
  };
  const Value forward = sum(one, {0, 1, 2}), backward = sum(two, {2, 1, 0}), twice = sum(two, {0, 1, 2, 2}),
              less = sum(two, {0, 1});
  EXPECT_EQ(one.origin.multiset_hash(forward), two.origin.multiset_hash(backward));
  EXPECT_NE(one.origin.multiset_hash(forward), two.origin.multiset_hash(twice));
  EXPECT_EQ(one.origin.support_hash(forward, work), two.origin.support_hash(twice, work));
  EXPECT_NE(one.origin.support_hash(forward, work), two.origin.support_hash(less, work));
}

TEST(OriginBounds, AreSaidWhenTheyAreReached) {
  Origin small({{Dtype::f32}, {}, false, false, false}, {}, 1, 16 * 100);
  Value v = small.integer(0);
  for (int i = 0; i < 200; ++i) v = small.add(v, small.input({"", x, Dtype::f32, i, 200, 0, 0}), Dtype::f32);
  EXPECT_TRUE(small.exceeded());
  EXPECT_FALSE(small.reason().empty());
  World world;
  uint64_t work = 2;
  const Value sum = world.origin.add(world(x, 0), world(x, 1), Dtype::f32);
  EXPECT_EQ(world.origin.support_hash(sum, work), std::nullopt);
  EXPECT_EQ(world.origin.elements(sum, 2), std::nullopt);
}

}  // namespace
}  // namespace tileproof::oracle
