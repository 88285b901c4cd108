// Each legality condition is needed: an edit that a primitive declines, done all the same, is refuted by the oracle.
#include "compiler/transform/interchange.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/move_to_loop.h"
#include "compiler/transform/multiply_by_ones.h"
#include "compiler/transform/rfactor.h"
#include "compiler/transform/split.h"
#include "props/transform/transform_case.h"

#include <gtest/gtest.h>

namespace tileproof::transform {
namespace {

template <class T>
std::string declined(const Outcome<T>& outcome) {
  return outcome ? "done" : std::string(name(outcome.error().id));
}

const std::string io = "buffer x : bf16[12, 8] dram in buffer y : bf16[12] dram out\n";

TEST(SplitAxis, NeedsTheConditionOfTheTail) {
  const ir::Program before = items(io + "map y[i] = x[i, 0] over i:12");
  ir::Program after = before;
  ASSERT_TRUE(split_axis(statement(after.body[2]), "i", 5, {"b", "i"}));
  EXPECT_EQ(ir::print(statement(after.body[2])), "map y[5*b + i] = x[5*b + i, 0] over b:3, i:5 where 5*b + i < 12");
  EXPECT_EQ(verdict(before, after), "tested");
  statement(after.body[2]).where.clear();
  EXPECT_EQ(verdict(before, after).substr(0, 7), "refuted");
}

TEST(SplitAxis, DeclinesToInterleaveWhatRunsInOrder) {
  const ir::Program before = items(io +
                                   "buffer s : f32[13] dram map s[0] = 0\n"
                                   "map s[i + 1] = s[i] + x[i, 0] over i:12 seq map y[i] = s[i + 1] over i:12");
  ir::Program after = before;
  EXPECT_EQ(declined(split_axis(statement(after.body[4]), "i", 4, {"b", "i"}, SplitWay::interleaved)), "order_would_change");
  EXPECT_EQ(before, after);
  EXPECT_EQ(verdict(before, items(io + "buffer s : f32[13] dram map s[0] = 0\n"
                                       "map s[3*i + b + 1] = s[3*i + b] + x[3*i + b, 0] over b:3 seq, i:4 seq\n"
                                       "map y[i] = s[i + 1] over i:12"))
                .substr(0, 7),
            "refuted");
}

TEST(SplitAxis, DeclinesTilesAndNamesThatMeanNothing) {
  ir::Program p = items(io + "map y[i] = x[i, 0] over i:12");
  ir::Statement& s = statement(p.body[2]);
  EXPECT_EQ(declined(split_axis(s, "i", 0, {"b", "i"})), "bad_tile");
  EXPECT_EQ(declined(split_axis(s, "k", 4, {"b", "i"})), "no_such_axis");
  EXPECT_EQ(declined(split_axis(s, "i", 4, {"x", "i"})), "bad_name");
  EXPECT_EQ(declined(split_axis(s, "i", 4, {"i", "i"})), "bad_name");
  EXPECT_EQ(declined(split_axis(s, "i", 5, {"b", "i"}, SplitWay::interleaved)), "does_not_divide");
}

// ---- localize_scan ----

const std::string scan_io = "buffer x : f32[12, 8] dram in buffer y : f32[12, 8] dram out\n";

TEST(LocalizeScan, ReadsItsEarlierPointsFromTheTile) {
  const ir::Program before = items(scan_io +
                                   "scan y[r, t] = x[r, t] + select(t > 1, y[r, t - 2], 3) over r:12, t:8 seq where r < 9\n"
                                   "map y[r, t] = 0 over r:12, t:8 where r >= 9");
  ir::Program after = before;
  Environment environment(before);
  const Tile tile{.name = "yt", .partition = {"r"}, .free = {"t"}, .opcode = "store"};
  ASSERT_TRUE(localize_scan(after.body, 2, tile, environment));
  EXPECT_EQ(ir::print(statement(after.body[3])),
            "scan yt[r, t] = x[r, t] + select(t > 1, yt[r, t - 2], 3) over r:12, t:8 seq where r < 9");
  EXPECT_EQ(ir::print(statement(after.body[4])), "store y[r, t] = yt[r, t] over r:12, t:8 where r < 9");
  EXPECT_EQ(verdict(before, after), "tested");
  // A point nearer, or the old values of the tensor, are other values.
  ir::Program nearer = after;
  statement(nearer.body[3]).value.operands[1].operands[1].operands[1] =
      ir::make(ir::Op::subtract, {ir::variable("t"), ir::integer(1)});
  EXPECT_EQ(verdict(before, nearer).substr(0, 7), "refuted");
  ir::Program old = after;
  statement(old.body[3]).value.operands[1].operands[1].name = "y";
  EXPECT_EQ(verdict(before, old).substr(0, 7), "refuted");
}

TEST(LocalizeScan, DeclinesWhatTheTileWouldNotHave) {
  const auto refusal = [](const std::string& scan) {
    ir::Program p = items("buffer x : f32[12, 8] dram in buffer y : f32[12, 8] dram inout\n" + scan);
    const ir::Program before = p;
    Environment environment(p);
    const std::string id = declined(localize_scan(p.body, 2, {.name = "yt", .opcode = "store"}, environment));
    EXPECT_EQ(p, before);
    return id;
  };
  EXPECT_EQ(refusal("scan y[r, t + 1] = y[r, t] over r:12, t:7 seq"), "destination_varies");
  EXPECT_EQ(refusal("scan y[r, t] = select(t > 0, y[r, t - 1], 0) over r:12, t:6 seq"), "destination_varies");
  EXPECT_EQ(refusal("scan y[r, t] = select(t > 0, y[r, t - 1], 0) over r:12, t:8 seq where t < 6"), "destination_varies");
  EXPECT_EQ(refusal("scan y[r, t] = select(t < 7, y[r, t + 1], 0) over r:12, t:8 seq"), "reads_destination");
  EXPECT_EQ(refusal("scan y[r, t] = select(t > 0, y[11 - r, t - 1], 0) over r:12, t:8 seq"), "reads_destination");
  EXPECT_EQ(refusal("scan y[r, t] = x[r, t] over r:12 seq, t:8 seq"), "order_would_change");
  EXPECT_EQ(refusal("scan y[r, t] += x[r, t] over r:12, t:8 seq"), "not_a_nest");
  EXPECT_EQ(refusal("map y[r, t] = x[r, t] over r:12, t:8"), "no_such_axis");
}

TEST(MoveToLoop, DeclinesPartialResultsThatRound) {
  const ir::Program before = items(io + "sum y[i] += x[i, k] over i:12, k:8 reduce start");
  ir::Program after = before;
  Environment environment(before);
  EXPECT_EQ(declined(move_to_loop(after.body[2], "k", ir::LoopKind::seq, environment)), "partials_round");
  EXPECT_EQ(before, after);
  EXPECT_EQ(verdict(before, items(io + "for k in 0..8 seq { sum y[i] += x[i, k] over i:12 start k == 0 }")),
            "refuted: rounding-only (TP002)");
}

TEST(MoveToLoop, DeclinesAConditionThatWouldRestrictWhatIsInitialised) {
  const std::string z = io + "buffer z : f32[12] dram\n", out = "map y[i] = z[i] over i:12";
  const ir::Program before = items(z + "sum z[i] += x[i, k] over i:12, k:8 reduce where k > 0 start\n" + out);
  ir::Program after = before;
  Environment environment(before);
  EXPECT_EQ(declined(move_to_loop(after.body[3], "k", ir::LoopKind::seq, environment)), "initialises_less");
  EXPECT_EQ(verdict(before, items(z + "for k in 0..8 seq { sum z[i] += x[i, k] over i:12 where k > 0 start k == 0 }\n" + out))
                .substr(0, 7),
            "refuted");
}

TEST(MoveToLoop, DeclinesIterationsThatShareAByte) {
  const std::string nibbles = "buffer x : i4[12] dram in buffer y : i4[12] dram out\n";
  const ir::Program before = items(nibbles + "map y[i] = x[i] over i:12");
  ir::Program after = before;
  Environment environment(before);
  EXPECT_EQ(declined(move_to_loop(after.body[2], "i", ir::LoopKind::par, environment)), "shares_bytes");
  EXPECT_EQ(verdict(before, items(nibbles + "for i in 0..12 par { map y[i] = x[i] }")).substr(0, 13), "refuted: race");
}

TEST(Interchange, DeclinesWhatTheLoopsCarry) {
  const std::string grid = "buffer x : f32[5, 5] dram inout\n";
  const ir::Program before =
      items(grid + "for a in 0..4 seq { for b in 0..4 seq { map x[a + 1, b] = x[a, b + 1] + x[a + 1, b] } }");
  ir::Program after = before;
  Environment environment(before);
  EXPECT_EQ(declined(interchange(std::get<ir::Loop>(after.body[1].node), environment)), "order_would_change");
  EXPECT_EQ(
      verdict(before, items(grid + "for b in 0..4 seq { for a in 0..4 seq { map x[a + 1, b] = x[a, b + 1] + x[a + 1, b] } }"))
          .substr(0, 7),
      "refuted");
}

TEST(LocalizeRead, DeclinesWhatConditionsOnOtherAxesGuard) {
  const std::string guarded = "buffer x : f32[4] dram in buffer y : f32[8, 2] dram out map y[i, j] = 0 over i:8, j:2\n";
  const ir::Program before = items(guarded + "map y[i, j] = x[i] over i:8, j:2 where i + 4*j == i and 2*i < 8 - 8*j");
  ir::Program after = before;
  Environment environment(before);
  EXPECT_EQ(declined(localize_read(after.body, 3, {}, {.name = "t"}, environment)), "out_of_bounds");
  EXPECT_EQ(before, after);
  EXPECT_EQ(verdict(before, items(guarded + "buffer t : f32[8] sbuf load t[i] = x[i] over i:8\n"
                                            "map y[i, j] = t[i] over i:8, j:2 where i + 4*j == i and 2*i < 8 - 8*j"))
                .substr(0, 7),
            "refuted");
}

TEST(LocalizeRead, DeclinesATileThatNoBufferMayBe) {
  const auto loaded = [](int64_t elements) {
    ir::Program after =
        items("buffer x : f32[4] dram in buffer y : f32[1] dram out sum y[0] += x[i mod 4] over i:" + std::to_string(elements) +
              " reduce start");
    Environment environment(after);
    const auto done = localize_read(after.body, 2, {}, {.name = "t"}, environment);
    return done ? std::string(ir::verify(after, "after").empty() ? "well formed" : "ill formed")
                : std::string(name(done.error().id));
  };
  EXPECT_EQ(loaded((int64_t{1} << 57) - 1), "well formed");
  EXPECT_EQ(loaded(int64_t{1} << 57), "bad_tile");
}

TEST(Environment, KnowsNoBufferOfANameThatSeveralHaveBeforeItEntersOne) {
  const ir::Program two = items(
      "buffer y : f32[2] dram out map y[i] = 0 over i:2\n"
      "group a { buffer t : f32[4] dram map t[i] = 0 over i:4 }\n"
      "group b { buffer t : bf16[8] dram view v[i:4] = t[i] map t[i] = 0 over i:8 }");
  Environment environment(two);
  EXPECT_EQ(environment.find("t"), nullptr);
  for (const size_t g : {size_t{2}, size_t{3}}) {
    const ir::Block& group = std::get<ir::Group>(two.body[g].node).body;
    for (const ir::Item& item : group) environment.enter(item);
    ASSERT_NE(environment.find("t"), nullptr);
    EXPECT_EQ(environment.find("t")->dtype, std::get<ir::Buffer>(group[0].node).dtype);
  }
  EXPECT_EQ(environment.find("v")->dtype, ir::Dtype::bf16);
}

TEST(LocalizeResult, DeclinesToRoundElsewhere) {
  const std::string loop = "for k in 0..8 seq { sum y[i] += x[i, k] over i:12 start k == 0 }";
  const ir::Program before = items(io + loop);
  ir::Program after = before;
  Environment environment(before);
  EXPECT_EQ(declined(localize_result(after.body, 2, {.name = "t", .opcode = "store", .dtype = ir::Dtype::f32}, environment)),
            "partials_round");
  EXPECT_EQ(
      verdict(before, items(io + "buffer t : f32[12] sbuf for k in 0..8 seq { sum t[i] += x[i, k] over i:12 start k == 0 }\n"
                                 "store y[i] = t[i] over i:12")),
      "refuted: rounding-only (TP002)");
}

TEST(MultiplyByOnes, MakesAProductOfEachSummand) {
  const ir::Program before = items(io + "sum y[i] += x[i, k] over i:12, k:8 reduce where k > 2 start");
  ir::Program after = before;
  Environment environment(before);
  ASSERT_TRUE(multiply_by_ones(after.body, 2, {.name = "one", .partition = {"k"}, .opcode = "memset", .dtype = ir::Dtype::f32},
                               environment));
  EXPECT_EQ(ir::print(statement(after.body[3])), "memset one[k, 0] = 1 over k:8");
  EXPECT_EQ(ir::print(statement(after.body[4])), "sum y[i] += one[k, 0] * x[i, k] over i:12, k:8 reduce where k > 2 start");
  EXPECT_EQ(verdict(before, after), "tested");
}

TEST(MultiplyByOnes, DeclinesWhatIsNoSumAndWhatWouldRound) {
  ir::Program p = items(io + "sum y[i] max= x[i, k] over i:12, k:8 reduce start");
  Environment environment(p);
  const Tile ones{.name = "one", .partition = {"k"}, .opcode = "memset", .dtype = ir::Dtype::f32};
  EXPECT_EQ(declined(multiply_by_ones(p.body, 2, ones, environment)), "order_would_change");
  EXPECT_EQ(verdict(p, items(io + "sum y[i] += x[i, k] over i:12, k:8 reduce start")).substr(0, 7), "refuted");
  ir::Program narrow = items(io + "sum y[i] += x[i, k] over i:12, k:8 reduce start acc bf16");
  Environment around(narrow);
  EXPECT_EQ(declined(multiply_by_ones(narrow.body, 2, ones, around)), "dtype_differs");
}

TEST(Rfactor, KeepsAMaskedSum) {
  const ir::Program before = items(io + "sum y[i] += x[i, k] over i:12, k:8 reduce where k > 2 start");
  ir::Program after = before;
  Environment environment(before);
  ASSERT_TRUE(split_axis(statement(after.body[2]), "k", 3, {"c", "k"}));
  ASSERT_TRUE(rfactor(after.body, 2, "c", {.name = "p"}, environment));
  EXPECT_EQ(ir::print(statement(after.body[3])),
            "sum p[c, i] += x[i, 3*c + k] over i:12, c:3, k:3 reduce where 3*c + k > 2 and 3*c + k < 8 start");
  EXPECT_EQ(ir::print(statement(after.body[4])), "reduce y[i] += p[c, i] over i:12, c:3 reduce start");
  EXPECT_EQ(verdict(before, after), "tested");
}

TEST(Rfactor, DeclinesPartialResultsThatRound) {
  ir::Program p = items(io + "sum y[i] += x[i, k] over i:12, k:8 reduce start acc bf16");
  Environment environment(p);
  EXPECT_EQ(declined(rfactor(p.body, 2, "k", {.name = "p"}, environment)), "partials_round");
  EXPECT_EQ(verdict(p, items(io + "buffer p : bf16[2, 12] dram\n"
                                  "sum p[c, i] += x[i, 4*c + k] over i:12, c:2, k:4 reduce start acc bf16\n"
                                  "reduce y[i] += p[c, i] over i:12, c:2 reduce start acc bf16")),
            "refuted: rounding-only (TP002)");
}

}  // namespace
}  // namespace tileproof::transform
