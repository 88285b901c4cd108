// The generator of graphs: total, checkable, and of the distribution that it promises.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/generate/distribution.h"
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tileproof {
namespace {

using fuzz::Budgets;
using fuzz::Choices;

std::vector<uint8_t> any_bytes() { return *rc::gen::scale(10.0, rc::gen::arbitrary<std::vector<uint8_t>>()); }

ir::Program graph_of(Choices choices) {
  const Budgets& budgets = draw_machine(choices).budgets;
  return fuzz::generate_graph(choices, budgets);
}

std::string checked_against_itself(const ir::Program& program) {
  if (const ir::Diagnostics errors = ir::verify(program, "graph"); !errors.empty()) return ir::to_string(errors.front());
  oracle::CheckOptions options;
  options.threads = 1;
  const auto report = oracle::check(program, program, options);
  if (!report) return ir::to_string(report.error().front());
  return report->verdict == oracle::Verdict::tested ? "" : fmt::format("{}: {}", oracle::name(report->verdict), report->reason);
}

RC_GTEST_PROP(Graphs, OfAnyBytesAreWellFormedAndEqualThemselves, ()) {
  const std::vector<uint8_t> bytes = any_bytes();
  const ir::Program program = graph_of(Choices(bytes));
  if (const std::string wrong = checked_against_itself(program); !wrong.empty()) RC_FAIL(wrong + "\n" + ir::print(program));
}

TEST(Graphs, OfAnySeedAreWellFormedAndEqualThemselves) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const ir::Program program = graph_of(Choices::from_seed(seed));
    ASSERT_EQ(checked_against_itself(program), "") << "seed " << seed << "\n" << ir::print(program);
  }
}

RC_GTEST_PROP(Graphs, DependOnNothingButTheChoices, (uint64_t seed)) {
  const ir::Program program = graph_of(Choices::from_seed(seed));
  RC_ASSERT(program == graph_of(Choices::from_seed(seed)));
  const std::string text = ir::print(program);
  const auto file = ir::parse(text, "printed");
  RC_ASSERT(file.has_value());
  RC_ASSERT(file->programs.front() == program);
}

RC_GTEST_PROP(Graphs, KeepTheirPointsAndOperationsWithinTheOptions, (uint64_t seed)) {
  Choices choices = Choices::from_seed(seed);
  const Budgets& budgets = draw_machine(choices).budgets;
  const fuzz::GraphOptions options{.most_points = 200, .most_product_points = 200, .most_operations = 2};
  fuzz::Distribution graph;
  graph.add_graph(fuzz::generate_graph(choices, budgets, options), budgets);
  RC_ASSERT(graph.statements >= 1U);
  RC_ASSERT(graph.statements <= 2U);
  // A pooling with padding reads an element up to three times, and a dim grows by the padding.
  RC_ASSERT(graph.points <= 2 * 200 * 5U);
}

TEST(Graphs, ExistForNoBytesAtAll) {
  const ir::Program program = graph_of(Choices(std::span<const uint8_t>()));
  EXPECT_EQ(checked_against_itself(program), "");
  EXPECT_EQ(labelled_statements(program).size(), 1U) << "a zero is the simplest choice";
}

TEST(GraphMachines, ComeTightAndAsBuiltIn) {
  std::set<std::string> names;
  for (const fuzz::GraphMachine& each : fuzz::graph_machines()) {
    names.insert(each.name);
    EXPECT_EQ(each.machine.name, each.name);
    EXPECT_EQ(each.budgets, fuzz::budgets_of(each.machine));
    EXPECT_TRUE(machine::find_machine(each.name).has_value()) << each.name << ": a find must be replayable";
    const machine::Space* psum = each.machine.space("psum");
    ASSERT_NE(psum, nullptr);
    EXPECT_EQ(psum->partitions, each.budgets.partitions) << each.name;
    EXPECT_EQ(psum->bank_bytes, 4 * each.budgets.free) << each.name;
    EXPECT_GE(*each.machine.space("sbuf")->bytes, 4 * 16 * each.budgets.free) << each.name << " holds 16 tiles";
  }
  EXPECT_EQ(names, (std::set<std::string>{"trn1", "trn2", "trn3", "trn1-tight", "trn2-tight", "trn3-tight"}));
}

fuzz::Distribution distribution_of(uint64_t programs) {
  fuzz::Distribution distribution;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    Choices choices = Choices::from_seed(seed);
    const Budgets& budgets = draw_machine(choices).budgets;
    distribution.add_graph(fuzz::generate_graph(choices, budgets), budgets);
  }
  return distribution;
}

/// At least so many percent of the programs.
constexpr std::pair<const char*, double> floors[] = {
    {"ragged tail", 40},
    {"prime", 15},
    {"window or stride", 15},
    {"several consumers", 20},
    {"reduction", 40},
    {"matmul", 20},
    {"transpose", 10},
    {"matmul with 2 cut axes", 3},
    {"matmul with 3 cut axes", 1},
    {"broadcast", 30},
    {"copy", 5},
    {"gather", 5},
    {"scan", 3.5},
    {"in place", 2},
    {"two dims as one", 5},
    {"fuse group", 10},
    {"partition tag", 15},
    {"padding", 1.5},
    {"inout", 3},
    {"dtype f32", 30},
    {"dtype bf16", 20},
    {"dtype f16", 6},
    {"dtype e4m3", 5},
    {"dtype i32", 5},
    {"1 operation", 10},
    {"6+ operations", 4},
};

TEST(DistributionOfGraphs, KeepsItsFloors) {
  const fuzz::Distribution distribution = distribution_of(4000);
  for (const auto& [feature, floor] : floors)
    EXPECT_GE(distribution.percent(feature), floor) << feature << "\n" << distribution.print();
}

