// The passes that split and classify axes, on the worked examples of spec passes 11 and decisions A.3.
#include "compiler/ir/text.h"
#include "compiler/penguin/penguin.h"
#include "compiler/pipeline/run_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tileproof::penguin {
namespace {

using pipeline::Remark;
using testing::HasSubstr;

const machine::Machine& trn2() {
  static const machine::Machine machine = *machine::find_machine("trn2");
  return machine;
}

/// `steps` of a pipeline on the program `body` is the inside of.
pipeline::Stage after(const std::string& steps, const std::string& body, const machine::Machine& machine = trn2()) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + body + "\n}\n", "p");
  EXPECT_TRUE(file.has_value());
  const auto pipeline = pipeline::parse_pipeline(steps, {passes(), {penguin_pipeline()}});
  EXPECT_TRUE(pipeline.has_value());
  auto stage = pipeline::run_pipeline(file->programs[0], *pipeline, &machine);
  EXPECT_TRUE(stage.has_value());
  return *stage;
}

const std::string to_p = "par-axes-annotation,p-compute-cutting";
const std::string to_bf = to_p + ",bf-compute-cutting";

std::string text_after(const std::string& steps, const std::string& body) { return ir::print(after(steps, body).program); }

bool remarked(const pipeline::Stage& stage, std::string_view pass, std::string_view id) {
  return std::ranges::any_of(stage.remarks, [&](const Remark& remark) { return remark.pass == pass && remark.id == id; });
}

const std::string map_300x700 =
    "buffer x : f32[300, 700] dram in\nbuffer y : f32[300, 700] dram out\n"
    "map y[p, f] = exp(x[p, f]) over p:300, f:700";

TEST(PComputeCutting, CutsRowsIntoTilesOfAllPartitionsWithATail) {
  EXPECT_THAT(text_after(to_p, map_300x700),
              HasSubstr("pb:3 {B ag=0 from=p tile=128 decayed}, p:128 {P ag=0 from=p}, f:700 {F ag=1}"));
}

TEST(BfComputeCutting, CutsColumnsToTheBudgetWithATail) {
  const std::string text = text_after(to_bf, map_300x700);
  EXPECT_THAT(text, HasSubstr("fb:2 {B ag=1 from=f tile=512}, f:512 {F ag=1 from=f}"));
  EXPECT_THAT(text, HasSubstr("128*pb + p < 300"));
  EXPECT_THAT(text, HasSubstr("512*fb + f < 700"));
}

// Seed 003, LoopSplitting: [12800 P, 56 F] becomes [12 B, 128 P, 100 F, 5 F].
TEST(BfComputeCutting, ChargesTheReducedAxisThatThePartitionsDidNotHold) {
  const std::string text = text_after(to_bf,
                                      "buffer x : bf16[56, 12800] dram in\nbuffer y : bf16[56] dram out\n"
                                      "reduce y[f] max= x[f, r] over f:56 {F}, r:12800 {P} reduce start");
  EXPECT_THAT(text, HasSubstr("fb:12 {B ag=0 from=f tile=5}, f:5 {F ag=0 from=f}"));
  EXPECT_THAT(text, HasSubstr("rb:100 {F ag=1 from=r decayed} reduce, r:128 {P ag=1 from=r} reduce"));
}

TEST(BfComputeCutting, LeavesProtectedAxesWithinTheBudgetWhole) {
  const std::string text = text_after(to_bf,
                                      "buffer x : f32[8, 40, 100] dram in\nbuffer y : f32[8, 40] dram out\n"
                                      "reduce y[p, f] += x[p, f, r] over p:8 {P}, f:40, r:100 reduce start");
  EXPECT_THAT(text, HasSubstr("r:100 {F ag=2} reduce"));
  EXPECT_THAT(text, HasSubstr("f:5 {F"));
}

