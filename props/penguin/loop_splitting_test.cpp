// The pass that turns reductions along the partitions into stages, on the worked example of seed 003 and on what it declines.
#include "compiler/ir/text.h"
#include "compiler/penguin/partition_reduction.h"
#include "compiler/penguin/penguin.h"
#include "compiler/pipeline/run_pipeline.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"
#include "props/penguin/corpus_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tileproof::penguin {
namespace {

using testing::HasSubstr;
using testing::Not;

const machine::Machine& machine_named(const std::string& name) {
  static std::map<std::string, machine::Machine> machines;
  const auto found = machines.find(name);
  return found == machines.end() ? machines.emplace(name, *machine::find_machine(name)).first->second : found->second;
}
constexpr auto machine_names = {"trn1", "trn2", "trn3", "trn1-tight", "trn2-tight", "trn3-tight"};

ir::Program program(const std::string& body) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "\n}\n", "p");
  EXPECT_TRUE(file.has_value()) << body;
  return file->programs.front();
}

const std::string to_stages = "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,loop-splitting";

pipeline::Stage stages_of(const std::string& body, const std::string& machine = "trn2") {
  return compiled(program(body), to_stages, machine_named(machine));
}

/// The text of the remark of this word; empty: there is none.
std::string remark(const pipeline::Stage& stage, std::string_view id) {
  const auto found = std::ranges::find(stage.remarks, id, &pipeline::Remark::id);
  return found == stage.remarks.end() ? "" : found->text;
}

/// A reduction of x[56, 12800] with the value and clauses given.
std::string reduction(const std::string& update, const std::string& clauses = " start", const std::string& dtype = "bf16",
                      const std::string& value = "x[f, r]", const std::string& result = "") {
  return "buffer x : " + dtype + "[56, 12800] dram in\nbuffer y : " + (result.empty() ? dtype : result) +
         "[56] dram inout\nreduce y[f] " + update + " " + value + " over f:56, r:12800 reduce" + clauses;
}

// Seed 003: [12 B, 128 P, 5 F, 100 F], [12 B, 128 P, 5 F], [12 B, 5 P, 128 F], [12 B, 5 P].
TEST(LoopSplitting, MakesTheFourNestsOfTheSourceOfAMaximum) {
  EXPECT_EQ(ir::print(compiled(corpus_program("reduce_max_56x12800"), to_stages, machine_named("trn2")).program), R"(tile 1
program reduce_max_56x12800 {
  buffer x : bf16[56, 12800] dram in
  buffer y : bf16[56] dram out
  buffer y_parts : f32[128, 12, 5] dram
  reduce y_parts[r, fb, f] max= x[5*fb + f, 128*rb + r]
         over fb:12 {B ag=0 from=f tile=5}, f:5 {F ag=0 from=f}, rb:100 {F ag=1 from=r decayed} reduce, r:128 {P ag=1 from=r}
         where 5*fb + f < 56 start
  buffer y_turned : f32[12, 5, 128] dram
  transpose {pf} y_turned[fb, f, r] = y_parts[r, fb, f]
         over fb:12 {B ag=0 from=f tile=5}, f:5 {F ag=0 from=f}, r:128 {P ag=1 from=r} where 5*fb + f < 56
  buffer y_lanes : f32[12, 5] dram
  reduce y_lanes[fb, f] max= y_turned[fb, f, r]
         over fb:12 {B ag=0 from=f tile=5}, f:5 {P ag=0 from=f}, r:128 {F ag=1 from=r} reduce where 5*fb + f < 56 start
  transpose {pf} y[5*fb + f] = y_lanes[fb, f] over fb:12 {B ag=0 from=f tile=5}, f:5 {P ag=0 from=f} where 5*fb + f < 56
}
)");
}

