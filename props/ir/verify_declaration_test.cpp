// Parameters, buffers and views.
#include "props/ir/verified.h"

#include <gtest/gtest.h>

namespace tileproof::ir {
namespace {

// ---- parameters ----

TEST(VerifyParameter, RefusesAnEmptyRange) {
  EXPECT_EQ(errors_of_text("tile 1\nprogram t {\nparam q : 4..3\nbuffer y : f32[1] dram out\n}"),
            Errors{"t:3:1: error: the range of `q` is empty: 4..3; write the lower end first; both ends are included"});
}

TEST(VerifyParameter, AcceptsARangeOfOneValue) {
  EXPECT_EQ(errors_of_text("tile 1 program t { param q : 3..3 buffer y : f32[q] dram out }"), none);
}

// ---- extents ----

TEST(VerifyBuffer, RefusesTheExtentZero) {
  EXPECT_EQ(errors_of("buffer t : f32[4, 0] sbuf"), Errors{"t:7:19: error: an extent of `t` is 0, never positive; extents of "
                                                           "buffers are at least 1 (axes and loops may be empty)"});
}

TEST(VerifyBuffer, RefusesANegativeExtent) { EXPECT_EQ(errors_of("buffer t : f32[2 - 3] sbuf").size(), 1U); }

TEST(VerifyBuffer, AcceptsAnExtentThatIsZeroForSomeParameters) { EXPECT_EQ(errors_of("buffer t : f32[p - 1] sbuf"), none); }

TEST(VerifyBuffer, RefusesAnExtentThatIsPositiveForNoParameter) { EXPECT_EQ(errors_of("buffer t : f32[p - 9] sbuf").size(), 1U); }

TEST(VerifyBuffer, RefusesAnExtentOverALoopVariable) {
  EXPECT_EQ(errors_of("for i in 0..2 seq { buffer t : f32[i] sbuf }"),
            Errors{"t:7:36: error: the extent of a buffer cannot depend on `i`, a loop variable; use numbers and parameters"});
}

TEST(VerifyBuffer, RefusesAnExtentThatReadsABuffer) { EXPECT_EQ(errors_of("buffer t : f32[n[0, 0]] sbuf").size(), 1U); }

TEST(VerifyBuffer, RefusesAFractionAsExtent) { EXPECT_EQ(errors_of("buffer t : f32[1.5] sbuf").size(), 1U); }

TEST(VerifyBuffer, RefusesSizesThatOverflow) {
  EXPECT_EQ(errors_of("buffer t : f32[4294967296, 4294967296, 4294967296] sbuf").size(), 1U);
  EXPECT_EQ(errors_of("buffer t : f32[67108864, 67108864, 32] sbuf").size(), 1U);   // 2^62 bits
}

TEST(VerifyBuffer, AcceptsSizesJustBelowTheLimit) { EXPECT_EQ(errors_of("buffer t : f32[67108864, 67108864, 31] sbuf"), none); }

TEST(VerifyBuffer, JudgesSizesAtTheHighestParameters) {
  EXPECT_EQ(errors_of_text("tile 1 program t { param q : 1..4611686018427387904 buffer y : i8[q] dram out }").size(), 1U);
}

TEST(VerifyBuffer, RefusesABarAtTheEnd) {
  Program program;
  program.name = "t";
  program.body.push_back({Buffer{"y", {}, Dtype::f32, {integer(4)}, 1, "sbuf", Role::out, {}, {}, {}, {}}});
  EXPECT_EQ(verify(program, "t").size(), 1U);
}

// ---- roles ----

TEST(VerifyBuffer, RefusesARoleInsideABlock) {
  EXPECT_EQ(errors_of("group g { buffer t : f32[4] dram out }"),
            Errors{"t:7:11: error: `t` is `out` inside a block; move the declaration to the top level of the program: in, out "
                   "and inout buffers "
                   "come from outside"});
}

TEST(VerifyProgram, WantsAResult) {
  EXPECT_EQ(
      errors_of_text("tile 1\nprogram t { buffer x : f32[1] dram in }"),
      Errors{"t:2:1: error: the program `t` has no `out` or `inout` buffer; declare the buffer that holds its result as `out`"});
}

TEST(VerifyProgram, AcceptsAnInoutBufferAsItsResult) {
  EXPECT_EQ(errors_of_text("tile 1 program t { buffer x : f32[1] dram inout }"), none);
}

// ---- annotations ----

TEST(VerifyBuffer, AcceptsAnAddressOverLoopVariables) {
  EXPECT_EQ(errors_of("for i in 0..2 seq { buffer t : f32[4 | 4] sbuf at 0:(2048*i + p) }"), none);
}

TEST(VerifyBuffer, RefusesANegativeAddress) { EXPECT_EQ(errors_of("buffer t : f32[4] sbuf at 0:(-4)").size(), 1U); }

TEST(VerifyBuffer, RefusesAnAddressThatReadsABuffer) { EXPECT_EQ(errors_of("buffer t : f32[4] sbuf at 0:(n[0, 0])").size(), 1U); }

TEST(VerifyBuffer, WantsAValidRangeForEachDim) { EXPECT_EQ(errors_of("buffer t : f32[4, 4] sbuf valid [3]").size(), 1U); }

TEST(VerifyBuffer, RefusesAValidRangeBeyondTheExtent) { EXPECT_EQ(errors_of("buffer t : f32[4] sbuf valid [5]").size(), 1U); }

TEST(VerifyBuffer, AcceptsAValidRangeOverLoopVariables) {
  EXPECT_EQ(errors_of("for i in 0..2 seq { buffer t : f32[4] sbuf valid [0..min(4, 6 - 4*i)] }"), none);
}

TEST(VerifyBuffer, RefusesARangeOnFloats) { EXPECT_EQ(errors_of("buffer t : f32[4] sbuf range 0..4").size(), 1U); }

TEST(VerifyBuffer, RefusesARangeThatDoesNotFit) {
  EXPECT_EQ(errors_of("buffer t : i8[4] sbuf range 0..129"),
            Errors{"t:7:1: error: the range of `t` does not fit in i8; i8 holds -128 to 127"});
}

TEST(VerifyBuffer, AcceptsTheWholeRangeOfTheDtype) {
  EXPECT_EQ(
      errors_of(
          "buffer t : i8[4] sbuf range -128..128\nbuffer b : bool[4] sbuf range 0..2\nbuffer u : u16[4] sbuf range 0..65536"),
      none);
}

TEST(VerifyBuffer, RefusesAnEmptyRange) { EXPECT_EQ(errors_of("buffer t : i8[4] sbuf range 3..3").size(), 1U); }

// ---- views ----

TEST(VerifyView, AcceptsReshapeTransposeSliceAndFractalMaps) {
  EXPECT_EQ(errors_of("view a[k:64] = x[k floordiv 8, k mod 8]\nview b[i:8 | j:8] = x[j, i]\nview c[i:4] = x[2*i, 3]\n"
                      "view d[i:2, j:2, k:4, l:4] = x[4*i + k, 4*j + l]\nview e[k:8] = a[8*k]"),
            none);
}

TEST(VerifyView, AcceptsASliceAtALoopVariable) {
  EXPECT_EQ(errors_of("for i in 0..2 seq { view v[j:4] = x[4*i + j, 0] }"), none);
}

TEST(VerifyView, WantsAnIndexForEachDimOfItsBase) { EXPECT_EQ(errors_of("view v[i:8] = x[i]").size(), 1U); }

TEST(VerifyView, RefusesADimThatNoIndexNames) { EXPECT_EQ(errors_of("view v[i:8, j:2] = x[i, 0]").size(), 1U); }

TEST(VerifyView, AcceptsAnUnusedDimOfExtentOne) { EXPECT_EQ(errors_of("view v[i:8, j:1] = x[i, 0]"), none); }

TEST(VerifyView, RefusesAGather) { EXPECT_EQ(errors_of("view v[i:8] = x[n[i, 0], 0]").size(), 1U); }

TEST(VerifyView, RefusesAnExtentOverALoopVariable) {
  EXPECT_EQ(errors_of("for i in 0..2 seq { view v[j:i] = x[j, 0] }").size(), 1U);
}

TEST(VerifyView, RefusesAViewOfItself) { EXPECT_EQ(errors_of("view v[i:8] = v[i]").size(), 1U); }

TEST(VerifyView, CountsTheDimsOfAnAccessThroughIt) {
  EXPECT_EQ(errors_of("view v[k:64] = x[k floordiv 8, k mod 8]\nmap y[0, 0] = v[0, 0]").size(), 1U);
}

}  // namespace
}  // namespace tileproof::ir
