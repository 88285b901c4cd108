// The marking of fuse groups: the chains of its page, and what holds of every group in generated graphs.
#include "compiler/torq/mark_fuse_groups.h"

#include "compiler/ir/text.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"
#include "compiler/pipeline/run_pipeline.h"
#include "compiler/torq/fuse_groups.h"
#include "fuzz/generate/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

namespace tileproof::torq {
namespace {

pipeline::Stage marked(const ir::Program& program) {
  static const pipeline::Pipeline pipeline = *pipeline::parse_pipeline("mark-fuse-groups", {{mark_fuse_groups()}, {}});
  auto stage = pipeline::run_pipeline(program, pipeline, nullptr);
  if (!stage) throw std::runtime_error(to_string(stage.error().diagnostics.front()));
  return std::move(*stage);
}

ir::Program parsed(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "}\n", "p.tile");
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  return file->programs.front();
}

std::map<int64_t, FuseGroup> groups(const std::string& body) { return fuse_groups(marked(parsed(body)).program); }

using Members = std::vector<size_t>;

// Seed 001: the fill is number 0, the matmul 1, and the group is called by the matmul.
TEST(MarkFuseGroups, OfAMatmulAndWhatFillsItsResult) {
  const auto all = groups(R"(
    buffer a : bf16[300, 800] dram in
    buffer w : bf16[800, 320] dram in
    buffer y : f32[300, 320] dram out
    memset y[m, n] = 0 over m:300, n:320
    matmul y[m, n] += a[m, k] * w[k, n] over m:300, n:320, k:800 reduce
  )");
  ASSERT_EQ(all.size(), 1u);
  const auto& [number, group] = *all.begin();
  EXPECT_EQ(number, 1);
  EXPECT_EQ(group.members, (Members{0, 1}));
  EXPECT_EQ(group.principal, 1u);
  EXPECT_EQ(group.outputs, Members{1});
}

TEST(MarkFuseGroups, OfAProductAndItsEpilogue) {
  const auto all = groups(R"(
    buffer a : bf16[30, 80] dram in
    buffer w : bf16[80, 32] dram in
    buffer b : f32[32] dram in
    buffer z : f32[30, 32] dram
    buffer r : f32[30, 32] dram
    buffer y : bf16[30, 32] dram out
    matmul z[m, n] += a[m, k] * w[k, n] over m:30, n:32, k:80 reduce start
    map r[m, n] = max(z[m, n] + b[n], 0) over m:30, n:32
    map y[m, n] = 2 * r[m, n] over m:30, n:32
  )");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.at(0).members, (Members{0, 1, 2}));
  EXPECT_EQ(all.at(0).principal, 0u);
  EXPECT_EQ(all.at(0).outputs, Members{2});
}

TEST(MarkFuseGroups, EndsWhereSomethingElseReadsOrReadsElsewhere) {
  const auto all = groups(R"(
    buffer x : f32[30, 80] dram in
    buffer s : f32[30] dram
    buffer t : f32[30] dram
    buffer u : f32[30] dram out
    buffer v : f32[30] dram out
    reduce s[m] += x[m, k] over m:30, k:80 reduce start
    map t[m] = s[m] / 80 over m:30
    map u[m] = t[m] + 1 over m:30
    map v[m] = t[m] + 2 over m:30
  )");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.at(0).members, (Members{0, 1}));
  const auto shifted = groups(R"(
    buffer x : f32[30, 80] dram in
    buffer s : f32[30] dram
    buffer t : f32[29] dram out
    reduce s[m] += x[m, k] over m:30, k:80 reduce start
    map t[m] = s[m + 1] over m:29
  )");
  EXPECT_EQ(shifted.at(0).members, Members{0});
}

TEST(MarkFuseGroups, AFillBelongsToTheAccumulationThatFollows) {
  const pipeline::Stage stage = marked(parsed(R"(
    buffer x : f32[30, 80] dram in
    buffer y : f32[30] dram out
    map y[m] = 0 over m:30
    reduce y[m] += x[m, k] over m:30, k:80 reduce
  )"));
  EXPECT_EQ(groups_of(*penguin::whole_tensor_statements(stage.program)[0]), std::vector<int64_t>{1});
  ASSERT_EQ(stage.remarks.size(), 1u);
  EXPECT_EQ(stage.remarks[0].statement, "reduce#1");
}

TEST(MarkFuseGroups, LeadsIntoNoLoopAndOutOfNone) {
  const auto all = groups(R"(
    buffer x : f32[30, 80] dram in
    buffer s : f32[30] dram
    buffer y : f32[30] dram out
    buffer z : f32[30] dram out
    map s[m] = 0 over m:30
    for b in 0..2 seq {
      reduce s[m] += x[m, k] over m:30, k:80 reduce
    }
    map y[m] = s[m] / 80 over m:30
    for b in 0..30 seq {
      buffer t : f32[1] dram
      reduce t[0] += x[b, k] over k:80 reduce start
      map z[b] = 2 * t[0]
    }
  )");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at(1).members, Members{1});
  EXPECT_EQ(all.at(1).principal, 1u);
  EXPECT_EQ(all.at(3).members, Members{3});
}

TEST(MarkFuseGroups, KeepsWhatIsMarkedAndTakesNoNumberTwice) {
  const auto all = groups(R"(
    buffer x : f32[30, 80] dram in
    buffer y : f32[30] dram out
    buffer z : f32[30] dram out
    reduce y[m] += x[m, k] over m:30, k:80 reduce start
    group g tags {fuse_group=0} {
      reduce {principal} z[m] += x[m, k] over m:30, k:80 reduce start
    }
  )");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at(0).members, Members{1});
  EXPECT_EQ(all.at(0).principal, 1u);
  EXPECT_EQ(all.at(1).members, Members{0});
  EXPECT_EQ(all.at(1).principal, 0u);
}

TEST(MarkFuseGroups, MakesOfTheProgramOnItsPageWhatThatShows) {
  const auto text = ir::read_text("corpus/real/matmul_bias_relu.tile");
  const auto page = ir::read_text("docs/fuse-groups.md");
  ASSERT_TRUE(text && page);
  const auto file = ir::parse(*text, "matmul_bias_relu.tile");
  ASSERT_TRUE(file.has_value());
  const std::string printed = ir::print(marked(file->programs.front()).program);
  EXPECT_NE(page->find(printed.substr(printed.find("program "))), std::string::npos) << printed;
}

// ---- generated graphs ----

template <class Visit>
void each_graph(const Visit& visit) {
  for (uint64_t seed = 80'000; seed < 80'500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
    visit(fuzz::generate_graph(choices, machine.budgets));
    if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return;
  }
}

TEST(MarkFuseGroups, GivesEachGroupAPrincipalAndOneOutput) {
  size_t chains = 0;
  each_graph([&](const ir::Program& program) {
    const std::map<int64_t, FuseGroup> given = fuse_groups(program), all = fuse_groups(marked(program).program);
    for (const auto& [number, group] : all) {
      if (given.contains(number)) continue;
      ASSERT_TRUE(group.principal.has_value());
      EXPECT_EQ(group.outputs.size(), 1u);
      EXPECT_EQ(group.outputs.front(), group.members.back());
      EXPECT_TRUE(std::ranges::is_sorted(group.members));
      chains += group.members.size() > 1;
    }
  });
  EXPECT_GT(chains, 15u);
}

TEST(MarkFuseGroups, MarksEachStatementThatReducesUnlessItWasMarked) {
  each_graph([&](const ir::Program& program) {
    std::set<size_t> members;
    const ir::Program result = marked(program).program;
    for (const auto& [number, group] : fuse_groups(result)) members.insert(group.members.begin(), group.members.end());
    const auto statements = penguin::whole_tensor_statements(result);
    std::set<int64_t> numbers;
    for (size_t i = 0; i < statements.size(); ++i) {
      const bool reduces =
          std::ranges::find(statements[i]->axes, ir::AxisKind::reduce, &ir::Axis::kind) != statements[i]->axes.end();
      EXPECT_TRUE(!reduces || members.contains(i));
      numbers.insert(std::get<int64_t>(penguin::find_tag(statements[i]->tags, "fuse_group_id")->value.value));
    }
    EXPECT_EQ(numbers.size(), statements.size());
  });
}

TEST(MarkFuseGroups, ChangesTagsAloneAndNothingTheSecondTime) {
  each_graph([&](const ir::Program& program) {
    ir::Program result = marked(program).program;
    EXPECT_EQ(ir::print(marked(result).program), ir::print(result));
    for (ir::Statement* s : penguin::whole_tensor_statements(result)) s->tags.clear();
    ir::Program bare = program;
    for (ir::Statement* s : penguin::whole_tensor_statements(bare)) s->tags.clear();
    EXPECT_EQ(result, bare);
  });
}

TEST(MarkFuseGroups, ExtremeNumbersOfTheCallerAreNoneOfItsOwn) {
  const auto all = groups(R"(
    buffer x : f32[30, 80] dram in
    buffer y : f32[30] dram out
    buffer z : f32[30] dram out
    reduce {fuse_group_id=9223372036854775807} y[m] += x[m, k] over m:30, k:80 reduce start
    reduce {fuse_group_id=word} z[m] += x[m, k] over m:30, k:80 reduce start
  )");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at(9223372036854775807).principal, 0u);
  EXPECT_EQ(all.at(0).principal, 1u);
}

}  // namespace
}  // namespace tileproof::torq