// Spec passes 3.3: 12 blocks of a reduction and a matmul with ones are 24 trips, four nests are 48.
TEST(LoopSplitting, MakesTwoNestsOfASumAndSaysWhatEachWayCosts) {
  const pipeline::Stage stage = stages_of(reduction("+=", " start", "f32"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr(R"(
  buffer y_parts : f32[128, 12, 5] dram
  reduce y_parts[r, fb, f] += x[5*fb + f, 128*rb + r]
         over fb:12 {B ag=0 from=f tile=5}, f:5 {F ag=0 from=f}, rb:100 {F ag=1 from=r decayed} reduce, r:128 {P ag=1 from=r}
         where 5*fb + f < 56 start
  reduce {by=matmul} y[5*fb + f] += y_parts[r, fb, f]
         over fb:12 {B ag=0 from=f tile=5}, f:5 {F ag=0 from=f}, r:128 {P ag=1 from=r} reduce where 5*fb + f < 56 start
})"));
  EXPECT_EQ(remark(stage, "split"),
            "2 stages, by ones-matmul: ones-matmul 24 trips, partition-reduce 24 trips, cascade 48 trips");
}

// The PE array multiplies no i32; GpSimd adds up in it.
TEST(LoopSplitting, AddsIntegersUpByTheInstructionOfThatName) {
  const std::string text = ir::print(stages_of(reduction("+=", " start", "i32")).program);
  EXPECT_THAT(text, HasSubstr("buffer y_parts : i32[128, 12, 5] dram"));
  EXPECT_THAT(text, HasSubstr("reduce {by=partition_reduce} y[5*fb + f] += y_parts[r, fb, f]"));
}

TEST(LoopSplitting, KeepsPartialResultsInTheAccumulateDtypeAndRoundsAtTheEnd) {
  const std::string sum = ir::print(compiled(program(reduction("+=")), "penguin", machine_named("trn2")).program);
  EXPECT_THAT(sum, HasSubstr("buffer y_parts : f32["));
  EXPECT_THAT(sum, HasSubstr("buffer ps : f32[1 | 5] psum"));
  EXPECT_THAT(sum, HasSubstr("buffer yt : bf16[1 | 5] sbuf\n    copy yt[0, f] = ps[0, f]"));
  const std::string product = ir::print(stages_of(reduction("*=")).program);
  EXPECT_THAT(product, HasSubstr("buffer y_turned : f32["));
  EXPECT_THAT(product, HasSubstr("buffer y_lanes : f32["));
}

TEST(LoopSplitting, LeavesOutTheTranspositionBackOfOneElement) {
  const pipeline::Stage stage = stages_of(
      "buffer x : f32[359712] dram in\nbuffer y : f32[1] dram out\n"
      "reduce y[0] max= x[r] over r:359712 reduce start");
  EXPECT_THAT(remark(stage, "split"), HasSubstr("3 stages, by cascade"));
  EXPECT_THAT(remark(stage, "split"), HasSubstr("one element needs no transposition back"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("reduce y[0] max= y_turned[r] over r:128 {F"));
}

TEST(LoopSplitting, KeepsTheBudgetOfTheUserInTheLastReduction) {
  const std::string steps =
      "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,loop-splitting{pg-tile-size=50}";
  const std::string text = ir::print(compiled(program(reduction("max=")), steps, machine_named("trn2")).program);
  EXPECT_THAT(text, HasSubstr("rb1:3 {B ag=1 from=r tile=50} reduce, r:50 {F ag=1 from=r} reduce"));
}

// All data negative: a lane that holds 0 and not the identity would be the maximum.
TEST(LoopSplitting, TakesTheMaximumOfNegativeNumbersUnderMasks) {
  const ir::Program original = program(
      "buffer x : i32[3, 1001] dram in range 0..1000\nbuffer y : i32[3] dram out\n"
      "reduce y[f] max= x[f, r] - 5000 over f:3 {F}, r:1001 {P} reduce start");
  for (const std::string name : machine_names) {
    const pipeline::Stage stage = compiled(original, "penguin", machine_named(name));
    EXPECT_NE(remark(stage, "split"), "") << name;
    const auto report = oracle::check(original, stage.program, {.machine = &machine_named(name)});
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, oracle::Verdict::tested) << name << ": " << oracle::headline(*report);
  }
}

// Each operation, with tails on both axes, on machines on which few elements are many.
TEST(LoopSplitting, IsRightAndLegalForEachOperationOnEachMachine) {
  struct Case {
    std::string update, dtype;
  };
  for (const auto& [update, dtype] : std::vector<Case>{{"+=", "f32"},
                                                       {"+=", "bf16"},
                                                       {"+=", "i32"},
                                                       {"*=", "f32"},
                                                       {"max=", "bf16"},
                                                       {"min=", "f32"},
                                                       {"max=", "i8"},
                                                       {"and=", "u8"},
                                                       {"or=", "i32"},
                                                       {"xor=", "i16"}}) {
    const ir::Program original =
        program("buffer x : " + dtype + "[7, 3, 1001] dram in\nbuffer y : " + dtype + "[7, 3] dram out\nreduce y[e, f] " +
                update + " x[e, f, r] over e:7 {F}, f:3 {F}, r:1001 {P} reduce start");
    for (const std::string name : machine_names) {
      SCOPED_TRACE(update + " " + dtype + " " + name);
      const pipeline::Stage stage = compiled(original, "penguin", machine_named(name));
      const bool declines = std::ranges::any_of(
          stage.remarks, [](const pipeline::Remark& each) { return each.kind == pipeline::RemarkKind::declined; });
      EXPECT_FALSE(declines);
      const auto report = oracle::check(original, stage.program, {.machine = &machine_named(name)});
      ASSERT_TRUE(report.has_value());
      EXPECT_EQ(report->verdict, oracle::Verdict::tested) << oracle::headline(*report) << ir::print(stage.program);
    }
  }
}

// ---- what stays on parallel axes ----

void expect_kept(const std::string& body, Unsplittable reason) {
  const pipeline::Stage stage = stages_of(body);
  EXPECT_THAT(remark(stage, "kept-parallel"), HasSubstr(std::string(name(reason)) + ": " + std::string(meaning(reason)))) << body;
  EXPECT_EQ(remark(stage, "split"), "");
  EXPECT_THAT(ir::print(stage.program), Not(HasSubstr("_parts")));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("f:56 {P"));
}

