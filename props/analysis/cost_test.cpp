// Figures of tiled programs that one can work out by hand.
#include "compiler/analysis/cost.h"

#include "compiler/ir/text.h"

#include <gtest/gtest.h>

namespace tileproof::analysis {
namespace {

ir::Program program(std::string_view text) {
  auto file = ir::parse(text, "t");
  if (!file) throw std::runtime_error(to_string(file.error().front()));
  return std::move(file->programs.front());
}

const SpaceCost& space(const Cost& cost, std::string_view name) {
  for (const SpaceCost& one : cost.spaces) {
    if (one.space == name) return one;
  }
  throw std::runtime_error("no such space");
}

const machine::Machine trn2 = machine::find_machine("trn2").value();

// 300 x 800 x 3200 in tiles of 128 x 128 x 512: 3 x 7 x 7 (the worked example of DESIGN section 1).
constexpr std::string_view matmul = R"(tile 1
program matmul {
  buffer x : bf16[300, 800]  dram in
  buffer w : bf16[800, 3200] dram in
  buffer y : bf16[300, 3200] dram out
  for mb in 0..3 par { for nb in 0..7 par {
    buffer acc : f32[128 | 512] psum
    for kb in 0..7 seq {
      buffer xt : bf16[128 | 128] sbuf
      buffer wt : bf16[128 | 512] sbuf
      load   xt[k, m] = x[128*mb + m, 128*kb + k]  over k:128, m:128 where 128*mb + m < 300 and 128*kb + k < 800
      load   wt[k, n] = w[128*kb + k, 512*nb + n]  over k:128, n:512 where 128*kb + k < 800 and 512*nb + n < 3200
      matmul acc[m, n] += xt[k, m] * wt[k, n]      over m:128, n:512, k:128 reduce
             where 128*mb + m < 300 and 512*nb + n < 3200 and 128*kb + k < 800   start kb == 0
    }
    buffer yt : bf16[128 | 512] sbuf
    map   yt[p, f] = max(acc[p, f], 0)          over p:128, f:512 where 128*mb + p < 300 and 512*nb + f < 3200
    store y[128*mb + p, 512*nb + f] = yt[p, f]  over p:128, f:512 where 128*mb + p < 300 and 512*nb + f < 3200
  } }
}
)";

TEST(Cost, OfATiledMatmul) {
  const Cost cost = analysis::cost(program(matmul), &trn2);
  EXPECT_TRUE(cost.exact);
  EXPECT_EQ(cost.trips, 3 * 7 * 7);
  EXPECT_EQ(cost.executions, (std::map<std::string, int64_t>{{"load", 294}, {"map", 21}, {"matmul", 147}, {"store", 21}}));
  EXPECT_EQ(space(cost, "psum"), (SpaceCost{"psum", 21, 128, 2048, 1}));
  // xt and wt are dead when yt is written.
  EXPECT_EQ(space(cost, "sbuf"), (SpaceCost{"sbuf", 147 * 2 + 21, 128, 128 * 2 + 512 * 2, 0}));
  // x is loaded once for each of 7 column tiles, w once for each of 3 row tiles; tails are not moved.
  EXPECT_EQ(cost.dma_in, 2 * (7 * 300 * 800 + 3 * 800 * 3200));
  EXPECT_EQ(cost.dma_out, 2 * 300 * 3200);
  // The matmul goes through 3200 columns for each of 3 x 7 blocks of rows and of contraction; of these two the contraction spans more:
  // 800 of 7 x 128 lanes, in each of 3 blocks of rows. The map goes through 3200 columns of 3 blocks of rows, 300 in all.
  EXPECT_EQ(cost.lanes, 128 * (3200 * 3 * 7 + 3200 * 3));
  EXPECT_EQ(cost.busy_lanes, 3 * 3200 * 800 + 3200 * 300);
}

TEST(Cost, HasNoLanesWithoutAMachine) { EXPECT_EQ(analysis::cost(program(matmul), nullptr).lanes, 0); }

TEST(Cost, CountsOneLaneWhereNoAxisLiesOnThePartitions) {
  const Cost cost = analysis::cost(program("tile 1 program p { buffer x : f32[40] dram in buffer y : f32[40] dram out "
                                           "buffer t : f32[1 | 40] sbuf load t[0, i] = x[i] over i:40 "
                                           "map t[0, i] = 2 * t[0, i] over i:40 store y[i] = t[0, i] over i:40 }"),
                                   &trn2);
  EXPECT_EQ(cost.busy_lanes, 40);
  EXPECT_EQ(cost.lanes, 40 * 128);
}

TEST(Cost, OfAWholeTensorProgramIsNothingOnChip) {
  const Cost cost = analysis::cost(program("tile 1\nprogram t {\nbuffer x : f32[8] dram in\nbuffer y : f32[8] dram out\n"
                                           "map y[i] = x[i] over i:8\n}\n"),
                                   nullptr);
  Cost expected;
  expected.executions["map"] = 1;
  EXPECT_EQ(cost, expected);
}

/// A program with x and y of 10 elements in dram around these items.
Cost cost_of(std::string_view items, const machine::Machine* machine = nullptr) {
  return analysis::cost(program("tile 1\nprogram t {\nparam n : 1..6\nbuffer x : f32[10] dram in\nbuffer k : i32[10] dram in\n"
                                "buffer y : f32[10] dram out\n" +
                                std::string(items) + "\n}\n"),
                        machine);
}

TEST(Cost, BuffersThatFollowEachOtherShareTheirBytes) {
  constexpr std::string_view items = R"(
    buffer a : f32[10] pad  buffer b : f32[10] pad  buffer c : f32[10] pad
    load a[i] = x[i] over i:10
    map b[i] = a[i] over i:10
    map c[i] = b[i] over i:10
    store y[i] = c[i] over i:10)";
  EXPECT_EQ(space(cost_of(items), "pad"), (SpaceCost{"pad", 3, 0, 80, 0}));
}

