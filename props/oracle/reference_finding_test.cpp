// The reference evaluator, rule by rule: bounds, undefined values, claims.
#include "props/oracle/plain_run.h"

namespace tileproof::oracle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// ---- bounds, poison, claims ----

TEST(ReferenceBounds, SkipThePointAndGoOn) {
  const Result result = run("buffer x : f32[3] dram in  buffer y : f32[4] dram out  map y[i] = x[i] over i:4");
  EXPECT_THAT(findings(result), ElementsAre("out-of-bounds map#1 x[3]", "not-written - y[3]"));
  EXPECT_THAT(elements(result), ElementsAre("0", "1", "2", "P"));
  EXPECT_EQ(result.points, 3U);
}

TEST(ReferenceBounds, AreMetInTheOrderOfTheOperands) {
  EXPECT_THAT(findings(run("buffer x : i64[4] dram in range 0..4  buffer b : f32[3] dram in  buffer y : f32[4] dram inout"
                           "  map y[i] = b[i] + select(x[i + 3] < 2, 1, 2) over i:4")),
              ElementsAre("out-of-bounds map#1 x[4]", "out-of-bounds map#1 b[3]"));
}

TEST(ReferenceBounds, HoldForEachDimByItself) {
  EXPECT_THAT(findings(run("buffer x : f32[2, 3] dram in  buffer y : f32[1] dram out  map y[0] = x[0, 3]  memset y[0] = 0")),
              ElementsAre("out-of-bounds map#1 x[0,3]"));
}

TEST(ReferenceBounds, OfAViewAreReportedForTheBufferBehindIt) {
  EXPECT_THAT(findings(run("buffer x : f32[9] dram in  buffer y : f32[1] dram inout  view v[a:2] = x[a + 1]  map y[0] = v[2]")),
              ElementsAre("out-of-bounds map#1 x[3]"));
}

TEST(ReferenceBounds, OfWhatIsNotEvaluatedDoNotMatter) {
  EXPECT_THAT(
      findings(run("buffer x : f32[2] dram in  buffer y : f32[4] dram inout  map y[i] = select(i < 2, x[i], 0) over i:4")),
      IsEmpty());
  EXPECT_THAT(findings(run("buffer x : f32[2] dram in  buffer y : f32[4] dram inout  map y[i] = x[i] over i:4 where i < 2")),
              IsEmpty());
}

TEST(ReferenceView, MustBeInjective) {
  EXPECT_THAT(findings(run("buffer x : f32[9] dram inout  view v[a:3, b:3] = x[2*a + b]")), ElementsAre("view - v[]"));
}

TEST(ReferencePoison, IsStrict) {
  const Result result = run("buffer t : f32[2] dram  buffer y : f32[2] dram out  memset t[1] = 1  map y[i] = 0 * t[i] over i:2");
  EXPECT_THAT(elements(result), ElementsAre("P", "0"));
  EXPECT_THAT(findings(result), ElementsAre("poison-output map#1 y[0]"));
}

TEST(ReferencePoison, MayBeComputedOnIfItIsNotStored) {
  EXPECT_THAT(findings(run("buffer x : f32[3] dram in  buffer y : f32[3] dram out  buffer t : f32[4] dram  buffer u : f32[4] dram"
                           "  load t[i] = x[i] over i:3  map u[i] = t[i] + 1 over i:4  store y[i] = u[i] over i:3")),
              IsEmpty());
}

TEST(ReferencePoison, IsWhatAFreshBufferHolds) {
  EXPECT_THAT(findings(run("buffer y : f32[2] dram out  for i in 0..2 seq { buffer t : f32[1] dram  memset t[0] = 1 over j:1 "
                           "where i == 0  map y[i] = t[0] }")),
              ElementsAre("poison-output map#1 y[1]"));
}

TEST(ReferencePoison, MustNotSteer) {
  EXPECT_THAT(
      findings(
          run("buffer t : i32[2] dram  buffer y : f32[2] dram inout  memset t[1] = 0  map y[i] = 5 over i:2 where t[i] == 0")),
      ElementsAre("poison-index map#1 t[0]"));
  EXPECT_THAT(findings(run("buffer t : i32[1] dram  buffer y : f32[2] dram inout  map y[t[0]] = 5")),
              ElementsAre("poison-index map#1 t[0]"));
  EXPECT_THAT(findings(run("buffer t : i32[1] dram  buffer y : f32[2] dram inout  for i in 0..t[0] seq { map y[i] = 5 }")),
              ElementsAre("poison-index - t[0]"));
}

TEST(ReferenceOutput, MustBeWritten) {
  EXPECT_THAT(findings(run("buffer y : f32[2, 2] dram out  map y[0, i] = i over i:2")), ElementsAre("not-written - y[1,0]"));
  EXPECT_THAT(findings(run("buffer y : f32[2, 2] dram inout  map y[0, i] = i over i:2")), IsEmpty());
}

TEST(ReferenceOutput, MustNotBeNan) {
  EXPECT_THAT(findings(run("buffer y : f32[2] dram out  map y[i] = i / i over i:2")), ElementsAre("nan-output map#1 y[0]"));
  EXPECT_THAT(findings(run("buffer t : i8[1] dram  buffer y : f32[1] dram out  map t[0] = cast(f32, 1) / 0  memset y[0] = 0")),
              ElementsAre("nan-output map#1 t[0]"));
}

TEST(ReferenceClaim, OfARangeIsCheckedAtTheStore) {
  EXPECT_THAT(
      findings(run(
          "buffer t : i32[4] dram range 0..3  buffer y : f32[9] dram inout  map t[i] = i over i:4  map y[t[i]] = 0 over i:4")),
      ElementsAre("range map#1 t[3]"));
}

TEST(ReferenceClaim, OfValidElementsIsCheckedAtTheRead) {
  EXPECT_THAT(findings(run("buffer t : f32[4] dram valid [3]  buffer u : f32[4] dram  buffer y : f32[1] dram inout"
                           "  memset t[i] = 0 over i:2  map u[i] = t[3 - i] over i:4")),
              ElementsAre("valid-claim map#1 t[2]"));
}

TEST(ReferenceClaim, OfTheLastAccumulationIsCheckedAtTheRead) {
  const auto text = [](int read_at) {
    return fmt::format(
        "buffer a : f32[1] dram  buffer y : f32[3] dram inout  for k in 0..3 seq {{"
        " reduce a[0] += k start k == 0 stop k == 2  if k == {} {{ map y[k] = a[0] }} }}",
        read_at);
  };
  EXPECT_THAT(findings(run(text(1))), ElementsAre("stop-claim map#1 a[0]"));
  EXPECT_THAT(findings(run(text(2))), IsEmpty());
}

TEST(ReferenceWhile, MustEndWithinItsLimit) {
  EXPECT_THAT(findings(run("buffer y : i32[1] dram inout range 0..1  while y[0] < 9 max 2 { memset y[0] = 0 }")),
              ElementsAre("while-limit - -[]"));
}

}  // namespace
}  // namespace tileproof::oracle
