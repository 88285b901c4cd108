// Statements: destinations, updates, axes, start and stop, accumulation, clobbers.
#include "props/ir/verified.h"

#include <gtest/gtest.h>

namespace tileproof::ir {
namespace {

// ---- destinations ----

TEST(VerifyStatement, RefusesToWriteAnInBuffer) {
  EXPECT_EQ(errors_of("map x[0, 0] = 1"),
            Errors{"t:7:1: error: `x` is `in` and is written; declare `x` as inout, or write another buffer"});
}

TEST(VerifyStatement, RefusesToWriteAnInBufferThroughViews) {
  EXPECT_EQ(errors_of("view v[i:8] = x[i, 0]\nview w[i:8] = v[7 - i]\nmap w[0] = 1").at(0),
            "t:9:1: error: `x` is `in` and is written through the view `w`; declare `x` as inout, or write another buffer");
}

TEST(VerifyStatement, CountsTheIndicesOfTheDestination) { EXPECT_EQ(errors_of("map y[0] = 1").size(), 1U); }

TEST(VerifyStatement, CountsTheIndicesOfARead) { EXPECT_EQ(errors_of("map y[0, 0] = x[0, 0, 0]").size(), 1U); }

// ---- updates ----

TEST(VerifyStatement, RefusesAnAssignmentOverAReduceAxis) {
  EXPECT_EQ(errors_of("map y[i, 0] = x[i, j] over i:8, j:8 reduce"),
            Errors{"t:7:33: error: `=` over the reduce axis `j`; accumulate with `+=`, `max=`, ... (and `start` to begin anew), "
                   "or make the axis `seq`"});
}

TEST(VerifyStatement, AcceptsAnAssignmentOverASeqAxis) { EXPECT_EQ(errors_of("map y[i, j] = x[i, j] over i:8 seq, j:8"), none); }

TEST(VerifyStatement, RefusesBitwiseUpdatesOfFloats) {
  for (const std::string_view update : {"and=", "or=", "xor="}) {
    EXPECT_EQ(errors_of("map y[0, 0] " + std::string(update) + " 1").size(), 1U) << update;
    EXPECT_EQ(errors_of("buffer t : i32[4] sbuf map t[0] " + std::string(update) + " x[0, 0]").size(), 1U) << update;
    EXPECT_EQ(errors_of("buffer t : bool[4] sbuf map t[0] " + std::string(update) + " n[0, 0]"), none) << update;
  }
}

// ---- start and stop ----

TEST(VerifyStatement, RefusesStartOnAnAssignment) { EXPECT_EQ(errors_of("map y[0, 0] = 1 start").size(), 1U); }

TEST(VerifyStatement, RefusesStopOnAnAssignment) { EXPECT_EQ(errors_of("map y[0, 0] = 1 stop").size(), 1U); }

TEST(VerifyStatement, AcceptsStartAndStopOverLoopsAndParallelAxes) {
  EXPECT_EQ(errors_of("for k in 0..2 seq { reduce y[i, 0] += x[i, j] over i:8, j:8 reduce start k == 0 and i >= 0 stop k == 1 }"),
            none);
}

TEST(VerifyStatement, RefusesAStartConditionOverAReduceAxis) {
  EXPECT_EQ(errors_of("reduce y[i, 0] += x[i, j] over i:8, j:8 reduce start j == 0"),
            Errors{"t:7:54: error: the condition of `start` names a reduce axis; a destination element begins and ends once for "
                   "all reduce points"});
}

TEST(VerifyStatement, RefusesAStopConditionOverAReduceAxis) {
  EXPECT_EQ(errors_of("reduce y[i, 0] += x[i, j] over i:8, j:8 reduce stop j == 7").size(), 1U);
}

TEST(VerifyStatement, RefusesStartWhereTheDestinationNamesAReduceAxis) {
  EXPECT_EQ(errors_of("scatter y[n[i, 0], 0] += x[i, 0] over i:8 reduce start").size(), 1U);
}

TEST(VerifyStatement, AcceptsAScatterAddWithoutStart) {
  EXPECT_EQ(errors_of("scatter y[n[i, 0], 0] += x[i, 0] over i:8 reduce"), none);
}

// ---- axes ----

TEST(VerifyStatement, AcceptsAnEmptyAxis) { EXPECT_EQ(errors_of("map y[i, 0] = 1 over i:0"), none); }

TEST(VerifyStatement, RefusesANegativeAxis) { EXPECT_EQ(errors_of("map y[i, 0] = 1 over i:-1").size(), 1U); }

TEST(VerifyStatement, AcceptsAnExtentOverLoopVariablesAndParameters) {
  EXPECT_EQ(errors_of("for i in 0..2 seq { map y[j, 0] = 1 over j:min(p, 8 - 4*i) }"), none);
}

TEST(VerifyStatement, RefusesAnExtentOverAnotherAxis) {
  EXPECT_EQ(
      errors_of("map y[i, j] = 1 over i:8, j:i"),
      Errors{"t:7:29: error: the extent of an axis cannot depend on `i`, an axis; use parameters and enclosing loop variables"});
}

TEST(VerifyStatement, RefusesAnExtentThatReadsABuffer) { EXPECT_EQ(errors_of("map y[i, 0] = 1 over i:n[0, 0]").size(), 1U); }

// ---- accumulate dtype ----

TEST(VerifyStatement, RefusesToAccumulateFloatsInIntegers) {
  EXPECT_EQ(errors_of("reduce y[0, 0] += x[0, k] over k:8 reduce acc i32").size(), 1U);
}

TEST(VerifyStatement, RefusesToAccumulateInEightBits) {
  EXPECT_EQ(errors_of("reduce y[0, 0] += x[0, k] over k:8 reduce acc e4m3").size(), 1U);
  EXPECT_EQ(errors_of("reduce y[0, 0] += n[0, k] over k:8 reduce acc i8").size(), 1U);
}

TEST(VerifyStatement, AcceptsIntegersAccumulatedInFloatsAndBack) {
  EXPECT_EQ(errors_of("reduce y[0, 0] += n[0, k] over k:8 reduce acc i32\nreduce y[0, 0] += n[0, k] over k:8 reduce acc f32\n"
                      "reduce y[0, 0] += x[0, k] over k:8 reduce acc bf16"),
            none);
}

// ---- clobbers ----

TEST(VerifyStatement, AcceptsAClobberedScratchBuffer) {
  EXPECT_EQ(errors_of("buffer t : f32[4] sbuf\nmap y[0, 0] = x[0, 0] clobbers t"), none);
}

TEST(VerifyStatement, RefusesToClobberAnInBuffer) { EXPECT_EQ(errors_of("map y[0, 0] = 1 clobbers x").size(), 1U); }

TEST(VerifyStatement, RefusesToClobberItsDestination) { EXPECT_EQ(errors_of("map y[0, 0] = 1 clobbers y").size(), 1U); }

TEST(VerifyStatement, RefusesToClobberWhatItReadsThroughAView) {
  EXPECT_EQ(errors_of("buffer t : f32[4] sbuf\nview v[i:4] = t[3 - i]\nmap y[0, 0] = v[0] clobbers t"),
            Errors{"t:9:1: error: the statement uses `t`, which it clobbers; clobber a scratch buffer of its own"});
}

TEST(VerifyStatement, RefusesToClobberAView) {
  EXPECT_EQ(errors_of("buffer t : f32[4] sbuf\nview v[i:4] = t[i]\nmap y[0, 0] = 1 clobbers v").size(), 1U);
}

TEST(VerifyStatement, RefusesToClobberTwice) {
  EXPECT_EQ(errors_of("buffer t : f32[4] sbuf\nmap y[0, 0] = 1 clobbers t, t").size(), 1U);
}

}  // namespace
}  // namespace tileproof::ir
