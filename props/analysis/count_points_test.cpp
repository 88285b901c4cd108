// Counting agrees with counting on one's fingers.
#include "compiler/analysis/count_points.h"

#include "compiler/ir/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tileproof::analysis {
namespace {

using ir::Expression;
using ir::Op;

Dimension dimension(std::string name, int64_t low, int64_t high) {
  return {std::move(name), {ir::integer(low), ir::integer(high)}};
}

/// `c*a + d*b + k OP 0`.
Expression condition(Op op, int64_t c, int64_t d, int64_t k) {
  const auto times = [](int64_t by, const char* name) { return make(Op::multiply, {ir::integer(by), ir::variable(name)}); };
  return make(op, {make(Op::add, {make(Op::add, {times(c, "a"), times(d, "b")}), ir::integer(k)}), ir::integer(0)});
}

int64_t points(const std::vector<Dimension>& dimensions, const std::vector<Expression>& conditions) {
  const PointCount counted = count_points(dimensions, conditions, {});
  EXPECT_TRUE(counted.exact);
  return counted.points;
}

Expression less_than(Expression e, int64_t bound) { return make(Op::less, {std::move(e), ir::integer(bound)}); }

TEST(CountPoints, NoDimensionIsOnePoint) { EXPECT_EQ(points({}, {}), 1); }

TEST(CountPoints, ATailLeavesExactlyTheElementsThereAre) {
  const Expression m = make(Op::add, {make(Op::multiply, {ir::integer(128), ir::variable("a")}), ir::variable("b")});
  EXPECT_EQ(points({dimension("a", 0, 3), dimension("b", 0, 128)}, {less_than(m, 300)}), 300);
  EXPECT_EQ(points({dimension("a", 0, 3), dimension("b", 0, 128), dimension("c", 0, 7)}, {less_than(m, 300)}), 2100);
}

TEST(CountPoints, ALongAxisCostsNoSteps) {
  const int64_t size = int64_t{1} << 40;
  EXPECT_EQ(points({dimension("a", 0, size)}, {less_than(ir::variable("a"), size - 1)}), size - 1);
}

TEST(CountPoints, ARangeMayNameAnOuterDimension) {
  const std::vector<Dimension> triangle{dimension("a", 0, 10), {"b", {ir::integer(0), ir::variable("a")}}};
  EXPECT_EQ(points(triangle, {}), 45);
}

TEST(CountPoints, DivisionsAndBranchesAreEnumerated) {
  const Expression quotient = make(Op::floordiv, {ir::variable("a"), ir::integer(3)});
  EXPECT_EQ(points({dimension("a", 0, 10)}, {less_than(quotient, 2)}), 6);
  EXPECT_EQ(points({dimension("a", 0, 10)}, {make(Op::logical_not, {less_than(ir::variable("a"), 4)})}), 6);
}

TEST(CountPoints, WhatDependsOnDataIsABound) {
  const Expression data = less_than(ir::read("n", {ir::variable("a")}), 4);
  const PointCount counted = count_points(std::vector{dimension("a", 0, 10)}, std::vector{data}, {});
  EXPECT_EQ(counted.points, 10);
  EXPECT_FALSE(counted.exact);
}

TEST(CountPoints, WhatTakesTooLongIsABound) {
  const Expression far = make(Op::less, {make(Op::mod, {ir::variable("a"), ir::integer(7)}), ir::integer(3)});
  const PointCount counted = count_points(std::vector{dimension("a", 0, 1'000'000'000)}, std::vector{far}, {});
  EXPECT_EQ(counted.points, 1'000'000'000);
  EXPECT_FALSE(counted.exact);
}

RC_GTEST_PROP(CountPoints, AgreesWithCountingOneByOne, ()) {
  const auto small = rc::gen::inRange<int64_t>(-6, 7);
  const int64_t a_low = *small, a_high = *small, b_low = *small, b_high = *small;
  struct Random {
    Op op;
    int64_t c, d, k;
  };
  std::vector<Random> randoms;
  std::vector<Expression> conditions;
  const auto count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    const Op op = *rc::gen::element(Op::less, Op::less_equal, Op::greater, Op::greater_equal, Op::equal, Op::not_equal);
    randoms.push_back({op, *small, *small, *small});
    conditions.push_back(condition(op, randoms.back().c, randoms.back().d, randoms.back().k));
  }
  int64_t expected = 0;
  for (int64_t a = a_low; a < a_high; ++a) {
    for (int64_t b = b_low; b < b_high; ++b) {
      expected += std::ranges::all_of(randoms, [&](const Random& r) {
        const int64_t left = r.c * a + r.d * b + r.k;
        switch (r.op) {
          case Op::less: return left < 0;
          case Op::less_equal: return left <= 0;
          case Op::greater: return left > 0;
          case Op::greater_equal: return left >= 0;
          case Op::equal: return left == 0;
          default: return left != 0;
        }
      });
    }
  }
  const PointCount counted =
      count_points(std::vector{dimension("a", a_low, a_high), dimension("b", b_low, b_high)}, conditions, {});
  RC_ASSERT(counted.exact);
  RC_ASSERT(counted.points == expected);
}

}  // namespace
}  // namespace tileproof::analysis
