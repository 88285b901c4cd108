// Names: declared before use, once among those visible, and what they may stand for.
#include "props/ir/verified.h"

#include <gtest/gtest.h>

namespace tileproof::ir {
namespace {

TEST(VerifyNames, AcceptsASmallProgram) { EXPECT_EQ(errors_of("map y[i, j] = x[i, j] + p over i:8, j:8"), none); }

TEST(VerifyNames, SaysHowToDeclareAnUnknownBuffer) {
  EXPECT_EQ(errors_of("load weights[i] = x[i, 0] over i:8"),
            Errors{"t:7:1: error: unknown name `weights`; declare it with `buffer weights : ...` before this line"});
}

TEST(VerifyNames, SuggestsTheNearestBuffer) {
  EXPECT_EQ(errors_of("buffer tile_a : f32[8] sbuf\nmap y[0, i] = tile_s[i] over i:8"),
            Errors{"t:8:15: error: unknown name `tile_s`; did you mean `tile_a`?"});
}

TEST(VerifyNames, SuggestsTheNearestAxis) {
  EXPECT_EQ(errors_of("map y[row, 0] = x[rwo, 0] over row:8"), Errors{"t:7:19: error: unknown name `rwo`; did you mean `row`?"});
}

TEST(VerifyNames, ReportsAnUnknownNameOnce) { EXPECT_EQ(errors_of("map y[i, i] = x[i, i]").size(), 1U); }

TEST(VerifyNames, RefusesUseBeforeDeclaration) {
  EXPECT_EQ(errors_of("map y[0, 0] = late[0]\nbuffer late : f32[1] sbuf").size(), 1U);
}

TEST(VerifyNames, RefusesASecondBufferOfTheName) {
  EXPECT_EQ(errors_of("buffer x : f32[4] dram"),
            Errors{"t:7:1: error: `x` is already a buffer at 4:1; choose another name: a name must not hide a visible one"});
}

TEST(VerifyNames, RefusesALoopVariableThatHidesAParameter) { EXPECT_EQ(errors_of("for p in 0..2 seq { }").size(), 1U); }

TEST(VerifyNames, RefusesALoopVariableThatHidesAnEnclosingOne) {
  EXPECT_EQ(errors_of("for i in 0..2 seq { for i in 0..2 seq { } }").size(), 1U);
}

TEST(VerifyNames, RefusesAnAxisThatHidesALoopVariable) {
  EXPECT_EQ(
      errors_of("for i in 0..2 seq { map y[i, 0] = 1 over i:8 }"),
      Errors{"t:7:42: error: `i` is already a loop variable at 7:1; choose another name: a name must not hide a visible one"});
}

TEST(VerifyNames, RefusesTwoAxesOfOneName) { EXPECT_EQ(errors_of("map y[i, i] = 1 over i:8, i:8").size(), 1U); }

TEST(VerifyNames, RefusesAViewDimThatHidesABuffer) { EXPECT_EQ(errors_of("view v[y:1] = x[0, 0]").size(), 1U); }

TEST(VerifyNames, LetsDisjointBlocksReuseAName) {
  EXPECT_EQ(
      errors_of(
          "for i in 0..2 seq { buffer t : f32[4] sbuf }\nfor i in 0..2 par { buffer t : i8[4] sbuf }\nmap y[i, 0] = 0 over i:8"),
      none);
}

TEST(VerifyNames, EndsTheLifeOfABufferWithItsBlock) {
  for (const std::string_view block : {"for i in 0..2 seq", "if p < 3", "while n[0, 0] > 0 max 3", "group g"}) {
    EXPECT_EQ(errors_of(std::string(block) + " { buffer t : f32[4] sbuf }\nmap y[0, 0] = t[0]").size(), 1U) << block;
  }
}

TEST(VerifyNames, KeepsThenAndElseApart) {
  EXPECT_EQ(errors_of("if p < 3 { buffer t : f32[4] sbuf } else { map y[0, 0] = t[0] }").size(), 1U);
}

TEST(VerifyNames, RefusesABufferWithoutAnIndex) {
  EXPECT_EQ(errors_of("map y[0, 0] = x"),
            Errors{"t:7:15: error: `x` is a buffer, and has no value as a whole; read an element: `x[...]`"});
}

TEST(VerifyNames, RefusesAnIndexOnAnInteger) {
  EXPECT_EQ(errors_of("map y[0, 0] = p[0]"),
            Errors{"t:7:15: error: `p` is a parameter, not a buffer; write `p` without an index"});
}

TEST(VerifyNames, RefusesTwoProgramsOfOneName) {
  EXPECT_EQ(errors_of_text("tile 1\nprogram a { buffer y : f32[1] dram out }\nprogram a { buffer y : f32[1] dram out }"),
            Errors{"t:3:1: error: a second program named `a`; give each program of a file a name of its own"});
}

TEST(VerifyNames, RefusesATagGivenTwice) { EXPECT_EQ(errors_of("map {P P=2} y[0, 0] = 1").size(), 1U); }

TEST(VerifyNames, RefusesNamesThatTextCannotHold) {
  Program program;
  program.name = "two words";
  program.body.push_back({Buffer{"exp", {}, Dtype::f32, {integer(1)}, {}, "dram", Role::out, {}, {}, {}, {}}});
  const Diagnostics diagnostics = verify(program, "t");
  ASSERT_EQ(diagnostics.size(), 2U);
  EXPECT_EQ(diagnostics[0].message, "`two words` is not the name of a program");
  EXPECT_EQ(diagnostics[1].message, "`exp` cannot be the name of a buffer");
}

TEST(VerifyNames, ReportsAtMostTwentyErrors) {
  std::string items;
  for (int i = 0; i < 100; ++i) items += "map unknown_" + std::to_string(i) + "[0] = 1\n";
  EXPECT_EQ(errors_of(items).size(), 20U);
}

TEST(VerifyNames, ReportsInTheOrderOfTheText) {
  const auto file = parse("tile 1\nprogram t {\nbuffer y : f32[0] dram out at 0:(0-4)\nmap y[q] = r[0]\n}", "t");
  ASSERT_TRUE(file);
  const Diagnostics diagnostics = verify(*file);
  EXPECT_EQ(diagnostics.size(), 4U);
  for (size_t i = 1; i < diagnostics.size(); ++i) EXPECT_LE(diagnostics[i - 1].location, diagnostics[i].location);
}

}  // namespace
}  // namespace tileproof::ir