TEST(LoopSplitting, LeavesWhatGoesOnFromAnOldValue) {
  expect_kept(reduction("max=", ""), Unsplittable::goes_on);
  expect_kept(reduction("max=", " start f < 3"), Unsplittable::goes_on);
}

TEST(LoopSplitting, LeavesAnArgReduction) {
  expect_kept(reduction("max=", " start", "f32", "select(x[f, r] > 3, r, -1)"), Unsplittable::named_axis);
}

TEST(LoopSplitting, LeavesConditionsThatLetOutTheFirstLanes) {
  expect_kept(reduction("max=", " where r >= 5 start"), Unsplittable::masked_partitions);
  expect_kept(reduction("max=", " where r <= f start"), Unsplittable::masked_partitions);
  expect_kept(reduction("max=", " where f >= 5 start"), Unsplittable::masked_partitions);
}

TEST(LoopSplitting, LeavesPartialResultsThatWouldRound) {
  expect_kept("buffer u : f64[4] dram inout\nmap u[i] = u[i] over i:4\n" + reduction("+=", " start", "f32"),
              Unsplittable::rounded_partials);
}

TEST(LoopSplitting, LeavesExtentsThatVary) {
  const pipeline::Stage stage = stages_of(
      "param n : 1000..2000\nbuffer x : f32[3, n] dram in\nbuffer y : f32[3] dram out\n"
      "reduce y[f] max= x[f, r] over f:3, r:n reduce start");
  EXPECT_THAT(remark(stage, "kept-parallel"), HasSubstr("varying-extent"));
}

TEST(LoopSplitting, DeclinesWhatTheUserPutOnThePartitionsAndCannotBeSplit) {
  const pipeline::Stage stage = stages_of(
      "buffer x : f32[8, 700] dram in\nbuffer y : f32[8] dram inout\n"
      "reduce y[f] max= x[f, r] over f:8, r:700 {P} reduce");
  EXPECT_EQ(remark(stage, "goes-on"), meaning(Unsplittable::goes_on));
  const pipeline::Stage mixed = stages_of(
      "buffer x : f32[8, 12] dram in\nbuffer y : f32[8] dram out\n"
      "reduce y[f] max= x[f, r] over f:8 {P}, r:12 {P} reduce start");
  EXPECT_EQ(remark(mixed, "mixed-partitions"), meaning(Unsplittable::mixed_partitions));
}

TEST(LoopSplitting, DeclinesMoreLanesThanATranspositionLeaves) {
  const pipeline::Stage stage = stages_of(
      "buffer x : f32[300, 128, 2] dram in\nbuffer y : f32[300] dram out\n"
      "reduce y[f] max= x[f, r, s] over f:300, r:128 {P} reduce, s:2 reduce start");
  EXPECT_THAT(remark(stage, "no-way"), HasSubstr("none of them is valid and legal"));
}

// ---- the layout ----

