// Indices at one execution: affine forms, conditions, windows. What is claimed of all points is compared with every point.
#include "compiler/ir/text.h"
#include "compiler/machine/operation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <map>
#include <random>
#include <set>
#include <span>

namespace tileproof::machine {
namespace {

/// A statement of one access, at given values of the loop variables b and c.
class Access1 {
 public:
  Access1(std::string_view buffer, std::string_view indices, std::string_view rest, std::vector<int64_t> extents) {
    auto parsed = ir::parse(fmt::format("tile 1 program p {{ buffer t : {} pad map t[{}] = 0 {} }}", buffer, indices, rest), "p");
    EXPECT_TRUE(parsed) << (parsed ? "" : ir::to_string(parsed.error().front()));
    file_ = std::move(*parsed);
    texts_ = resolve_accesses(file_.programs.front());
    operation_ = make_operation(texts_.front(), extents, lookup_);
  }
  Access1(const Access1&) = delete;
  Access1& operator=(const Access1&) = delete;
  const Operation& operation() const { return operation_; }
  const Lookup& lookup() const { return lookup_; }

 private:
  Lookup lookup_ = [](std::string_view name) { return name == "b" ? int64_t{3} : int64_t{5}; };
  ir::File file_;
  std::vector<StatementAccesses> texts_;
  Operation operation_;
};

/// The form of the only index, as text: "5 + 2*i".
std::string form(std::string_view index, std::vector<int64_t> extents) {
  const Access1 access("f32[100000]", index, "over i:1, j:1, k:1", std::move(extents));
  const Form& f = access.operation().placements.front().dims.front();
  std::string text = f.affine ? fmt::format("{}", f.constant) : "?";
  constexpr std::string_view names = "ijk";
  for (const auto [axis, coefficient] : f.terms) text += fmt::format(" + {}*{}", coefficient, names[axis]);
  return text;
}

TEST(Form, IsAffineWhereTheTextIs) { EXPECT_EQ(form("2*i - 3*(j - b) + c", {8, 8, 1}), "14 + 2*i + -3*j"); }
TEST(Form, LeavesAxesOfOneValueOut) { EXPECT_EQ(form("i + 7*j", {8, 1, 1}), "0 + 1*i"); }
TEST(Form, ResolvesTilesOfAFlatIndex) {
  EXPECT_EQ(form("(128*b + i) floordiv 128", {128, 1, 1}), "3");
  EXPECT_EQ(form("(128*b + i) mod 128", {128, 1, 1}), "0 + 1*i");
  EXPECT_EQ(form("(64*i + j) floordiv 64", {4, 64, 1}), "0 + 1*i");
  EXPECT_EQ(form("(64*i + j + 64*b) mod 64", {4, 64, 1}), "0 + 1*j");
}
TEST(Form, ResolvesExtremesThatTheRangesDecide) {
  EXPECT_EQ(form("min(i + 8*b, 100)", {8, 1, 1}), "24 + 1*i");
  EXPECT_EQ(form("min(64*b, 100) + i", {8, 1, 1}), "100 + 1*i");
  EXPECT_EQ(form("select(b < 4, i, j)", {8, 8, 1}), "0 + 1*i");
}
TEST(Form, TriesOutSmallIndicesThatRangesDoNotResolve) {
  EXPECT_EQ(form("i floordiv 8 * 8 + i mod 8", {100, 1, 1}), "0 + 1*i");
  EXPECT_EQ(form("(i + 1) mod 8", {8, 1, 1}), "? + 1*i");
  EXPECT_EQ(form("max(i - 100, 0) + j mod 3", {8, 8, 1}), "? + 1*j");
}

TEST(WhereBox, CutsAxesThatAConditionBounds) {
  const Access1 access("f32[1000]", "i", "over i:128, j:8 where 128*b + i < 400 and 2*j >= 3 and i + j < 9", {128, 8});
  EXPECT_EQ(access.operation().executed.high[0], 15);
  EXPECT_EQ(access.operation().executed.low[1], 2);
  EXPECT_EQ(access.operation().executed.high[1], 7);
}
TEST(WhereBox, IsEmptyWhereNothingExecutes) {
  EXPECT_TRUE(Access1("f32[1000]", "i", "over i:128 where 128*b + i < 300", {128}).operation().executed.is_empty());
  EXPECT_TRUE(Access1("f32[1000]", "i", "over i:128 where b == 4", {128}).operation().executed.is_empty());
  EXPECT_FALSE(Access1("f32[1000]", "i", "over i:128 where b != 4", {128}).operation().executed.is_empty());
}

// ---- all points against what is claimed ----

std::string random_index(std::mt19937& random, int depth) {
  const auto below = [&](uint32_t n) { return static_cast<int>(random() % n); };
  if (depth == 0 || below(4) == 0) {
    constexpr std::array leaves{"i", "j", "k", "b", "c", "0", "1", "7"};
    return leaves[static_cast<size_t>(below(8))];
  }
  const std::string left = random_index(random, depth - 1);
  switch (below(7)) {
    case 0: return fmt::format("({} + {})", left, random_index(random, depth - 1));
    case 1: return fmt::format("({} - {})", left, random_index(random, depth - 1));
    case 2: return fmt::format("({} * {})", 1 + below(9), left);
    case 3: return fmt::format("({} floordiv {})", left, 1 + below(9));
    case 4: return fmt::format("({} mod {})", left, 1 + below(9));
    case 5: return fmt::format("min({}, {})", left, random_index(random, depth - 1));
    default: return fmt::format("max({}, {})", left, random_index(random, depth - 1));
  }
}

constexpr uint32_t seeds = 700;

void check_form(uint32_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  const std::string index = random_index(random, 3);
  const std::vector<int64_t> extents{1 + static_cast<int64_t>(random() % 5), 1 + static_cast<int64_t>(random() % 5),
                                     1 + static_cast<int64_t>(random() % 5)};
  const Access1 access("f32[100000]", index, "over i:1, j:1, k:1", extents);
  const Operation& operation = access.operation();
  const Form& form = operation.placements.front().dims.front();
  const ir::Expression& expression = operation.access(0).indices.front();
  const std::vector<uint32_t> all{0, 1, 2};
  std::map<std::vector<int64_t>, int64_t> value_of;   // by the axes that it is said to depend on
  for_each_point(operation.box, all, 1000, [&](std::span<const int64_t> point) {
    const auto value = value_at(expression, operation.statement().axes, point, access.lookup());
    ASSERT_TRUE(value) << index;
    std::vector<int64_t> used;
    int64_t affine = form.constant;
    for (const auto [axis, coefficient] : form.terms) {
      used.push_back(point[axis]);
      affine += coefficient * point[axis];
    }
    if (form.affine) {
      ASSERT_EQ(affine, *value) << index;
    }
    const auto [known, is_first] = value_of.emplace(used, *value);
    ASSERT_EQ(known->second, *value) << index;
  });
}

TEST(AllPoints, AFormGivesTheValueAndDependsOnNothingElse) {
  for (uint32_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) check_form(seed);
}

void check_windows(uint32_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<int64_t>(random() % n); };
  const std::string p = random_index(random, 2), f = random_index(random, 2);
  const std::string where = fmt::format("where {}*i + {} < {} and j >= {}", 1 + below(3), below(3), 1 + below(9), below(3));
  const Access1 access("i4[50, 50 | 50, 50]", fmt::format("{}, i, {}, j", p, f), "over i:1, j:1, k:1 " + where,
                       {1 + below(5), 1 + below(5), 1 + below(5)});
  const Operation& operation = access.operation();
  const std::span<const ir::Expression> indices = operation.access(0).indices;
  const std::vector<uint32_t> all{0, 1, 2};
  std::set<int64_t> partitions, elements;
  for_each_point(operation.box, all, 1000, [&](std::span<const int64_t> point) {
    std::vector<int64_t> at;
    for (const ir::Expression& index : indices)
      at.push_back(*value_at(index, operation.statement().axes, point, access.lookup()));
    bool holds = true;
    for (const ir::Expression& condition : operation.statement().where) {
      const auto left = *value_at(condition.operands[0], operation.statement().axes, point, access.lookup());
      const auto right = *value_at(condition.operands[1], operation.statement().axes, point, access.lookup());
      holds = holds && (condition.op == ir::Op::less ? left < right : left >= right);
    }
    if (!holds) return;
    partitions.insert(50 * at[0] + at[1]);
    elements.insert(50 * at[2] + at[3]);
  });
  ASSERT_EQ(operation.executed.is_empty(), partitions.empty());
  if (partitions.empty()) return;
  const auto window = partition_window(operation, 0);
  ASSERT_TRUE(window);
  const int64_t count = *partitions.rbegin() - *partitions.begin() + 1;
  EXPECT_EQ(window->start, *partitions.begin());
  EXPECT_EQ(window->count, count);
  EXPECT_EQ(window->contiguous, count == static_cast<int64_t>(partitions.size()));
  const auto within = element_window(operation, 0);
  ASSERT_TRUE(within);
  EXPECT_EQ(within->first, *elements.begin());
  EXPECT_EQ(within->last, *elements.rbegin());
}

TEST(AllPoints, WindowsHoldWhatExecutes) {
  for (uint32_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) check_windows(seed);
}

}  // namespace
}  // namespace tileproof::machine
