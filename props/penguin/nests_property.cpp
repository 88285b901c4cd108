// The tiler on programs with loops, branches, views, scans and tiles of their own, which are more than it knows: what it tiles of them means the same.
#include "compiler/penguin/partition_groups.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/graph_machine.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"
#include "props/scaled.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tileproof::penguin {
namespace {

TEST(ProgramsWithLoops, KeepTheirMeaningAndSayWhatStays) {
  const pipeline::Pipeline pipeline = *pipeline::parse_pipeline("penguin", {passes(), {penguin_pipeline()}});
  size_t in_loops = 0;
  std::map<std::string, size_t> verdicts;
  for (uint64_t seed = 90'000; seed < 90'000 + scaled(250); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto choices = fuzz::Choices::from_seed(seed);
    const ir::Program program = fuzz::generate_program(choices, {.most_points = 80});
    const fuzz::GraphMachine& machine = fuzz::graph_machines()[choices.below(fuzz::graph_machines().size())];
    const auto stage = pipeline::run_pipeline(program, pipeline, &machine.machine);
    ASSERT_TRUE(stage.has_value()) << stage.error().pass << ": " << to_string(stage.error().diagnostics.front())
                                   << ir::print(program);
    std::map<std::string, int> answers;
    for (const pipeline::Remark& remark : stage->remarks)
      answers[remark.statement] += remark.id == "generated" || remark.kind == pipeline::RemarkKind::declined;
    for (const auto& [statement, label] : ir::labelled_statements(program))
      EXPECT_GE(answers[label], 1) << label << ir::print(program);
    if (ir::print(stage->program) == ir::print(program)) continue;
    const auto report = oracle::check(program, stage->program, {.keys = 1, .ieee = false});
    ASSERT_TRUE(report.has_value()) << to_string(report.error().front()) << ir::print(stage->program);
    ++verdicts[std::string(oracle::name(report->verdict))];
    ASSERT_NE(report->verdict, oracle::Verdict::refuted)
        << oracle::headline(*report) << ir::print(program) << ir::print(stage->program);
    ASSERT_NE(report->verdict, oracle::Verdict::harness_error) << ir::print(program);
    const auto has_loop = [](const ir::Program& p) {
      return std::ranges::any_of(p.body, [](const ir::Item& item) { return std::holds_alternative<ir::Loop>(item.node); });
    };
    in_loops += has_loop(program);
  }
  EXPECT_GT(in_loops, 100u);
  EXPECT_GT(verdicts["tested"], 200u) << verdicts["unsupported"] << " " << verdicts["bad-original"];
}

TEST(ProgramsWithLoops, HaveGroups) {
  for (uint64_t seed = 90'000; seed < 90'300; ++seed) {
    auto choices = fuzz::Choices::from_seed(seed);
    const ir::Program program = fuzz::generate_program(choices, {.wildness = fuzz::GenerateOptions::Wildness::wild});
    const machine::Machine& machine = fuzz::graph_machines().back().machine;
    const ir::Program annotated = compiled(program, "par-axes-annotation", machine).program;
    const PartitionGroups groups = partition_groups(annotated, machine);
    EXPECT_EQ(std::set<TensorEdge>(groups.edges.begin(), groups.edges.end()).size(), groups.edges.size()) << seed;
  }
}

}  // namespace
}  // namespace tileproof::penguin