TEST(ParAxesAnnotation, PutsAReducedAxisOnThePartitionsThatParallelAxesFillLessThanHalf) {
  const auto text = [](int64_t parallel, int64_t reduced) {
    return ir::print(compiled(program("buffer x : f32[" + std::to_string(parallel) + ", " + std::to_string(reduced) +
                                      "] dram in\nbuffer y : f32[" + std::to_string(parallel) +
                                      "] dram out\nreduce y[f] += x[f, r] over f:" + std::to_string(parallel) +
                                      ", r:" + std::to_string(reduced) + " reduce start"),
                              "par-axes-annotation", machine_named("trn2"))
                         .program);
  };
  EXPECT_THAT(text(63, 1000), HasSubstr("f:63 {F ag=0}, r:1000 {P ag=1} reduce"));
  EXPECT_THAT(text(64, 1000), HasSubstr("f:64 {P ag=0}, r:1000 {F ag=1} reduce"));
  EXPECT_THAT(text(40, 30), HasSubstr("f:40 {P ag=0}, r:30 {F ag=1} reduce"));
  // Nothing would be left to be reduced along the free dimension.
  EXPECT_THAT(text(40, 128), HasSubstr("f:40 {P ag=0}, r:128 {F ag=1} reduce"));
  EXPECT_THAT(text(40, 129), HasSubstr("f:40 {F ag=0}, r:129 {P ag=1} reduce"));
}

TEST(ParAxesAnnotation, TakesTheLongestReducedAxisWithoutAClassAndPutsItLast) {
  const auto text = [](const std::string& axes) {
    return ir::print(compiled(program("buffer x : f32[4, 90, 70, 90] dram in\nbuffer y : f32[4] dram out\n"
                                      "reduce y[f] += x[f, a, b, c] over f:4, " +
                                      axes + " start"),
                              "par-axes-annotation", machine_named("trn2"))
                         .program);
  };
  EXPECT_THAT(text("a:90 reduce, b:70 reduce, c:90 reduce"), HasSubstr("b:70 {F ag=2} reduce, c:90 {P ag=3} reduce"));
  EXPECT_THAT(text("a:90 reduce, b:70 reduce, c:90 {F} reduce"),
              HasSubstr("b:70 {F ag=2} reduce, c:90 {F ag=3} reduce, a:90 {P ag=1} reduce"));
}

// ---- transpositions ----

/// What becomes of a transposition whose operand has 24 rows of 20 elements.
std::string transposed(const std::string& dtype, const std::string& machine = "trn2", const std::string& rows = "24") {
  return ir::print(compiled(program("buffer x : " + dtype + "[" + rows + ", 20] dram in\nbuffer y : " + dtype + "[20, " + rows +
                                    "] dram out\ntranspose {pf} y[j, i] = x[i, j] over i:" + rows + " {P}, j:20 {F}"),
                            "macro-generation", machine_named(machine))
                       .program);
}

TEST(MacroGeneration, TransposesOnThePeArrayIntoABankOfTheDtype) {
  const std::string text = transposed("bf16");
  EXPECT_THAT(text, HasSubstr("buffer ps : bf16[20 | 24] psum"));
  EXPECT_THAT(text, HasSubstr("load xt[i, j] = x[i, j]"));
  EXPECT_THAT(text, HasSubstr("transpose ps[j, i] = xt[i, j]"));
  EXPECT_THAT(text, HasSubstr("copy yt[j, i] = ps[j, i]"));
}

TEST(MacroGeneration, TransposesOtherDtypesOnTheVectorEngineWhereTheyFit) {
  EXPECT_THAT(transposed("u8"), HasSubstr("transpose yt[j, i] = xt[i, j]"));
  EXPECT_THAT(transposed("u8"), Not(HasSubstr("psum")));
}

TEST(MacroGeneration, LoadsInTheOtherOrderWhatNoInstructionTransposes) {
  const std::string text = transposed("u8", "trn2", "100");
  EXPECT_THAT(text, HasSubstr("load xt[j, i] = x[i, j]"));
  EXPECT_THAT(text, Not(HasSubstr("transpose")));
}

TEST(MacroGeneration, LeavesOrdinaryTranspositionsToTheLoad) {
  const std::string text = ir::print(compiled(corpus_program("transpose_300x800"), "penguin", machine_named("trn2")).program);
  EXPECT_THAT(text, Not(HasSubstr("psum")));
}

}  // namespace
}  // namespace tileproof::penguin
