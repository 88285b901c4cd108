// Dimensions that several axes index together become several dimensions: where, and that nothing else changes.
#include "compiler/penguin/tensor_tile_delinearizer.h"

#include "compiler/ir/verify.h"
#include "compiler/transform/fold.h"
#include "compiler/transform/substitute.h"
#include "fuzz/generate/graph.h"
#include "fuzz/generate/graph_flatten.h"
#include "fuzz/reduce/walk.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace tileproof::penguin {
namespace {

ir::Program parsed(const std::string& body) {
  auto file = ir::parse("tile 1\nprogram p {\n" + body + "}\n", "p.tile");
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  return std::move(file->programs.front());
}

struct Made {
  ir::Program program;
  std::vector<pipeline::Remark> remarks;
};

Made delinearized(const ir::Program& program) {
  const pipeline::Pass pass = tensor_tile_delinearizer();
  Made made;
  std::vector<pipeline::Obligation> obligations;
  const pipeline::Options none;
  auto result = pass.run(program, {nullptr, none, made.remarks, obligations});
  if (!result) throw std::runtime_error(to_string(result.error().front()));
  made.program = std::move(*result);
  return made;
}

std::string text(const ir::Program& program) { return ir::print(ir::File{"", {program}}); }

/// A chain through z[512], which is written over 30 x 16 elements, with this index and this one of the reader.
std::string chain(const std::string& declaration, const std::string& written, const std::string& read) {
  return "  buffer x : f32[30, 16] dram in\n  buffer y : f32[30, 16] dram out\n  buffer z : f32" + declaration + "\n" +
         "  map z[" + written + "] = exp(x[a, b]) over a:30, b:16\n  map y[a, b] = z[" + read + "] + 1 over a:30, b:16\n";
}

bool is_left_alone(const std::string& body) {
  const ir::Program before = parsed(body);
  return delinearized(before).program == before;
}

TEST(TensorTileDelinearizer, SplitsTheExampleOfTheSource) {
  const Made made = delinearized(parsed(chain("[512] dram", "16*a + b + 32", "16*a + b + 32")));
  EXPECT_EQ(made.program, parsed(chain("[32, 16] dram", "a + 2, b", "a + 2, b"))) << text(made.program);
  ASSERT_EQ(made.remarks.size(), 1u);
  EXPECT_EQ(made.remarks[0].id, "split-dimension");
  EXPECT_EQ(made.remarks[0].text, "z is [32, 16] now");
}

TEST(TensorTileDelinearizer, LeavesAnOffsetAloneThatLeadsIntoTheNextRow) {
  const std::string body = chain("[512] dram", "16*a + b + 4", "16*a + b + 4");
  EXPECT_TRUE(is_left_alone(body));
  const Made made = delinearized(parsed(body));
  ASSERT_EQ(made.remarks.size(), 1u);
  EXPECT_EQ(made.remarks[0].id, "mixed");
}

TEST(TensorTileDelinearizer, SplitsAllAccessesOrNone) {
  EXPECT_TRUE(is_left_alone(chain("[512] dram", "16*a + b", "16*a + b + 1")));
  EXPECT_TRUE(is_left_alone(chain("[512] dram", "16*a + b + 8", "16*a + b")));
  EXPECT_FALSE(is_left_alone(chain("[512] dram", "16*a + b + 16", "16*a + 15 - b")));
}

TEST(TensorTileDelinearizer, LeavesAnExtentAloneThatTheTileDoesNotDivide) {
  EXPECT_TRUE(is_left_alone(chain("[500] dram", "16*a + b", "16*a + b")));
}

TEST(TensorTileDelinearizer, LeavesAloneWhatIsNotTheProgramsOwn) {
  EXPECT_TRUE(is_left_alone(chain("[512] dram out", "16*a + b", "16*a + b")));
  EXPECT_TRUE(is_left_alone(chain("[512] dram inout", "16*a + b", "16*a + b")));
  EXPECT_TRUE(is_left_alone(chain("[512] dram\n  view v[i:512] = z[511 - i]", "16*a + b", "16*a + b")));
  EXPECT_TRUE(
      is_left_alone("  buffer u : f32[512] dram inout\n" + chain("[512] dram", "16*a + b", "16*a + b") + "  move u, z = z, u\n"));
  EXPECT_TRUE(is_left_alone(chain("[512] dram", "16*a + b", "16*a + b") + "  opaque f(inout z)\n"));
}

TEST(TensorTileDelinearizer, SplitsUntilEachDimensionHasOneAxis) {
  const std::string before = R"(  buffer x : f32[4, 6, 5] dram in
  buffer y : f32[4, 6, 5] dram out
  buffer z : f32[120] dram
  map z[30*a + 5*b + c] = exp(x[a, b, c]) over a:4, b:6, c:5
  for i in 0..4 par {
    if i < 3 {
      map y[i, b, c] = z[30*i + 5*b + c] + 1 over b:6, c:5
    } else {
      map y[i, b, c] = z[5*b + c + 90] + 1 over b:6, c:5
    }
  }
)";
  const std::string after = R"(  buffer x : f32[4, 6, 5] dram in
  buffer y : f32[4, 6, 5] dram out
  buffer z : f32[4, 6, 5] dram
  map z[a, b, c] = exp(x[a, b, c]) over a:4, b:6, c:5
  for i in 0..4 par {
    if i < 3 {
      map y[i, b, c] = z[i, b, c] + 1 over b:6, c:5
    } else {
      map y[i, b, c] = z[3, b, c] + 1 over b:6, c:5
    }
  }
)";
  const Made made = delinearized(parsed(before));
  EXPECT_EQ(made.program, parsed(after)) << text(made.program);
}

