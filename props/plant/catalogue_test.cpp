// The catalogue of planted bugs: what is in it, and that what its edits start from is right.
#include "fuzz/plant/catalogue.h"
#include "compiler/penguin/penguin.h"
#include "compiler/pipeline/run_pipeline.h"
#include "fuzz/generate/graph.h"
#include "fuzz/plant/addresses.h"
#include "oracle/equivalence/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tileproof::plant {
namespace {

TEST(Catalogue, HasSixtyBugsAndTwentyFiveThatAreKnownElsewhere) {
  const auto is_known = [](const PlantedBug& bug) {
    return bug.source.starts_with("passes ") || bug.source.starts_with("bugs.tsv ");
  };
  EXPECT_GE(catalogue().size(), 60U);
  std::set<std::string> known;
  for (const PlantedBug& bug : catalogue())
    if (is_known(bug)) known.insert(bug.source);
  EXPECT_GE(known.size(), 25U);
}

TEST(Catalogue, HasThePrintedPseudocode) {
  std::vector<std::string> names;
  for (const PlantedBug& bug : catalogue()) names.push_back(bug.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"printed-compute-cut", "printed-compute-cut-from-the-right", "printed-cut-axes"}));
}

TEST(Catalogue, NamesEachBugOnce) {
  std::set<std::string> names, meanings;
  for (const PlantedBug& bug : catalogue()) {
    EXPECT_TRUE(pipeline::is_name(bug.name)) << bug.name;
    EXPECT_TRUE(names.insert(bug.name).second) << bug.name;
    EXPECT_TRUE(meanings.insert(bug.what).second) << bug.name;
  }
}

TEST(Catalogue, KnowsTheSourceOfEachBugAndABugForEachSource) {
  std::set<std::string_view> modelled;
  for (const PlantedBug& bug : catalogue()) {
    EXPECT_NE(source_named(bug.source), nullptr) << bug.name << ": " << bug.source;
    modelled.insert(bug.source);
  }
  for (const Source& source : known_sources()) EXPECT_TRUE(modelled.contains(source.id)) << source.id;
}

TEST(Catalogue, PlantsEachBugInAPassThatThereIs) {
  const pipeline::Registry right{penguin::passes(), {}};
  for (const PlantedBug& bug : catalogue()) {
    EXPECT_TRUE(pipeline::verify(registry_with(bug)).empty()) << bug.name;
    const auto* wrong = std::get_if<WrongPass>(&bug.wrong);
    EXPECT_TRUE(wrong == nullptr || right.pass(wrong->pass) != nullptr) << bug.name;
  }
}

TEST(Addresses, AreLegalWithTheRightPlan) {
  const pipeline::Registry registry{penguin::passes(), {penguin::penguin_pipeline()}};
  const auto pipeline = pipeline::parse_pipeline("penguin", registry);
  ASSERT_TRUE(pipeline);
  uint64_t addressed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
    const ir::Program original = fuzz::generate_graph(choices, machine.budgets);
    auto stage = pipeline::run_pipeline(original, *pipeline, &machine.machine);
    ASSERT_TRUE(stage);
    if (std::ranges::any_of(stage->remarks, [](const auto& remark) { return remark.kind == pipeline::RemarkKind::declined; }))
      continue;
    const ir::Program without = stage->program;
    give_addresses(stage->program, {bytes_of});
    addressed += stage->program != without;
    const auto report = oracle::check(original, stage->program, {.machine = &machine.machine});
    ASSERT_TRUE(report);
    EXPECT_EQ(oracle::name(report->verdict), "tested") << "seed " << seed;
  }
  EXPECT_GE(addressed, 150U);
}

}  // namespace
}  // namespace tileproof::plant
