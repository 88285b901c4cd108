// Opcodes, limits and banks, at and just past them; groups, views and parameters.
#include "props/oracle/walk.h"

#include <gmock/gmock.h>

namespace tileproof::oracle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- opcodes ----

constexpr std::string_view operands = R"(
  buffer x : bf16[8, 8] dram in  buffer s : bf16[8 | 8] pad  buffer m : bf16[8 | 8] pad  buffer d : f32[8 | 8] accumulator
  load s[k, p] = x[p, k] over k:8, p:8
  load m[k, f] = x[k, f] over k:8, f:8
)";
std::vector<std::string> matmul_on_toy(std::string_view rest) { return on_toy(fmt::format("{}{}", operands, rest)); }

TEST(Legality, AcceptsAnInstanceOfAnOpcode) {
  EXPECT_THAT(matmul_on_toy("matmul d[p, f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce start"), IsEmpty());
}
TEST(Legality, FindsAnUnknownOpcode) {
  EXPECT_THAT(matmul_on_toy("matmull d[p, f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce start"),
              ElementsAre("unknown matmull#1 -"));
  EXPECT_EQ(detail("toy", "buffer t : f32[8 | 4] pad memsett t[p, f] = 0 over p:8, f:4"),
            "toy has no opcode `memsett`; did you mean `memset`?");
}
TEST(Legality, FindsAnotherFormula) {
  EXPECT_THAT(matmul_on_toy("matmul d[p, f] += s[p, k] * m[k, f] over p:8, f:8, k:8 reduce start"),
              ElementsAre("opcode matmul#1 -"));
}
TEST(Legality, FindsAnOperandInAnotherSpace) {
  EXPECT_THAT(matmul_on_toy("matmul d[p, f] += s[k, p] * x[k, f] over p:8, f:8, k:8 reduce start"),
              ElementsAre("operand-space matmul#1 x"));
}
TEST(Legality, FindsAnotherDtype) {
  EXPECT_THAT(on_toy(R"(buffer x : f32[8, 8] dram in buffer t : bf16[8 | 8] pad load t[p, f] = x[p, f] over p:8, f:8)"),
              ElementsAre("operand-dtype load#1 x"));
}
TEST(Legality, FindsAnotherAccumulateDtype) {
  EXPECT_THAT(matmul_on_toy("matmul d[p, f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce start acc bf16"),
              ElementsAre("operand-dtype matmul#1 -"));
}
TEST(Legality, ASkippedExecutionIsNotJudged) {
  EXPECT_THAT(matmul_on_toy(
                  "for i in 0..2 seq { matmul d[p, f] += s[p, k] * m[k, f] over p:8, f:8, k:8 reduce where 8*i + p < 0 start }"),
              IsEmpty());
}

// ---- limits, at and past them ----

TEST(LegalityLimits, Contraction) {
  const auto program = [](int k) {
    return fmt::format(
        R"(buffer x : bf16[400, 400] dram in buffer s : bf16[128 | 2, 128] sbuf buffer m : bf16[128 | 2, 512] sbuf buffer d : f32[128 | 512] psum
      load s[k, h, p] = x[p, 128*h + k] over k:128, h:2, p:128
      load m[k, h, f] = x[128*h + k, f] over k:128, h:2, f:400
      matmul d[p, f] += s[k mod 128, k floordiv 128, p] * m[k mod 128, k floordiv 128, f] over p:128, f:400, k:{} reduce start)",
        k);
  };
  EXPECT_THAT(on_trn2(program(128)), IsEmpty());
  EXPECT_THAT(on_trn2(program(129)), ElementsAre("opcode matmul#1 -"));
}

TEST(LegalityLimits, PartitionsOfAMatmulAreNamedWithTheirFigures) {
  EXPECT_EQ(detail("trn2", R"(buffer s : bf16[200 | 16] sbuf buffer m : bf16[200 | 16] sbuf buffer d : f32[16 | 16] psum
                              matmul d[p, f] += s[k, p] * m[k, f] over p:16, f:16, k:200 reduce start)"),
            "s spans 200 partitions; sbuf of trn2 has 128");
  const auto found =
      findings("trn2", R"(buffer s : bf16[200 | 16] sbuf buffer m : bf16[200 | 16] sbuf buffer d : f32[16 | 16] psum
                              matmul d[p, f] += s[k, p] * m[k, f] over p:16, f:16, k:200 reduce start)");
  EXPECT_THAT(names(found), ElementsAre("partitions - s", "partitions - m", "limit matmul#1 s"));
  EXPECT_EQ(found.back().detail, "k spans 200 partitions; matmul on trn2 takes at most 128 (the nearest of its 2 forms)");
}

