// The reference evaluator, rule by rule: values, warnings, kinds of buffers, limits.
#include "props/oracle/plain_run.h"

namespace tileproof::oracle {
namespace {

using testing::ElementsAre;

// ---- values ----

TEST(ReferenceStatement, EvaluatesItsFormulaAtEveryPoint) {
  const Result result = run("buffer x : f32[3] dram in  buffer y : f32[3] dram out  map y[i] = 2 * x[i] + i over i:3");
  EXPECT_THAT(elements(result), ElementsAre("0", "3", "6"));
  EXPECT_EQ(result.points, 3U);
  EXPECT_THAT(result.outputs[0].writers, ElementsAre(1U, 1U, 1U));
}

TEST(ReferenceStatement, CountsThePointsWhereAllConditionsHold) {
  const Result result = run("buffer y : f32[4] dram inout  map y[i] = 7 over i:9 where i < 4 and i >= 2");
  EXPECT_EQ(result.points, 2U);
  EXPECT_THAT(elements(result), ElementsAre("0", "1", "7", "7"));
  EXPECT_THAT(result.outputs[0].writers, ElementsAre(0U, 0U, 1U, 1U));
}

TEST(ReferenceStatement, AsksConditionsWithReadsLast) {
  const std::string head =
      "buffer m : i8[6] dram in range 0..1  buffer x : f32[16] dram in  buffer y : f32[2] dram out  for b in 0..1 seq { ";
  for (const char* extent : {"5", "1"}) {
    const Result result = run(head + "reduce y[r] += x[5*r + min(2*b, 3) + k] over r:2, k:" + extent +
                              " reduce where m[5*r + min(2*b, 3) + k] == 0 and 5*r + min(2*b, 3) + k < 6 start }");
    EXPECT_THAT(findings(result), ElementsAre());
  }
}

TEST(ReferenceReduction, AddsToTheOldValue) {
  EXPECT_THAT(
      elements(run("buffer x : f32[2, 3] dram in  buffer y : f32[2] dram inout  reduce y[i] += x[i, k] over i:2, k:3 reduce")),
      ElementsAre("3", "13"));
}

TEST(ReferenceReduction, BeginsAtTheIdentityWithStart) {
  EXPECT_THAT(
      elements(
          run("buffer x : f32[2, 3] dram in  buffer y : f32[2] dram out  reduce y[i] max= x[i, k] over k:3 reduce, i:2 start")),
      ElementsAre("2", "5"));
}

TEST(ReferenceReduction, WritesTheIdentityWhereNothingIsAdded) {
  EXPECT_THAT(elements(run("buffer y : f32[2] dram out  reduce y[i] += i over i:2, k:0 reduce start")), ElementsAre("0", "0"));
  EXPECT_THAT(elements(run("buffer y : f32[2] dram out  reduce y[i] += 5 over i:2, k:3 reduce where k + i == 3 start")),
              ElementsAre("0", "5"));
}

TEST(ReferenceReduction, LeavesAloneWhatItAddsNothingTo) {
  const Result result = run("buffer y : f32[2] dram out  reduce y[i] += 5 over i:2, k:3 reduce where k + i == 3");
  EXPECT_THAT(findings(result), ElementsAre("not-written - y[0]", "poison-output reduce#1 y[1]"));
}

TEST(ReferenceReduction, BeginsAnewWhereStartHolds) {
  EXPECT_THAT(elements(run("buffer y : f32[2] dram out  for k in 0..3 seq { reduce y[i] += k + i over i:2 start k == 1 }")),
              ElementsAre("3", "5"));
}

TEST(ReferenceReduction, GivesScatteredDuplicatesOneSum) {
  EXPECT_THAT(elements(run("buffer y : f32[2] dram inout  scatter y[k mod 2] += k over k:4 reduce")), ElementsAre("2", "5"));
}

TEST(ReferenceScan, RunsSeqAxesInOrder) {
  EXPECT_THAT(elements(run("buffer y : f32[4] dram out  scan y[i] = select(i == 0, 1, 2 * y[i - 1]) over i:4 seq")),
              ElementsAre("1", "2", "4", "8"));
}

TEST(ReferenceStore, WrapsIntegers) {
  EXPECT_THAT(elements(run("buffer y : i8[2] dram out  map y[i] = 200 * i over i:2")), ElementsAre("0", "-56"));
}

TEST(ReferenceView, ComposesWithViews) {
  EXPECT_THAT(elements(run("buffer x : f32[2, 3] dram in  buffer y : f32[2] dram out"
                           "  view v[a:6] = x[a floordiv 3, a mod 3]  view w[b:2] = v[2*b + 1]  copy y[i] = w[i] over i:2")),
              ElementsAre("1", "3"));
}

TEST(ReferenceView, SeesTheLoopVariablesOfItsDeclarationAndNotThoseOfItsUse) {
  EXPECT_THAT(elements(run("buffer x : f32[6] dram in  buffer y : f32[6] dram out"
                           "  for b in 0..3 par { view v[i:2] = x[2*b + i]  copy y[2*b + i] = v[1 - i] over i:2 }")),
              ElementsAre("1", "0", "3", "2", "5", "4"));
}

TEST(ReferenceControl, TakesBranchesGroupsAndParameters) {
  RunOptions options;
  options.parameters["n"] = 3;
  EXPECT_THAT(elements(run("param n : 1..4  buffer y : f32[n] dram out"
                           "  if n < 3 { memset y[i] = 1 over i:n } else { group g { memset y[i] = n over i:n } }",
                           options)),
              ElementsAre("3", "3", "3"));
}

TEST(ReferenceControl, RepeatsWhileAConditionHolds) {
  EXPECT_THAT(
      elements(run("buffer y : i32[1] dram out range 0..9  memset y[0] = 0  while y[0] < 3 max 5 { map y[0] = y[0] + 1 }")),
      ElementsAre("3"));
}

TEST(ReferenceMove, ReadsAllBeforeItWritesAny) {
  const Result result =
      run("buffer a : f32[2] dram inout  buffer b : f32[2] dram inout  map a[i] = 7 over i:2  move a, b = b, a");
  EXPECT_THAT(elements(result, 0), ElementsAre("0", "1"));
  EXPECT_THAT(elements(result, 1), ElementsAre("7", "7"));
  EXPECT_EQ(result.outputs[0].writers[0], 0U) << "a move is no statement";
}

TEST(ReferenceOpaque, IsAFunctionOfItsInputs) {
  const char* const text = "buffer x : f32[2] dram in  buffer y : f32[3] dram out  opaque f(in x, out y)";
  EXPECT_EQ(elements(run(text)), elements(run(text)));
  EXPECT_NE(elements(run(text)), elements(run("buffer x : f32[2] dram in  buffer y : f32[3] dram out  opaque g(in x, out y)")));
}

TEST(ReferenceOpaque, IsPoisonIfAnInputIs) {
  EXPECT_THAT(elements(run("buffer t : f32[2] dram  buffer y : f32[1] dram out  memset t[0] = 1  opaque f(in t, out y)")),
              ElementsAre("P"));
}

// ---- warnings, kinds, limits ----

TEST(ReferenceOverwritten, CountsWhatNobodyRead) {
  const Result result = run("buffer y : f32[2] dram out  memset y[i] = 1 over i:2  map y[i] = y[0] over i:2 seq");
  EXPECT_EQ(result.overwritten, 1U) << "y[0] was read";
  ASSERT_EQ(result.overwrites.size(), 1U);
  EXPECT_EQ(result.overwrites[0].statement, "map#1");
  EXPECT_THAT(result.overwrites[0].element, ElementsAre(1));
}

TEST(ReferenceOverwritten, IsNotAccumulation) {
  EXPECT_EQ(run("buffer y : f32[1] dram out  memset y[0] = 0  for k in 0..3 seq { reduce y[0] += k }").overwritten, 0U);
  EXPECT_EQ(run("buffer y : f32[1] dram out  memset y[0] = 0  for k in 0..3 seq { reduce y[0] += k start }").overwritten, 3U);
}

TEST(ReferenceKinds, GiveIndexInputsTrueIntegers) {
  const char* const text =
      "buffer i : i32[2] dram in range 0..3  buffer x : f32[3] dram in  buffer y : f32[2] dram out  map y[k] = x[i[k]] over k:2";
  RunOptions options;
  options.pattern = Pattern::highest;
  EXPECT_THAT(elements(run(text, options)), ElementsAre("2", "2"));
  options.pattern = Pattern::ramp;
  EXPECT_THAT(elements(run(text, options)), ElementsAre("0", "1"));
}

TEST(ReferenceKinds, HaveIdentitiesOfTheirOwn) {
  EXPECT_THAT(elements(run("buffer t : i8[1] dram out  buffer y : f32[300] dram inout  reduce t[0] max= 0 over k:0 reduce start  "
                           "map y[t[0] + 128] = 0")),
              ElementsAre("-128"));
}

TEST(ReferenceKinds, RefuseAnIndexThatIsComputedFromData) {
  const Result result =
      run("buffer x : f32[1] dram in  buffer t : i32[1] dram  buffer y : f32[2] dram inout  map t[0] = x[0]  map y[t[0]] = 0");
  EXPECT_EQ(result.status, RunStatus::unsupported);
  EXPECT_FALSE(result.reason.empty());
}

TEST(ReferenceLimits, EndTheRun) {
  const char* const text = "buffer y : f32[4] dram out  for b in 0..1000 seq { memset y[i] = 0 over i:4 }";
  RunOptions few, late, small;
  few.limits.points = 10;
  late.limits.deadline = std::chrono::steady_clock::now();
  small.limits.bytes = 16;
  EXPECT_EQ(run(text, few).status, RunStatus::out_of_points);
  EXPECT_EQ(run(text, late).status, RunStatus::out_of_time);
  EXPECT_EQ(run(text, small).status, RunStatus::out_of_memory);
}

TEST(ReferenceLimits, StopAfterSoManyFindings) {
  RunOptions options;
  options.findings = 2;
  EXPECT_THAT(findings(run("buffer y : f32[1] dram inout  a y[1] = 0  b y[1] = 0  c y[1] = 0", options)),
              ElementsAre("out-of-bounds a#1 y[1]", "out-of-bounds b#1 y[1]"));
}

}  // namespace
}  // namespace tileproof::oracle