TEST(Cost, ABufferThatNobodyTouchesTakesNothing) {
  EXPECT_EQ(space(cost_of("buffer a : f32[10] pad\nmap y[i] = x[i] over i:10"), "pad"), (SpaceCost{"pad", 1, 0, 0, 0}));
}

TEST(Cost, ABufferAroundALoopLivesThroughIt) {
  constexpr std::string_view items = R"(
    buffer a : f32[10] pad
    load a[i] = x[i] over i:10
    for b in 0..5 par { buffer t : f32[2] pad
      map t[i] = a[2*b + i] over i:2
      store y[2*b + i] = t[i] over i:2 })";
  const Cost cost = cost_of(items);
  EXPECT_EQ(space(cost, "pad"), (SpaceCost{"pad", 6, 0, 48, 0}));
  EXPECT_EQ(cost.trips, 5);
}

TEST(Cost, BothWaysOfABranchCountWhatTheyExecute) {
  constexpr std::string_view items = R"(
    buffer a : f32[10] pad
    for b in 0..10 seq { if b < 3 { load a[i] = x[i] over i:10 } else { load a[i] = x[i] over i:1 } }
    store y[i] = a[i] over i:10)";
  const Cost cost = cost_of(items);
  EXPECT_TRUE(cost.exact);
  EXPECT_EQ(cost.executions.at("load"), 10);
  EXPECT_EQ(cost.dma_in, 4 * (3 * 10 + 7 * 1));
  EXPECT_EQ(cost.dma_out, 40);
}

TEST(Cost, AGroupThatIsAnInstructionIsExecutedOnce) {
  constexpr std::string_view items = R"(
    buffer a : f32[10] pad
    for b in 0..3 seq {
      group both as shift { map a[i] = x[i] over i:10
        map a[i] = x[i] + 1 over i:10 }
      group bracket { map a[i] = x[i] over i:10 }
    }
    store y[i] = a[i] over i:10)";
  EXPECT_EQ(cost_of(items).executions, (std::map<std::string, int64_t>{{"map", 3}, {"shift", 3}, {"store", 1}}));
}

TEST(Cost, WhatDependsOnDataIsAnUpperBound) {
  const Cost cost = cost_of("buffer a : f32[10] pad\nload a[i] = x[i] over i:10 where k[i] < 5\nstore y[i] = a[i] over i:10");
  EXPECT_FALSE(cost.exact);
  EXPECT_EQ(cost.dma_in, 40);
}

TEST(Cost, ParametersAreAtTheTopOfTheirRange) {
  constexpr std::string_view items = "for b in 0..n seq { map y[i] = x[i] over i:10 }";
  EXPECT_EQ(cost_of(items).trips, 6);
}

TEST(Cost, AViewStandsForItsBuffer) {
  constexpr std::string_view items = R"(
    buffer a : i4[10] pad
    view v[i:5, j:2] = a[2*i + j]
    load v[i, j] = cast(i4, x[2*i + j]) over i:5, j:2
    store y[i] = a[i] over i:10)";
  const Cost cost = cost_of(items);
  EXPECT_EQ(space(cost, "pad").bytes, 5);
  EXPECT_EQ(cost.dma_in, 40);
}

TEST(Cost, AMoveCarriesWholeBuffers) {
  EXPECT_EQ(cost_of("buffer a : f32[10] pad\nmove a = x\nmove y = a").dma_in, 40);
  EXPECT_EQ(cost_of("buffer a : f32[10] pad\nmove a = x\nmove y = a").dma_out, 40);
}

}  // namespace
}  // namespace tileproof::analysis