TEST(LegalityLimits, FreeExtentsOfAMatmul) {
  const auto program = [](int p, int f) {
    return fmt::format(R"(buffer s : bf16[8 | 256] sbuf buffer m : bf16[8 | 600] sbuf buffer d : f32[128 | 1024] psum
      matmul d[p mod 128, f] += s[k, p] * m[k, f] over p:{}, f:{}, k:8 reduce start)",
                       p, f);
  };
  EXPECT_THAT(on_trn2(program(128, 512)), IsEmpty());
  EXPECT_THAT(on_trn2(program(129, 512)), ElementsAre("limit matmul#1 s"));
  EXPECT_THAT(on_trn2(program(128, 513)), ElementsAre("limit matmul#1 m", "bank matmul#1 d"));
}

TEST(LegalityLimits, TransferLength) {
  const auto program = [](int f) {
    return fmt::format("buffer x : f32[8, 16] dram in buffer t : f32[8 | 16] pad load t[p, f] = x[p, f] over p:8, f:{}", f);
  };
  EXPECT_THAT(on_toy(program(8)), IsEmpty());
  EXPECT_THAT(on_toy(program(9)), ElementsAre("limit load#1 -"));
}

TEST(LegalityLimits, DimensionsOfAnAccessPattern) {
  const auto program = [](std::string_view index) {
    return fmt::format(
        "buffer t : bf16[8 | 3, 3, 3] pad buffer u : bf16[8 | 2, 2, 2] pad map u[p, a, b, c] = t[p, {}] over p:8, a:2, b:2, c:2",
        index);
  };
  EXPECT_THAT(on_toy(program("0, a, b")), IsEmpty());
  EXPECT_THAT(on_toy(program("a, b, c")), ElementsAre("limit map#1 t"));
}

TEST(LegalityLimits, FactorsOfACount) {
  const auto program = [](int r) {
    return fmt::format(
        "buffer t : i8[8 | 2, 64] pad buffer u : i32[8 | 2] pad sum u[p, f] += t[p, f, r] over p:8, f:2, r:{} reduce start", r);
  };
  EXPECT_THAT(on_toy(program(49)), IsEmpty());
  EXPECT_THAT(on_toy(program(48)), ElementsAre("limit sum#1 t"));   // 6 x 8
  EXPECT_THAT(on_toy(program(11)), ElementsAre("limit sum#1 t"));   // a prime
  EXPECT_THAT(on_toy(program(42)), IsEmpty());                      // 6 x 7
}

TEST(LegalityLimits, MultiplesOfAnExtent) {
  const auto program = [](int f) {
    return fmt::format(
        "buffer t : i8[8 | 4, 4] pad buffer u : i32[8 | 4] pad sum u[p, f] += t[p, f, r] over p:8, f:{}, r:4 reduce start", f);
  };
  EXPECT_THAT(on_toy(program(4)), IsEmpty());
  EXPECT_THAT(on_toy(program(3)), ElementsAre("limit sum#1 t"));
}

TEST(LegalityLimits, ATailIsJudgedByItsDeclaredExtent) {
  EXPECT_THAT(
      on_toy("buffer x : f32[8, 16] dram in buffer t : f32[8 | 16] pad load t[p, f] = x[p, f] over p:8, f:16 where f < 8"),
      ElementsAre("limit load#1 -"));
}

// ---- banks ----

TEST(LegalityBanks, AnAccumulatorLiesInOneBank) {
  const auto program = [](std::string_view address, int first) {
    return fmt::format(R"({} buffer e : f32[8 | 16] accumulator {}
      matmul e[p, {} + f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce start)",
                       operands, address, first);
  };
  EXPECT_THAT(on_toy(program("", 0)), IsEmpty());
  EXPECT_THAT(on_toy(program("", 8)), IsEmpty());
  EXPECT_THAT(on_toy(program("", 1)), ElementsAre("bank matmul#1 e"));
  EXPECT_THAT(on_toy(program("at 0:0", 8)), IsEmpty());
}

TEST(LegalityBanks, AddressesMoveTheWindow) {
  const auto program = [](int byte) {
    return fmt::format(R"({} buffer e : f32[8 | 4] accumulator at 0:{}
      matmul e[p, f] += s[k, p] * m[k, f] over p:8, f:4, k:8 reduce start)",
                       operands, byte);
  };
  EXPECT_THAT(on_toy(program(16)), IsEmpty());
  EXPECT_THAT(on_toy(program(20)), ElementsAre("bank matmul#1 e"));
}

TEST(LegalityBanks, EveryPassOfALoopIsSeen) {
  EXPECT_THAT(on_toy(fmt::format(R"({} buffer e : f32[8 | 16] accumulator
      for h in 0..3 seq {{ matmul e[p, 5*h + f] += s[k, p] * m[k, f] over p:8, f:4, k:8 reduce start }})",
                                 operands)),
              ElementsAre("bank matmul#1 e"));
}

TEST(LegalityBanks, AConditionCutsTheWindow) {
  const auto program = [](int bound) {
    return fmt::format(R"({} buffer e : f32[8 | 16] accumulator at 0:0
      matmul e[p, 4 + f] += s[k, p] * m[k, f] over p:8, f:8, k:8 reduce where f < {} start)",
                       operands, bound);
  };
  EXPECT_THAT(on_toy(program(4)), IsEmpty());
  EXPECT_THAT(on_toy(program(5)), ElementsAre("bank matmul#1 e"));
}

