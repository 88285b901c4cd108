// Unification: which statements are instances of which formulas, and what is said about the others.
#include "compiler/machine/match.h"
#include "props/machine/unify_case.h"

#include <gmock/gmock.h>

namespace tileproof::machine {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view matmul =
    "opcode matmul { D[p | f] += S[k | p] * M[k | f]  D in acc2 : f32  S in pad : bf16  M in pad : bf16  limit k <= 128 limit f "
    "<= 512 bank D acc f32 }";

std::string as_matmul(std::string_view statement) { return Case(matmul, statement).outcome(); }

TEST(Unify, BindsAMatmul) {
  EXPECT_EQ(as_matmul("matmul d[a, b] += s[k, a] * m[k, b] over a:128, b:512, k:128 reduce"), "p: a; f: b; k: k");
}

TEST(Unify, TakesOperandsOfACommutativeOperatorInEitherOrder) {
  EXPECT_EQ(as_matmul("matmul d[a, b] += m[k, b] * s[k, a] over a:128, b:512, k:128 reduce"), "p: a; f: b; k: k");
}

TEST(Unify, TakesAxesInAnyOrder) {
  EXPECT_EQ(as_matmul("matmul d[a, b] += s[k, a] * m[k, b] over k:128 reduce, b:512, a:128"), "p: a; f: b; k: k");
}

TEST(Unify, BindsSeveralAxesToOneLetter) {
  EXPECT_EQ(as_matmul("matmul d3[a, g, b] += s[k, a] * m3[k, g, b] over a:128, g:4, b:128, k:128 reduce"), "p: a; f: g b; k: k");
}

TEST(Unify, BindsALetterInAnotherOrderOfDimensions) {
  EXPECT_EQ(as_matmul("matmul d3[a, g, b] += s[k, a] * m[k, 4*b + g] over a:128, g:4, b:128, k:128 reduce"),
            "p: a; f: g b; k: k");
}

TEST(Unify, TakesSeveralPartitionDimensions) {
  EXPECT_EQ(as_matmul("matmul d[a, b] += b2[h, k, a] * m[64*h + k, b] over a:128, b:512, h:2 reduce, k:64 reduce"),
            "p: a; f: b; k: h k");
}

TEST(Unify, IgnoresAxesOfOneValue) {
  EXPECT_EQ(as_matmul("matmul d[a, b] += s[k, a + u] * m[k + u, b] over u:1, a:128, b:512, k:128 reduce"), "p: a; f: b; k: k");
}

TEST(Unify, TakesAMatrixOfOneRow) {
  EXPECT_EQ(as_matmul("matmul d[0, b] += s[k, 0] * m[k, b] over b:512, k:128 reduce"), "p: ; f: b; k: k");
}

TEST(Unify, TakesWindowsStridesAndReversal) {
  EXPECT_EQ(as_matmul("matmul d[a, 511 - b] += s[k, 2*a] * m[k, 64 + 2*b] over a:64, b:128, k:128 reduce"), "p: a; f: b; k: k");
}

TEST(Unify, TakesConditions) {
  EXPECT_EQ(as_matmul("matmul d[a, b] += s[k, a] * m[k, b] over a:128, b:512, k:128 reduce where a < 44 and k < 32 start"),
            "p: a; f: b; k: k");
}

TEST(Unify, LooksThroughCastsThatChangeNothing) {
  EXPECT_EQ(as_matmul("matmul d[a, b] += cast(f32, s[k, a]) * cast(f32, m[k, b]) over a:128, b:512, k:128 reduce"),
            "p: a; f: b; k: k");
}

TEST(Unify, DoesNotLookThroughCastsThatRound) {
  EXPECT_THAT(as_matmul("matmul d[a, b] += cast(e4m3, s[k, a]) * m[k, b] over a:128, b:512, k:128 reduce"),
              HasSubstr("computes `D[p | f] += S[k | p] * M[k | f]`"));
}

TEST(Unify, RefusesAnotherOperator) {
  EXPECT_EQ(as_matmul("matmul d[a, b] += s[k, a] + m[k, b] over a:128, b:512, k:128 reduce"),
            "the statement computes `d[a, b] += s[k, a] + m[k, b]`; computes `D[p | f] += S[k | p] * M[k | f]`");
}

TEST(Unify, RefusesAnotherUpdate) {
  EXPECT_THAT(as_matmul("matmul d[a, b] max= s[k, a] * m[k, b] over a:128, b:512, k:128 reduce"),
              HasSubstr("computes `d[a, b] max="));
}

TEST(Unify, RefusesAContractionOnTheWrongSide) {
  EXPECT_THAT(as_matmul("matmul d[a, b] += s[a, k] * m[k, b] over a:128, b:512, k:128 reduce"),
              HasSubstr("is a parallel axis on"));
}

TEST(Unify, RefusesABatchAxis) {
  EXPECT_THAT(
      as_matmul("matmul d3[a, g, b] += s[k, 4*a + g] * m3[k, g, b] over a:32, g:4, b:128, k:128 reduce"),
      HasSubstr("g is a parallel axis on the free dimensions of d3 and the free dimensions of s and the free dimensions of m3"));
}

TEST(Unify, RefusesAnAxisOfTheWrongKind) {
  EXPECT_THAT(as_matmul("matmul d[a, b] += s[k, a] * m[k, b] over a:128, b:512, k:128 seq"),
              HasSubstr("k is a seq axis where the formula has k"));
}

TEST(Unify, RefusesAnOperandInAnotherSpace) {
  const Case c(matmul, "matmul d[a, b] += s[k, a] * x[k, b] over a:128, b:512, k:128 reduce");
  EXPECT_EQ(c.outcome(), "x lies in dram; takes M from pad");
  EXPECT_EQ(c.judge_first().reasons.front().kind, Reason::Kind::space);
  EXPECT_EQ(c.judge_first().reasons.front().buffer, "x");
}

TEST(Unify, ResolvesViewsToTheirBuffers) {
  EXPECT_EQ(as_matmul("view t[a:128 | k:128] = s[k, a] matmul d[a, b] += t[a, k] * m[k, b] over a:128, b:512, k:128 reduce"),
            "p: a; f: b; k: k");
}

TEST(Unify, ResolvesReshapingViewsWhoseTilesAreAffine) {
  // The view sees the buffer as one row; the statement takes column 3 of it.
  EXPECT_EQ(Case("opcode map { D[p | f] = any(A[p | (f)]) }",
                 "view flat[n:65536] = m[n mod 128, n floordiv 128] map c[p, 0] = flat[128*kb + p] over p:128")
                .outcome(),
            "p: p; f: ");
}

constexpr std::string_view map = "opcode map { D[p | f] = any(A[p | (f)]) A in pad, acc2 }";
std::string as_map(std::string_view statement) { return Case(map, statement).outcome(); }

TEST(UnifyAny, TakesAnyExpression) {
  EXPECT_EQ(
      as_map("map q[p, f] = select(f < 3, max(d[p, f], 0) + exp(m[p, f] - c[p, 0]), cast(bf16, d[p, f])) over p:128, f:512"),
      "p: p; f: f");
}
TEST(UnifyAny, TakesAnExpressionWithoutReads) { EXPECT_EQ(as_map("map i[p, 0] = p + 1 over p:128"), "p: p; f: "); }
TEST(UnifyAny, BroadcastsAlongOptionalLetters) { EXPECT_EQ(as_map("map q[p, f] = c[p, 0] over p:128, f:512"), "p: p; f: f"); }
TEST(UnifyAny, DoesNotBroadcastAlongOthers) {
  EXPECT_THAT(as_map("map q[p, f] = m[p, f] + r[0, f] over p:128, f:512"), HasSubstr("r is not indexed by all axes of p"));
}
TEST(UnifyAny, RefusesATranspose) {
  EXPECT_THAT(as_map("map q[p, f] = s[f, p] over p:128, f:128"), HasSubstr("s is not indexed by all axes of p"));
}
TEST(UnifyAny, RefusesAnOperandInAnotherSpace) {
  EXPECT_EQ(as_map("map q[p, f] = x[p, f] over p:128, f:512"), "x lies in dram; takes A from pad, acc2");
}
TEST(UnifyAny, RefusesAReduction) {
  EXPECT_THAT(as_map("map c[p, 0] += m[p, f] over p:128, f:512 reduce"), HasSubstr("the statement computes"));
}

TEST(UnifyAny, StaysWithinLanes) {
  EXPECT_THAT(as_map("map q[p, f] = m[127 - p, f] over p:128, f:512"),
              HasSubstr("q and m go through their partitions in different orders"));
  EXPECT_EQ(as_map("map q[p, f] = m[p + 32, f] over p:32, f:512"), "p: p; f: f");
  EXPECT_EQ(as_map("map q[127 - p, f] = m[127 - p, f] over p:128, f:512"), "p: p; f: f");
}

TEST(UnifyAny, FindsLanesOfIndicesThatAreNotAffine) {
  EXPECT_THAT(as_map("map q[p, f] = m[(p + 1) mod 128, f] over p:128, f:512"), HasSubstr("different orders"));
  EXPECT_EQ(as_map("map q[(p + 1) mod 128, f] = m[(p + 1) mod 128, f] over p:128, f:512"), "p: p; f: f");
}

TEST(UnifyReduce, TakesFreeAxesOnly) {
  constexpr std::string_view reduce = "opcode reduce { D[p | f] += | max= any(A[p | (f) (r)]) }";
  EXPECT_EQ(Case(reduce, "reduce c[p, 0] max= m[p, f] over p:128, f:512 reduce start").outcome(), "p: p; f: ; r: f");
  EXPECT_EQ(Case(reduce, "reduce q[p, b] += m3[p, a, b] over p:128, b:128, a:4 reduce start").outcome(), "p: p; f: b; r: a");
  EXPECT_THAT(Case(reduce, "reduce r[0, f] += m[p, f] over f:512, p:128 reduce start").outcome(),
              HasSubstr("m is indexed on its partitions by p"));
}

TEST(UnifyOrdered, ACommaTellsRowsFromColumns) {
  constexpr std::string_view col_sum = "space vec opcode col_sum { D[c] += A[r, c] } opcode turn { D[a, b] = A[b, a] }";
  EXPECT_EQ(
      Case(col_sum, "buffer v : f32[6, 4] vec buffer o : f32[4] vec col_sum o[j] += v[i, j] over i:6 reduce, j:4").outcome(),
      "c: j; r: i");
  EXPECT_THAT(
      Case(col_sum, "buffer v : f32[6, 4] vec buffer o : f32[6] vec col_sum o[i] += v[i, j] over i:6, j:4 reduce").outcome(),
      HasSubstr("is a "));
  EXPECT_EQ(Case(col_sum, "buffer v : f32[6, 4] vec buffer o : f32[4, 6] vec turn o[i, j] = v[j, i] over i:4, j:6").outcome(),
            "a: i; b: j");
  EXPECT_THAT(Case(col_sum, "buffer v : f32[6, 4] vec buffer o : f32[6, 4] vec turn o[i, j] = v[i, j] over i:6, j:4").outcome(),
              HasSubstr("parallel axis"));
}

TEST(UnifyOrdered, RunsTakeSeveralDimensions) {
  constexpr std::string_view row_max = "space vec opcode row_max { D[r] max= A[r, c] }";
  EXPECT_EQ(Case(row_max,
                 "buffer v : f32[2, 3, 4] vec buffer o : f32[2, 3] vec row_max o[i, j] max= v[i, j, k] over i:2, j:3, k:4 reduce")
                .outcome(),
            "r: i j; c: k");
  EXPECT_THAT(
      Case(row_max,
           "buffer v : f32[2, 3, 4] vec buffer o : f32[2, 4] vec row_max o[i, k] max= v[i, j, k] over i:2, k:4, j:3 reduce")
          .outcome(),
      HasSubstr("is a "));
}

TEST(UnifyScan, TakesTheDestinationBeforeAndSequentialAxes) {
  constexpr std::string_view scan = "opcode scan { D[p | f] = any(D[p | (f)], A[p | (f)]) axis f : seq, parallel }";
  EXPECT_EQ(Case(scan, "scan q[p, f + 1] = q[p, f] + m[p, f + 1] over p:128, f:511 seq").outcome(), "p: p; f: f");
  EXPECT_THAT(Case(scan, "scan q[p + 1, f] = q[p, f] over p:127 seq, f:512").outcome(), HasSubstr("p is a seq axis"));
}

TEST(UnifyAnything, ALoadTakesAnyIndices) {
  constexpr std::string_view load = "opcode load { D[*] = S[*] D in pad S in dram lanes any }";
  EXPECT_EQ(Case(load, "load s[k, a] = x[128*kb + a, k] over k:128, a:44 where k < 100").outcome(), "");
  EXPECT_EQ(Case(load, "load m3[p, g, f] = x[p floordiv 2, 4*f + g] over p:128, g:4, f:128").outcome(), "");
  EXPECT_THAT(Case(load, "load s[k, a] = x[a, k] + 1 over k:128, a:128").outcome(), HasSubstr("the statement computes"));
}

TEST(UnifyAnything, CastsAtTheRootAreTheStore) {
  constexpr std::string_view store = "opcode store { D[*] = S[*] D in dram S in pad }";
  EXPECT_EQ(Case(store, "store y[p, f] = cast(f32, m[p, f]) over p:128, f:512").outcome(), "");
  EXPECT_THAT(Case(store, "store y[p, f] = cast(e4m3, m[p, f]) over p:128, f:512").outcome(),
              HasSubstr("the statement computes"));
}

TEST(UnifyScalar, AMemsetStoresNumbersOfNoAxis) {
  constexpr std::string_view memset = "opcode memset { D[p | f] = scalar }";
  EXPECT_EQ(Case(memset, "memset q[p, f] = -inf over p:128, f:512").outcome(), "p: p; f: f");
  EXPECT_EQ(Case(memset, "memset q[p, f] = kb over p:128, f:512").outcome(), "p: p; f: f");
  EXPECT_THAT(Case(memset, "memset q[p, f] = f over p:128, f:512").outcome(), HasSubstr("the statement computes"));
}

TEST(UnifyGather, IndirectAccessesAreAskedFor) {
  constexpr std::string_view opcodes = "opcode load { D[*] = S[*] } opcode gather { D[*] = S[*] indirect S in pad }";
  EXPECT_EQ(Case(opcodes, "load s[p, f] = x[i[p, 0], f] over p:128, f:128").outcome(),
            "an index of x reads i in pad; has no indirect access for S");
  EXPECT_EQ(Case(opcodes, "gather s[p, f] = x[i[p, 0], f] over p:128, f:128").outcome(), "");
}

TEST(UnifyMask, ConditionsThatReadAreAskedFor) {
  constexpr std::string_view opcodes =
      "opcode map { D[p | f] = any(A[p | (f)]) } opcode masked { D[p | f] = any(A[p | (f)]) mask in pad }";
  EXPECT_EQ(Case(opcodes, "map q[p, f] = m[p, f] over p:128, f:512 where i[p, 0] > 0").outcome(),
            "a condition reads i in pad; has conditions on axes only");
  EXPECT_EQ(Case(opcodes, "masked q[p, f] = m[p, f] over p:128, f:512 where i[p, 0] > 0").outcome(), "p: p; f: f");
}

TEST(UnifyAlternatives, OneThatFitsIsEnough) {
  constexpr std::string_view turn =
      "opcode turn { D[p | f] = A[f | p] limit p <= 128 limit f <= 128 D in acc2 } opcode turn { D[p | f] = A[f | p] limit p <= "
      "32 limit f <= 32 }";
  EXPECT_EQ(Case(turn, "turn d[p, f] = s[f, p] over p:128, f:128").outcome(), "p: p; f: f");
  EXPECT_EQ(Case(turn, "turn q[p, f] = s[f, p] over p:32, f:32").outcome(), "p: p; f: f");
  EXPECT_EQ(Case(turn, "turn q[p, f] = s[f, p] over p:33, f:32").outcome(), "p spans 33 partitions; takes at most 32");
}

TEST(UnifyAlternatives, ASwapIsTriedWhereTheFirstOrderBreaksARule) {
  constexpr std::string_view scale = "opcode scale { D[p | f] = A[p | f] * B[p | f] B in acc2 }";
  EXPECT_EQ(Case(scale, "scale q[p, f] = d[p, f] * m[p, f] over p:128, f:512").outcome(), "p: p; f: f");
}

constexpr std::string_view shift = "opcode shift { M[p |] max= A[p | f]  D[p | f] = A[p | f] - M[p |] }";
constexpr std::string_view shift_body =
    "map c[p, 0] max= m[p, f] over p:128, f:512 reduce start map q[p, f] = m[p, f] - c[p, 0] over p:128, f:512";

TEST(UnifyGroup, BindsTheStatementsToTheFormulas) {
  EXPECT_EQ(Case(shift, shift_body).outcome_as("shift"), "p: p; f: f; p: p; f: f");
}

TEST(UnifyGroup, TakesTheStatementsInAnyOrder) {
  EXPECT_EQ(Case("opcode two { D[p | f] = A[p | f]  E[p | f] = -A[p | f] }",
                 "map d[p, f] = -m[p, f] over p:128, f:512 map q[p, f] = m[p, f] over p:128, f:512")
                .outcome_as("two"),
            "p: p; f: f; p: p; f: f");
}

TEST(UnifyGroup, ARoleIsOneBuffer) {
  EXPECT_THAT(
      Case(shift, "map c[p, 0] max= m[p, f] over p:128, f:512 reduce start map q[p, f] = d[p, f] - c[p, 0] over p:128, f:512")
          .outcome_as("shift"),
      HasSubstr("does not use the same buffers and extents"));
}

TEST(UnifyGroup, ALetterIsOneExtent) {
  EXPECT_THAT(
      Case(shift, "map c[p, 0] max= m[p, f] over p:128, f:512 reduce start map q[p, f] = m[p, f] - c[p, 0] over p:128, f:256")
          .outcome_as("shift"),
      HasSubstr("does not use the same buffers and extents"));
}

TEST(UnifyGroup, TheNumberOfStatementsCounts) {
  EXPECT_THAT(Case(shift, "map c[p, 0] max= m[p, f] over p:128, f:512 reduce start").outcome_as("shift"),
              HasSubstr("is a group of 2"));
}

TEST(HoldsEveryValue, FollowsPrecisionAndRange) {
  using ir::Dtype;
  using ir::holds_every_value;
  EXPECT_TRUE(holds_every_value(Dtype::f32, Dtype::bf16));
  EXPECT_TRUE(holds_every_value(Dtype::bf16, Dtype::i8));
  EXPECT_TRUE(holds_every_value(Dtype::f32, Dtype::i16));
  EXPECT_FALSE(holds_every_value(Dtype::bf16, Dtype::i16));
  EXPECT_FALSE(holds_every_value(Dtype::f16, Dtype::bf16));
  EXPECT_FALSE(holds_every_value(Dtype::bf16, Dtype::f16));
  EXPECT_FALSE(holds_every_value(Dtype::f32, Dtype::i32));
  EXPECT_FALSE(holds_every_value(Dtype::i8, Dtype::u8));
  EXPECT_TRUE(holds_every_value(Dtype::i16, Dtype::u8));
}

}  // namespace
}  // namespace tileproof::machine
