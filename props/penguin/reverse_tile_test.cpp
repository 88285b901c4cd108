// Reverse tiling: where it is done, that a whole axis group follows, and that the meaning and the limits stay.
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/operation.h"
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tileproof::penguin {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string to_p = "par-axes-annotation,ag-ordering,p-compute-cutting{reverse-tile=true}";
const std::string whole = to_p + ",bf-compute-cutting,loop-splitting,macro-generation";

ir::Program parsed(const std::string& body) {
  auto file = ir::parse("tile 1\nprogram p {\n" + body + "}\n", "p");
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  return std::move(file->programs.front());
}

std::string cut(const std::string& body) {
  return ir::print(compiled(parsed(body), to_p, *machine::find_machine("trn2")).program);
}

std::string map_of_rows(int64_t rows) {
  const std::string n = std::to_string(rows);
  return "  buffer x : f32[" + n + ", 700] dram in\n  buffer y : f32[" + n + ", 700] dram out\n" +
         "  map y[p, f] = exp(x[p, f]) over p:" + n + ", f:700\n";
}

TEST(ReverseTile, TakesEverySoManyThRow) {
  EXPECT_THAT(cut(map_of_rows(256)), HasSubstr("map y[2*p + pb, f] = exp(x[2*p + pb, f])"));
}

TEST(ReverseTile, NeedsATileThatDivides) {
  EXPECT_THAT(cut(map_of_rows(300)), HasSubstr("128*pb + p"));
  EXPECT_THAT(cut(map_of_rows(128)), HasSubstr("y[p, f]"));
}

TEST(ReverseTile, LeavesAnAxisAloneThatIsCutAlready) {
  const std::string body =
      "  buffer x : f32[256, 700] dram in\n  buffer y : f32[256, 700] dram out\n"
      "  map y[p, f] = exp(x[p, f]) over p:256 {P ag=0 from=q}, f:700 {F ag=1}\n";
  EXPECT_THAT(cut(body), HasSubstr("128*pb + p"));
}

// The rows of the map are the stationary columns of the matmul: its tiles lie side by side, so those of the map do.
TEST(ReverseTile, IsDoneInTheWholeAxisGroupOrInNone) {
  const std::string matmul =
      "  buffer x : bf16[256, 64] dram in\n  buffer w : bf16[64, 96] dram in\n  buffer y : f32[256, 96] dram out\n"
      "  buffer z : f32[256, 96] dram\n"
      "  matmul z[m, n] += x[m, k] * w[k, n] over m:256, n:96, k:64 reduce start\n"
      "  map y[m, n] = exp(z[m, n]) over m:256, n:96\n";
  EXPECT_THAT(cut(matmul), Not(HasSubstr("2*m")));
  const std::string maps =
      "  buffer x : f32[256, 96] dram in\n  buffer y : f32[256] dram out\n  buffer z : f32[256, 96] dram\n"
      "  map z[m, n] = exp(x[m, n]) over m:256, n:96\n"
      "  reduce y[i] += z[i, j] over i:256, j:96 reduce start\n";
  const std::string text = cut(maps);
  EXPECT_THAT(text, HasSubstr("z[2*m + mb, n]"));
  EXPECT_THAT(text, HasSubstr("z[2*i + ib, j]"));
}

/// By axis group, how the rows lie in each statement that has it on its partitions.
std::map<int64_t, std::set<bool>> ways(const ir::Program& program) {
  std::map<int64_t, std::set<bool>> ways;
  for (const ir::Statement* s : whole_tensor_statements(program))
    for (const bool reduced : {false, true})
      for (const size_t at : axes_of(*s, AxisClass::partition, reduced)) {
        const ir::Axis& lane = s->axes[at];
        const auto loop = std::ranges::find_if(s->axes, [&](const ir::Axis& other) {
          const auto *from = find_tag(other.tags, "from"), *own = find_tag(lane.tags, "from");
          return class_of(other) == AxisClass::block && from != nullptr && own != nullptr && from->value == own->value;
        });
        if (loop == s->axes.end() || !axis_group(lane)) continue;
        const std::string text = ir::print(*s);
        ways[*axis_group(lane)].insert(text.find("*" + lane.name + " + " + loop->name) != std::string::npos);
      }
  return ways;
}

TEST(ReverseTileOfGraphs, KeepsMeaningAndLimitsAndOneWayInAGroup) {
  size_t reversed = 0;
  for (uint64_t seed = 60'000; seed < 60'500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
    const ir::Program graph = fuzz::generate_graph(choices, machine.budgets);
    const pipeline::Stage stage = compiled(graph, whole, machine.machine);
    if (std::ranges::none_of(stage.remarks, [](const pipeline::Remark& remark) { return remark.id == "reversed"; })) continue;
    ++reversed;
    for (const auto& [group, both] : ways(compiled(graph, to_p, machine.machine).program))
      EXPECT_EQ(both.size(), 1u) << "ag " << group << "\n" << ir::print(compiled(graph, to_p, machine.machine).program);
    oracle::CheckOptions options;
    options.keys = 1;
    const auto declines = [](const pipeline::Remark& remark) { return remark.kind == pipeline::RemarkKind::declined; };
    if (std::ranges::none_of(stage.remarks, declines)) options.machine = &machine.machine;
    const auto report = oracle::check(graph, stage.program, options);
    ASSERT_TRUE(report.has_value());
    ASSERT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(stage.program);
  }
  EXPECT_GT(reversed, 40u);
}

}  // namespace
}  // namespace tileproof::penguin