TEST(DistributionOfGraphs, IsOfSmallPrograms) {
  const fuzz::Distribution distribution = distribution_of(4000);
  const auto average = [&](uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(distribution.programs); };
  EXPECT_NEAR(average(distribution.points), 850, 150);
  EXPECT_NEAR(average(distribution.statements), 3, 0.3);
}

TEST(DistributionOfGraphs, SaysTheSameInTextAndJson) {
  const fuzz::Distribution distribution = distribution_of(100);
  const nlohmann::ordered_json json = distribution.json();
  EXPECT_EQ(json["programs"], 100);
  EXPECT_EQ(json["points"], distribution.points);
  ASSERT_FALSE(json["percent"].empty());
  for (const auto& [feature, percent] : json["percent"].items())
    EXPECT_NE(distribution.print().find(fmt::format("{:6.1f} %  {}\n", percent.get<double>(), feature)), std::string::npos);
}

/// One program for each feature that is relative to the budgets, and one without.
TEST(GraphFeatures, AreRelativeToTheBudgets) {
  const auto features = [](const std::string& body, Budgets budgets) {
    const std::string head =
        "tile 1 program p { buffer x : f32[40, 40] dram in  buffer z : f32[40] dram  buffer y : f32[40, 40] dram out ";
    fuzz::Distribution distribution;
    distribution.add_graph(ir::parse(head + body + " }", "test").value().programs.front(), budgets);
    return distribution;
  };
  const Budgets budgets{8, 16};
  EXPECT_EQ(features("map y[i, j] = x[i, j] over i:16, j:32", budgets).percent("ragged tail"), 0);
  EXPECT_EQ(features("map y[i, j] = x[i, j] over i:17, j:32", budgets).percent("ragged tail"), 100);
  EXPECT_EQ(features("map y[i, j] = x[i, j] over i:7, j:5", budgets).percent("ragged tail"), 0);
  EXPECT_EQ(features("reduce z[i] += x[i, k] over i:16, k:15 reduce start", budgets).percent("ragged tail"), 0)
      << "k lies on free";
  EXPECT_EQ(features("reduce z[i] += x[i, k] over i:16, k:17 reduce start", budgets).percent("ragged tail"), 100);
  EXPECT_EQ(features("map y[i, j] = x[i, j] over i:7, j:8", budgets).percent("prime"), 0) << "it fits";
  EXPECT_EQ(features("map y[i, j] = x[i, j] over i:11, j:8", budgets).percent("prime"), 100);
  EXPECT_EQ(features("map y[i, j] = x[2*i, j] over i:8, j:8", budgets).percent("window or stride"), 100);
  EXPECT_EQ(features("map y[i, j] = x[j, 0] over i:8, j:8", budgets).percent("window or stride"), 0);
  EXPECT_EQ(features("map y[i, j] = x[j, 0] over i:8, j:8", budgets).percent("broadcast"), 100);
  const std::string produce = "map z[i] = 1 over i:40 ", consume = "map y[i, 0] = z[i] over i:40 ";
  EXPECT_EQ(features(produce + consume, budgets).percent("several consumers"), 0);
  EXPECT_EQ(features(produce + consume + "map y[i, 1] = z[i] over i:40", budgets).percent("several consumers"), 100);
  EXPECT_EQ(features(consume, budgets).percent("several consumers"), 0);
  const auto cuts = [&](const char* axes, const char* feature) {
    return features(std::string("matmul y[m, n] += x[m, k] * x[k, n] over ") + axes + ", k:9 reduce start", budgets)
        .percent(feature);
  };
  const char *const two = "matmul with 2 cut axes", *const three = "matmul with 3 cut axes";
  EXPECT_EQ(cuts("m:8, n:16", two), 0) << "k alone";
  EXPECT_EQ(cuts("m:8, n:17", two), 100);
  EXPECT_EQ(cuts("m:8, n:17", three), 0);
  EXPECT_EQ(cuts("m:9, n:17", three), 100);
  EXPECT_EQ(cuts("m:17, n:9", three), 100) << "whichever is longer";
  EXPECT_EQ(cuts("m:9, n:16", three), 0);
}

TEST(Graphs, HaveTheOperationsThatAreWantedAndNoOthers) {
  for (const fuzz::GraphOperation wanted : fuzz::all_operations) {
    for (const fuzz::GraphOperation other : fuzz::all_operations) {
      std::set<std::string, std::less<>> opcodes;
      for (uint64_t seed = 0; seed < 60; ++seed) {
        Choices choices = Choices::from_seed(seed);
        const Budgets& budgets = draw_machine(choices).budgets;
        const ir::Program program = fuzz::generate_graph(choices, budgets, {.only = {wanted, other}});
        for (const auto& [statement, label] : labelled_statements(program)) opcodes.insert(statement->opcode);
      }
      EXPECT_EQ(opcodes, (std::set<std::string, std::less<>>{std::string(name(wanted)), std::string(name(other))}));
    }
  }
}

/// As `tileproof fuzz --machine trn2` draws them.
TEST(Graphs, CutTwoAndThreeAxesOfAMatmulOnALargeMachineToo) {
  const Budgets large{128, 512};
  fuzz::Distribution distribution;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choices choices = Choices::from_seed(seed);
    distribution.add_graph(fuzz::generate_graph(choices, large, {.most_product_points = 10'000'000}), large);
  }
  EXPECT_GE(distribution.percent("matmul with 2 cut axes"), 2) << distribution.print();
  EXPECT_GE(distribution.counts["matmul with 3 cut axes"], 1U) << distribution.print();
}

}  // namespace
}  // namespace tileproof