TEST(BfComputeCutting, CutsAReductionThatAloneIsOverTheBudgetIntoBlocks) {
  const pipeline::Stage stage = after(to_bf,
                                      "buffer x : f32[8, 700] dram in\nbuffer y : f32[8] dram out\n"
                                      "reduce y[p] += x[p, r] over p:8 {P}, r:700 reduce start");
  EXPECT_TRUE(remarked(stage, "bf-compute-cutting", "reduction-in-blocks"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("rb:2 {B ag=1 from=r tile=512} reduce, r:512 {F ag=1 from=r} reduce"));
}

TEST(BfComputeCutting, TakesItsBudgetFromTheUser) {
  EXPECT_THAT(text_after(to_p + ",bf-compute-cutting{pg-tile-size=256}", map_300x700),
              HasSubstr("fb:3 {B ag=1 from=f tile=256}"));
}

// Spec passes 2.4: two statements of a partition group, one of which has a protected 4.
TEST(BfComputeCutting, CutsAPartitionGroupWhereItsStrictestMemberIsCut) {
  const std::string text =
      text_after(to_bf,
                 "buffer x : f32[64, 700, 4] dram in\nbuffer z : f32[64, 700] dram\nbuffer y : f32[64, 700] dram out\n"
                 "reduce z[p, b] += x[p, b, r] over p:64 {P}, b:700, r:4 reduce start\n"
                 "map y[p, b] = exp(z[p, b]) over p:64 {P}, b:700");
  EXPECT_THAT(text, HasSubstr("map y[p, 128*bb1 + b] = exp(z[p, 128*bb1 + b])"));
}

TEST(BfComputeCutting, LeavesTheMembersApartWhereItIsToldTo) {
  const std::string text =
      text_after(to_p + ",bf-compute-cutting{align=false}",
                 "buffer x : f32[64, 700, 4] dram in\nbuffer z : f32[64, 700] dram\nbuffer y : f32[64, 700] dram out\n"
                 "reduce z[p, b] += x[p, b, r] over p:64 {P}, b:700, r:4 reduce start\n"
                 "map y[p, b] = exp(z[p, b]) over p:64 {P}, b:700");
  EXPECT_THAT(text, HasSubstr("map y[p, 512*bb1 + b] = exp(z[p, 512*bb1 + b])"));
}

std::string vector_of(int64_t n) {
  return "buffer x : f32[" + std::to_string(n) + "] dram in\nbuffer y : f32[" + std::to_string(n) +
         "] dram out\nmap y[i] = exp(x[i]) over i:" + std::to_string(n);
}

TEST(PComputeCutting, DelinearizesALongVectorIntoContiguousRows) {
  const pipeline::Stage stage = after(to_p, vector_of(60'000));
  EXPECT_TRUE(remarked(stage, "p-compute-cutting", "delinearized"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("map y[480*ip + i] = exp(x[480*ip + i])"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("ip:125 {P"));
}

TEST(PComputeCutting, DelinearizesALongAxisBesideUnitAxes) {
  const pipeline::Stage stage = after(to_p,
                                      "buffer x : f32[1, 1, 60000] dram in\nbuffer y : f32[1, 1, 60000] dram out\n"
                                      "map y[n, c, i] = exp(x[n, c, i]) over n:1, c:1, i:60000");
  EXPECT_TRUE(remarked(stage, "p-compute-cutting", "delinearized"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("ip:125 {P ag=2 from=i}, i:480 {F ag=2 from=i}"));
}

TEST(PComputeCutting, LetsALongAxisLoopBesideAFreeAxis) {
  const pipeline::Stage stage = after(to_p,
                                      "buffer x : f32[2, 60000] dram in\nbuffer y : f32[2, 60000] dram out\n"
                                      "map y[n, i] = exp(x[n, i]) over n:2, i:60000 {P}");
  EXPECT_FALSE(remarked(stage, "p-compute-cutting", "delinearized"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("ib:469 {B"));
}

TEST(PComputeCutting, PutsTheOverflowOfAPrimeVectorIntoAFreeAxis) {
  const pipeline::Stage stage = after(to_p, vector_of(1'009));
  EXPECT_TRUE(remarked(stage, "p-compute-cutting", "overflow-to-free"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("ib:8 {F ag=0 from=i decayed}, i:128 {P ag=0 from=i}"));
}

TEST(PComputeCutting, StreamsAHugePrimeVector) {
  const pipeline::Stage stage = after(to_p, vector_of(1'000'003));
  EXPECT_TRUE(remarked(stage, "p-compute-cutting", "nonlocal"));
  EXPECT_THAT(ir::print(stage.program), HasSubstr("ib:7813 {B"));
}

TEST(PComputeCutting, SaysWhereNoTileIsAligned) {
  EXPECT_TRUE(remarked(after(to_p,
                             "buffer x : f32[64, 5, 3] dram in\nbuffer y : f32[64, 5, 3] dram out\n"
                             "map y[a, b, c] = exp(x[a, b, c]) over a:64 {P}, b:5 {P}, c:3"),
                       "p-compute-cutting", "unaligned"));
}

TEST(ParAxesAnnotation, TakesNeighbouringAxesWhereOneAloneLeavesLanesIdle) {
  EXPECT_THAT(text_after("par-axes-annotation",
                         "buffer x : f32[2, 5, 40] dram in\nbuffer y : f32[2, 5] dram out\n"
                         "reduce y[b, s] max= x[b, s, v] over b:2, s:5, v:40 reduce start"),
              HasSubstr("b:2 {P ag=0}, s:5 {P ag=1}, v:40 {F"));
}

TEST(ParAxesAnnotation, KeepsTheClassesThatTheCallerGives) {
  EXPECT_THAT(text_after("par-axes-annotation",
                         "buffer x : f32[128, 8] dram in\nbuffer y : f32[128, 8] dram out\n"
                         "map y[a, b] = exp(x[a, b]) over a:128, b:8 {P}"),
              HasSubstr("a:128 {F ag=0}, b:8 {P ag=1}"));
}

TEST(ParAxesAnnotation, PutsTheContractionOnThePartitionsOfBothOperands) {
  EXPECT_THAT(text_after("par-axes-annotation",
                         "buffer x : bf16[20, 30] dram in\nbuffer w : bf16[30, 40] dram in\nbuffer y : f32[20, 40] dram out\n"
                         "matmul y[m, n] += x[m, k] * w[k, n] over m:20, n:40, k:30 reduce start"),
              HasSubstr("m:20 {P ag=0}, n:40 {F ag=1}, k:30 {P ag=2} reduce"));
}

TEST(ParAxesAnnotation, SaysWhyAStatementStaysAsItIs) {
  const auto stage = [&](const std::string& body) { return after("par-axes-annotation", body); };
  const std::string tensors =
      "buffer x : f32[8, 8] dram in\nbuffer p : i32[8] dram in range 0..8\nbuffer y : f32[8, 8] dram out\n";
  const auto declined = [&](std::string_view id, const std::string& statement) {
    return remarked(stage(tensors + statement), "par-axes-annotation", id);
  };
  EXPECT_TRUE(declined("sequential-axis", "map y[i, j] = x[i, j] over i:8 seq, j:8 seq"));
  EXPECT_TRUE(declined("inside-of-a-nest",
                       "buffer c : i32[1] dram\nmap c[0] = 0\nwhile c[0] < 1 max 3 {\nmap y[i, j] = x[i, j] over i:8, j:8\n"
                       "map c[0] = 1\n}"));
  EXPECT_TRUE(declined("indirect-access", "map y[p[i], j] = x[i, j] over i:8, j:8"));
  EXPECT_TRUE(declined("indirect-access", "map y[i, j] = x[p[p[i]], j] over i:8, j:8"));
  EXPECT_TRUE(declined("data-condition", "map y[i, j] = x[i, j] over i:8, j:8 where p[i] < 4"));
  EXPECT_TRUE(declined("clobbers", "buffer s : f32[8] dram\nmap y[i, j] = x[i, j] over i:8, j:8 clobbers s"));
}

TEST(TilerPasses, AskForAMachine) {
  const auto file = ir::parse("tile 1\nprogram p {\n" + map_300x700 + "\n}\n", "p");
  const auto pipeline = pipeline::parse_pipeline("penguin", {passes(), {penguin_pipeline()}});
  const auto stage = pipeline::run_pipeline(file->programs[0], *pipeline, nullptr);
  ASSERT_FALSE(stage.has_value());
  EXPECT_EQ(stage.error().kind, pipeline::Failure::Kind::refused);
}

}  // namespace
}  // namespace tileproof::penguin
