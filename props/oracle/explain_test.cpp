// What a report says beside its verdict: places in few words, and where an undefined value comes from.
#include "compiler/ir/text.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/origins.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<InputPlace> box(int64_t rows, int64_t columns, int64_t first_row = 0) {
  std::vector<InputPlace> places;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) places.push_back({"x", ir::Dtype::f32, (first_row + i) * 100 + j, {first_row + i, j}});
  }
  return places;
}

TEST(ListPlaces, JoinsNeighboursAlongEveryDimension) {
  EXPECT_THAT(list_places(box(1, 1)), ElementsAre("x[0, 0]"));
  EXPECT_THAT(list_places(box(1, 7)), ElementsAre("x[0, 0..6]"));
  EXPECT_THAT(list_places(box(128, 1)), ElementsAre("x[0..127, 0]"));
  EXPECT_THAT(list_places(box(4, 7)), ElementsAre("x[0..3, 0..6]"));
  std::vector<InputPlace> two = box(2, 3);
  const std::vector<InputPlace> other = box(2, 5, 4);
  two.insert(two.end(), other.begin(), other.end());
  EXPECT_THAT(list_places(two), ElementsAre("x[0..1, 0..2]", "x[4..5, 0..4]"));
}

TEST(ListPlaces, CountsTheElementsThatItLeavesOut) {
  std::vector<InputPlace> places;
  for (int64_t i = 0; i < 20; i += 2) places.push_back({"x", ir::Dtype::f32, i, {i}});
  const std::vector<std::string> texts = list_places(places);
  ASSERT_EQ(texts.size(), 9U);
  EXPECT_EQ(texts.back(), "and 2 more elements");
}

TEST(ListPlaces, TakesScalars) { EXPECT_THAT(list_places({{"x", ir::Dtype::f32, 0, {}}}), ElementsAre("x[]")); }

/// The detail of the first finding.
std::string detail(std::string_view original, std::string_view tiled) {
  const auto program = [](std::string_view body) {
    return ir::parse(fmt::format("tile 1 program p {{ buffer x : f32[4] dram in buffer y : f32[1] dram out {} }}", body), "test")
        .value()
        .programs.front();
  };
  const auto report = check(program(original), program(tiled), {});
  return report && !report->findings.empty() ? report->findings.front().detail : "";
}

TEST(ARoundingThatNoInputShows, IsNotSaidToBeShownByAny) {
  const auto of = [](std::string_view statement) {
    const std::string head = "tile 1 program p { buffer x : f32[6] d in buffer y : f32[6] d out map y[i] = ";
    return ir::parse(head + std::string(statement) + " over i:6 }", "test").value().programs.front();
  };
  // A product with a power of two and a rounding commute, but at the ends of the range.
  const auto twice = check(of("2 * cast(bf16, x[i])"), of("cast(bf16, 2 * x[i])"), {});
  ASSERT_TRUE(twice && twice->difference);
  EXPECT_THAT(twice->difference->input, HasSubstr("no input that was drawn shows it"));
  const auto thrice = check(of("3 * cast(bf16, x[i])"), of("cast(bf16, 3 * x[i])"), {});
  ASSERT_TRUE(thrice && thrice->difference);
  EXPECT_THAT(thrice->difference->input, HasSubstr("all inputs random"));
}

TEST(UndefinedValue, IsTracedToItsFirstUse) {
  const std::string_view sum = "reduce y[0] += x[k] over k:4 reduce start";
  EXPECT_THAT(detail(sum,
                     "buffer t : f32[4] s load t[k] = x[k] over k:3 buffer u : f32[1] s reduce u[0] += t[k] over k:4 reduce "
                     "start store y[0] = u[0]"),
              HasSubstr("it comes from reduce#1 in line 1, which reads an element of t that is undefined"));
  EXPECT_THAT(
      detail(sum, "buffer u : f32[1] s reduce u[0] += x[k] over k:4 reduce store y[0] = u[0]"),
      HasSubstr(
          "it comes from reduce#1 in line 1, which accumulates onto an element that nothing has written: is a `start` missing?"));
}

}  // namespace
}  // namespace tileproof::oracle