// ---- groups, views, parameters ----

constexpr std::string_view shifted = R"(buffer a : bf16[8 | 16] pad buffer m : f32[8 | 1] pad buffer d : f32[8 | 16] pad
  memset a[p, f] = 1 over p:8, f:16
  group g as row_shift {{
    fold m[p, 0] max= a[p, f] over p:8, f:{0} reduce start
    anything d[p, f] = a[p, f] - m[p, 0] over p:8, f:{0}
  }})";

TEST(LegalityGroups, AreJudgedAsOneInstruction) {
  EXPECT_THAT(on_toy(fmt::format(shifted, 16)), IsEmpty());
  EXPECT_THAT(on_toy(fmt::format("buffer z : f32[1 | 1] pad {}", fmt::format(shifted, 16))), IsEmpty());
}
TEST(LegalityGroups, HaveLimits) {
  EXPECT_THAT(on_toy(R"(buffer a : bf16[8 | 32] pad buffer m : f32[8 | 1] pad buffer d : f32[8 | 32] pad
    group g as row_shift { fold m[p, 0] max= a[p, f] over p:8, f:17 reduce start  anything d[p, f] = a[p, f] - m[p, 0] over p:8, f:17 })"),
              ElementsAre("limit fold#1 a"));
}
TEST(LegalityGroups, AreKnownOrNot) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad group g as quantize { memset t[p, f] = 0 over p:8, f:4 }"),
              ElementsAre("unknown memset#1 -"));
}
TEST(LegalityGroups, HoldStatementsOnly) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad group g as row_shift { for i in 0..2 seq { memset t[p, f] = 0 over p:8, f:4 } }"),
              ElementsAre("opcode memset#1 -"));
}
TEST(LegalityGroups, WithoutOpcodeAreOnlyBrackets) {
  EXPECT_THAT(on_toy("buffer t : f32[8 | 4] pad group g { memset t[p, f] = 0 over p:8, f:4 }"), IsEmpty());
}

TEST(LegalityViews, AreResolvedToTheBytesBehindThem) {
  EXPECT_THAT(on_toy(R"(buffer t : f32[8 | 4] pad view upper[p:4 | f:4] = t[4 + p, f] memset upper[p, f] = 0 over p:4, f:4)"),
              IsEmpty());
  EXPECT_THAT(on_toy(R"(buffer t : f32[8 | 4] pad view middle[p:4 | f:4] = t[2 + p, f] memset middle[p, f] = 0 over p:4, f:4)"),
              ElementsAre("start-partition memset#1 middle"));
}

TEST(LegalityParameters, GiveExtents) {
  constexpr std::string_view body =
      "param n : 1..16 buffer x : f32[8, n] dram in buffer t : f32[8 | 16] pad load t[p, f] = x[p, f] over p:8, f:n";
  EXPECT_THAT(names(findings("toy", body, {{"n", 8}})), IsEmpty());
  EXPECT_THAT(names(findings("toy", body, {{"n", 9}})), ElementsAre("limit load#1 -"));
}

TEST(LegalityFindings, AreReportedOnceForEachStatement) {
  EXPECT_THAT(on_toy("for i in 0..8 seq { buffer t : f32[8 | 4] pad memset t[1 + p, f] = 0 over p:2, f:4 memset t[1 + p, f] = i "
                     "over p:2, f:4 }"),
              ElementsAre("start-partition memset#1 t", "start-partition memset#2 t"));
}

// ---- the example of the design ----

TEST(LegalityOfTheDesignExample, ATiledMatmulIsLegalOnTrn2) {
  EXPECT_THAT(on_trn2(R"(
  buffer x : bf16[300, 800] dram in
  buffer w : bf16[800, 3200] dram in
  buffer y : bf16[300, 3200] dram out
  for mb in 0..3 par { for nb in 0..7 par {
    buffer acc1 : f32[128 | 512] psum
    for kb in 0..7 seq {
      buffer xt : bf16[128 | 128] sbuf
      buffer wt : bf16[128 | 512] sbuf
      load   xt[k, m] = x[128*mb + m, 128*kb + k]  over k:128, m:128 where 128*mb + m < 300 and 128*kb + k < 800
      load   wt[k, n] = w[128*kb + k, 512*nb + n]  over k:128, n:512 where 128*kb + k < 800 and 512*nb + n < 3200
      matmul acc1[m, n] += xt[k, m] * wt[k, n]     over m:128, n:512, k:128 reduce
             where 128*mb + m < 300 and 512*nb + n < 3200 and 128*kb + k < 800   start kb == 0
    }
    buffer yt : bf16[128 | 512] sbuf
    map   yt[p, f] = max(acc1[p, f], 0)         over p:128, f:512 where 128*mb + p < 300 and 512*nb + f < 3200
    store y[128*mb + p, 512*nb + f] = yt[p, f]  over p:128, f:512 where 128*mb + p < 300 and 512*nb + f < 3200
  } })"),
              IsEmpty());
}

}  // namespace
}  // namespace tileproof::oracle