TEST(TensorTileDelinearizer, LeavesANameAloneThatDisjointBlocksUse) {
  EXPECT_TRUE(is_left_alone(R"(  buffer x : f32[8, 8] dram in
  buffer y : f32[64] dram out
  buffer v : f32[64] dram out
  if 0 < 1 {
    buffer z : f32[64] dram
    map z[8*i + j] = x[i, j] over i:8, j:8
    map y[8*i + j] = z[8*i + j] over i:8, j:8
  }
  buffer z : f32[64] dram
  map z[8*i + j] = x[i, j] over i:8, j:8
  map v[8*i + j] = z[8*i + j] over i:8, j:8
)"));
}

TEST(TensorTileDelinearizer, RewritesAReadInsideOfAnIndex) {
  const std::string before = R"(  buffer x : f32[60] dram in
  buffer k : i32[6, 10] dram in range 0..60
  buffer y : f32[6, 10] dram out
  buffer n : i32[60] dram
  copy n[10*a + b] = k[a, b] over a:6, b:10
  map y[a, b] = x[n[10*a + b]] over a:6, b:10
)";
  const Made made = delinearized(parsed(before));
  EXPECT_NE(text(made.program).find("x[n[a, b]]"), std::string::npos) << text(made.program);
}

/// Axes of one element count for nothing.
bool has_several_axes(const std::vector<ir::Expression>& indices, const ir::Statement& s) {
  return std::ranges::any_of(indices, [&](const ir::Expression& e) {
    const auto index = transform::linear(e);
    return index && std::ranges::count_if(index->terms, [&](const transform::Linear::Term& term) {
                      const auto axis = std::ranges::find(s.axes, term.atom.name, &ir::Axis::name);
                      return axis == s.axes.end() || axis->extent != ir::integer(1);
                    }) > 1;
  });
}

/// The program's own tensors of which an access has several axes in one index.
std::set<std::string> mixed(ir::Program program) {
  std::set<std::string> own, names;
  fuzz::each<ir::Buffer>(program, [&](const ir::Buffer& buffer) {
    if (buffer.role == ir::Role::none) own.insert(buffer.name);
  });
  fuzz::each<ir::Statement>(program, [&](ir::Statement& s) {
    const auto add = [&](const std::string& name, const std::vector<ir::Expression>& indices) {
      if (own.contains(name) && has_several_axes(indices, s)) names.insert(name);
    };
    add(s.destination, s.indices);
    transform::each_read(s.value, [&](ir::Expression& read) { add(read.name, read.operands); });
  });
  return names;
}

TEST(TensorTileDelinearizerOfGraphs, SplitsWhatWasOneAndKeepsTheMeaning) {
  size_t split = 0;
  for (uint64_t seed = 90'000; seed < 90'600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
    const ir::Program graph = fuzz::generate_graph(choices, machine.budgets);
    ir::Program flat = graph;
    fuzz::flatten_dims(flat, choices, 60);
    ASSERT_TRUE(ir::verify(flat, "").empty()) << text(flat);
    const Made made = delinearized(flat);
    ASSERT_TRUE(ir::verify(made.program, "").empty()) << text(made.program);
    if (made.program == flat) continue;
    ++split;
    const auto report = oracle::check(flat, made.program, {});
    ASSERT_TRUE(report.has_value());
    ASSERT_EQ(report->verdict, oracle::Verdict::tested) << text(flat) << text(made.program);
    // Strides of the graph itself may stand in the way; nothing else does.
    const std::set<std::string> before = mixed(graph);
    for (const std::string& name : mixed(made.program))
      EXPECT_TRUE(before.contains(name)) << name << "\n" << text(flat) << text(made.program);
    EXPECT_EQ(delinearized(made.program).program, made.program);
  }
  EXPECT_GT(split, 60u);
}

}  // namespace
}  // namespace tileproof::penguin
