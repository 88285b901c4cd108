// The pass that tiles scales of MX blocks and the quotients by them: its tiles, generated shapes, and what it leaves alone.
#include "compiler/ir/text.h"
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tileproof::penguin {
namespace {

using testing::HasSubstr;
using testing::Not;

const machine::Machine& trn3() {
  static const machine::Machine machine = *machine::find_machine("trn3");
  return machine;
}

ir::Program program(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "\n}\n", "p");
  EXPECT_TRUE(file.has_value()) << body;
  return file->programs.front();
}

/// Blocks of `x`, with one thing as told.
struct Blocks {
  int64_t rows = 12, packs = 130;
  std::string from = "bf16", to = "e4m3fn", scale = "8*b + i, 4*f + e", axes = "i:8 reduce, e:4 reduce", clauses = " start";
  std::string between = {}, quotient = {}, role = "in";

  std::string text() const {
    std::string body =
        fmt::format("buffer x : {}[{}, {}] dram {}\nbuffer q : {}[{}, {}] dram out\nbuffer s : e8m0[{}, {}] dram out\n", from,
                    8 * rows, 4 * packs, role, to, 8 * rows, 4 * packs, rows, packs);
    body += fmt::format("reduce s[b, f] max= abs(x[{}]) / 448 over b:{}, f:{}, {}{}\n", scale, rows, packs, axes, clauses);
    const std::string whole =
        fmt::format("map q[r, c] = x[r, c] / s[r floordiv 8, c floordiv 4] over r:{}, c:{}", 8 * rows, 4 * packs);
    return body + between + (quotient.empty() ? whole : quotient);
  }
};

pipeline::Stage quantized(const std::string& body, const std::string& options = "") {
  return compiled(program(body), "quantize-mx" + options, trn3());
}

std::string remark(const pipeline::Stage& stage, std::string_view id) {
  const auto found = std::ranges::find(stage.remarks, id, &pipeline::Remark::id);
  return found == stage.remarks.end() ? "(none)" : found->text;
}

void expect_right_and_legal(const ir::Program& original) {
  const ir::Program tiled = compiled(original, "penguin", trn3()).program;
  const auto report = oracle::check(original, tiled, {.machine = &trn3(), .keys = 1});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(tiled);
}

// Spec passes 3.7: [96, 520] has P = 96, and a budget of 512 / 4 = 128 packs: tiles of 128 and 2 packs.
TEST(QuantizeMx, MakesTilesOfWholeBlocks) {
  const std::string text = ir::print(quantized(Blocks{}.text()).program);
  EXPECT_THAT(text, HasSubstr("buffer xt : bf16[96 | 128, 4] sbuf"));
  EXPECT_THAT(text, HasSubstr("for fb {B from=f tile=128} in 0..2 par"));
  EXPECT_THAT(text, HasSubstr("load xt[8*b + i, f, e] = x[8*b + i, 512*fb + 4*f + e]"));
  EXPECT_THAT(text, HasSubstr("store s[b, 128*fb + f] = st[b, f]"));
  const pipeline::Stage stage = quantized(Blocks{}.text());
  EXPECT_EQ(stage.obligations.size(), 2u);
}

// Five rows of blocks are 40 partitions: two quadrants of 32, and lanes of the second one are left out.
TEST(QuantizeMx, FillsQuadrantsWithLanesThatAreLeftOut) {
  const std::string text = ir::print(quantized(Blocks{.rows = 5, .packs = 3}.text()).program);
  EXPECT_THAT(text, HasSubstr("buffer xt : bf16[64 | 3, 4] sbuf"));
  EXPECT_THAT(text, HasSubstr("< 5"));
}

TEST(QuantizeMx, TilesMoreRowsThanThePartitionsHold) {
  const std::string text = ir::print(quantized(Blocks{.rows = 17, .packs = 3}.text()).program);
  EXPECT_THAT(text, HasSubstr("for bb {B from=b tile=16} in 0..2 par"));
  EXPECT_THAT(text, HasSubstr("128*bb + 8*b + i"));
  expect_right_and_legal(program(Blocks{.rows = 17, .packs = 3}.text()));
}

TEST(QuantizeMx, LoopsOverOtherAxes) {
  const ir::Program original = program(R"(buffer x : f16[3, 16, 32] dram in
    buffer q : e5m2[16, 3, 32] dram out
    buffer s : e8m0[2, 3, 8] dram out
    reduce s[b, n, f] max= abs(x[n, 8*b + i, 4*f + e]) / 57344 over n:3, b:2, f:8, i:8 reduce, e:4 reduce start
    map q[8*k + r, m, c] = x[m, 8*k + r, c] / s[k, m, c floordiv 4] over m:3, k:2, r:8, c:32)");
  EXPECT_NE(remark(compiled(original, "quantize-mx", trn3()), "quantized"), "(none)");
  expect_right_and_legal(original);
}

struct LeftAlone {
  std::string word;
  Blocks blocks;
};

TEST(QuantizeMx, SaysWhyItLeavesStatementsAlone) {
  const std::vector<LeftAlone> cases{
      {"other-blocks", {.scale = "8*b + i, 4*f + 3 - e"}},
      {"other-blocks", {.rows = 4, .packs = 8, .scale = "8*b + 2*i + e, 4*f + e", .axes = "i:4 reduce, e:2 reduce"}},
      {"other-dtypes", {.from = "f32"}},
      {"other-dtypes", {.to = "e4m3"}},
      {"part-of-blocks", {.clauses = " where 4*f + e < 518 start"}},
      {"part-of-blocks", {.clauses = " where b < 11 start"}},
      {"part-of-blocks", {.clauses = ""}},
      {"part-of-blocks", {.quotient = "map q[r, c] = x[r, c] / s[r floordiv 8, c floordiv 4] over r:96, c:520 where c < 519"}},
      {"other-elements", {.quotient = "map q[r, c] = x[r, c] / s[r floordiv 8, c floordiv 4] over r:88, c:520"}},
      {"other-elements", {.quotient = "map q[r, c] = x[r, c] / s[r floordiv 8, c mod 130] over r:96, c:520"}},
      {"other-elements", {.quotient = "map q[8*k + r, 4*f + e] = x[8*k + r, 4*f + e] / s[11 - k, f] over k:12, r:8, f:130, e:4"}},
      {"touched-between", {.between = "map x[r, c] = 1 over r:96, c:520\n", .role = "inout"}},
      {"touched-between", {.between = "map s[b, f] = 1 over b:12, f:130\n"}},
      {"touched-between", {.between = "map q[r, c] = 1 over r:96, c:520\n"}},
  };
  for (const LeftAlone& each : cases) {
    SCOPED_TRACE(each.word + "\n" + each.blocks.text());
    const pipeline::Stage stage = quantized(each.blocks.text());
    EXPECT_NE(remark(stage, each.word), "(none)");
    EXPECT_EQ(stage.program, program(each.blocks.text()));
  }
}

TEST(QuantizeMx, SaysOfAMachineWithoutTheInstructionThatItHasNone) {
  for (const std::string name : {"trn1", "trn2", "trn3-tight"}) {
    const pipeline::Stage stage = compiled(program(Blocks{}.text()), "quantize-mx", *machine::find_machine(name));
    EXPECT_THAT(remark(stage, "no-quantize-mx"), HasSubstr(name + " has no quantize_mx"));
  }
}

/// Other quantisations of the corpus (docs/penguin.md).
TEST(QuantizeMx, LeavesBlocksAlongARowAlone) {
  for (const std::string name : {"mx_quantize_e2m1_50x250", "mx_quantize_e4m3fn_128x512"}) {
    const ir::Program original = corpus_program(name);
    EXPECT_EQ(compiled(original, "quantize-mx", trn3()).program, original);
  }
}

TEST(MxBlocksOfGraphs, KeepMeaningAndLimits) {
  size_t ragged = 0;
  for (uint64_t seed = 80'000; seed < 80'080; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto choices = fuzz::Choices::from_seed(seed);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices, fuzz::GraphFamily::mx_blocks);
    const ir::Program original = fuzz::generate_graph(choices, machine.budgets, {.family = fuzz::GraphFamily::mx_blocks});
    const pipeline::Stage stage = compiled(original, "quantize-mx", machine.machine);
    EXPECT_NE(remark(stage, "quantized"), "(none)") << ir::print(original);
    EXPECT_EQ(compiled(stage.program, "quantize-mx", machine.machine).program, stage.program);
    ragged += ir::print(stage.program).find("where") != std::string::npos;
    expect_right_and_legal(original);
    if (HasFailure()) return;
  }
  EXPECT_GE(ragged, 20u);
}

}  // namespace
}  // namespace tileproof::penguin
