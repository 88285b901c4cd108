// Every planted bug is found, and nothing but bugs.
#include "fuzz/plant/hunt.h"
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tileproof::plant {

void PrintTo(const PlantedBug* bug, std::ostream* stream) { *stream << bug->name; }

namespace {

/// No time limit: the same everywhere.
constexpr HuntLimits limits{.cases = 3000, .seconds = 0};

std::vector<const PlantedBug*> all() {
  std::vector<const PlantedBug*> bugs;
  for (const PlantedBug& bug : catalogue()) bugs.push_back(&bug);
  return bugs;
}

class Bug : public testing::TestWithParam<const PlantedBug*> {};

TEST_P(Bug, IsFound) {
  const Hunt result = hunt(*GetParam(), 1, limits);
  EXPECT_TRUE(result.find) << "in " << result.cases << " programs, of which it touched " << result.touched;
  EXPECT_EQ(result.harness_errors, 0U) << result.harness_error;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Bug, testing::ValuesIn(all()), [](const auto& information) {
  std::string name = information.param->name;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Hunt, FindsNothingInTheRightTiler) {
  const Hunt result = hunt(PlantedBug{}, 1, {.cases = 100, .seconds = 0});
  EXPECT_FALSE(result.find);
  EXPECT_EQ(result.touched, 0U);
  EXPECT_EQ(result.cases, 100U);
}

TEST(Hunt, FindsNothingInAnEditThatKeepsTheMeaning) {
  const WrongPass harmless{"macro-generation", [](ir::Program& program, const machine::Machine&) { program.name += "_tiled"; }};
  const Hunt result = hunt({"harmless", "", "ours", harmless}, 1, {.cases = 100, .seconds = 0});
  EXPECT_FALSE(result.find);
  EXPECT_GE(result.touched, 90U);
}

TEST(Hunt, IsTheSameWithTheSameSeed) {
  const PlantedBug& bug = *std::ranges::find(catalogue(), "zeros-before-the-map", &PlantedBug::name);
  const Hunt first = hunt(bug, 2, limits), second = hunt(bug, 2, limits), other = hunt(bug, 3, limits);
  ASSERT_TRUE(first.find && second.find && other.find);
  EXPECT_EQ(first.cases, second.cases);
  EXPECT_EQ(first.find->tiled, second.find->tiled);
  EXPECT_NE(first.find->tiled, other.find->tiled);
}

TEST(Hunt, LeavesWasteToTheObligations) {
  for (const PlantedBug* bug : all()) {
    if (!bug->wasteful) continue;
    PlantedBug judged = *bug;
    judged.wasteful = false;
    EXPECT_FALSE(hunt(judged, 1, {.cases = 100, .seconds = 0}).find) << bug->name << " is more than wasteful";
  }
}

TEST(Score, RaisesNoAlarmInFiveHundredProgramsAndDecidesAlmostAll) {
  const Score result = score({}, {.programs = 500});
  EXPECT_EQ(result.right.programs, 500U);
  EXPECT_EQ(result.false_alarms(), 0U) << print(result);
  EXPECT_LE(result.unsupported(), 10U) << print(result);
}

TEST(Score, IsTheSameWhateverTheThreads) {
  const std::vector<const PlantedBug*> bugs{&catalogue()[3], &catalogue()[30], &catalogue()[60]};
  const auto counted = [&](int jobs) {
    const Score result = score(bugs, {.seeds = 3, .limits = limits, .programs = 300, .jobs = jobs});
    std::vector<double> figures{static_cast<double>(result.found()), static_cast<double>(result.unsupported())};
    for (const Row& row : result.rows)
      figures.insert(figures.end(), {row.cases(50), row.cases(90), static_cast<double>(row.cheapest())});
    return figures;
  };
  EXPECT_EQ(counted(1), counted(3));
}

TEST(Score, RanksByTheNearest) {
  Row row;
  for (uint64_t cases = 1; cases <= 5; ++cases) {
    row.hunts.emplace_back().find.emplace();
    row.hunts.back().find->cases = cases;
  }
  EXPECT_EQ(row.cases(50), 3);
  EXPECT_EQ(row.cases(90), 5);
  row.hunts.emplace_back();
  EXPECT_FALSE(row.found());
}

}  // namespace
}  // namespace tileproof::plant
