// Text to program and back, byte for byte.
#include "props/ir/verified.h"

#include <gtest/gtest.h>

namespace tileproof::ir {
namespace {

/// Every construct of the language, in canonical form.
constexpr std::string_view every_construct = R"(tile 1
program everything kind incore machine ascend-910b tags {system=pto sizes=[1, -2, k] done} {
  param rows : 1..4096
  param shift : -3..3
  buffer x {P ag=3} : bf16[rows, 2 * (rows + 1)] dram in
  buffer ids : i32[rows] dram in range 0..rows
  buffer state : u32[4] dram inout
  buffer y : f32[16 | 4, 8] sbuf out at 0:2048 valid [rows, 2, 1..8]
  buffer t : e4m3fn[2, 3 | 4] psum at (shift + 3):rows
  buffer c : i4[4] sbuf range -8..8
  view flat {class=F}[i:6 | j:4] = t[i floordiv 3, i mod 3, j]
  group fused as bn_stats tags {principal=2} {
    map {executor=vector} y[p, a, b] = 0 over p:16 {P ag=1}, a:4, b:8
    reduce y[p, 0, 0] += cast(bf16, x[ids[p], p] * 0.125) - -1e-6 over p:16, k:rows {F} reduce where k < rows and p != k
           start p == 0 stop k + 1 >= rows acc f64 clobbers c
    scan y[p, a, 0] max= select(p == 0, -inf, y[p - 1, a, 0]) over p:16 seq, a:4
    map state[0] xor= bitand(shl(3, 2), bitnot(5)) or 1
    map state[0] and= 7 mod 4
    map state[0] or= 1
    map state[0] *= 2
    map state[0] min= round(1.5) + nan
  }
  for i {unroll=4} in 0..rows floordiv 2 seq {
    for j in i..min(i + 4, rows) par {
      for k in 0..2 shard {
        for l in 0..2 thread { }
      }
    }
  }
  if ids[0] < 3 and shift != 0 {
    move t, c = t, c
  } else {
    opaque rng(in x, inout state, out y)
  }
  while state[0] != 0 max (2*rows) {
    map state[0] = 0
  }
  if rows > 2 { }
}

tile 1
program second {
  map y[0] = not (a < b and c == d or e >= f) and (not g) == h
}
)";

TEST(Print, GivesBackCanonicalText) {
  const auto file = parse(every_construct, "t");
  ASSERT_TRUE(file) << to_string(file.error().front());
  EXPECT_EQ(print(*file), every_construct);
}

TEST(Print, GivesTextThatParsesToTheSameProgram) {
  const auto file = parse(every_construct, "t");
  ASSERT_TRUE(file);
  const auto again = parse(print(*file), "u");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *file);
}

/// Behind `start` and `stop`, which need no condition, a lone word would read as the next opcode.
TEST(Print, PutsParenthesesRoundAConditionThatWouldNotReadAsOne) {
  for (const char* claim : {"stop (n) acc f32", "start (n) stop (n)", "stop (n) clobbers x", "start (inf < 3)", "stop (nan)"}) {
    const auto file = parse(
        std::string("tile 1 program p { param n : 1..4 buffer x : f32[4] dram out map x[i] += 1 over i:4 ") + claim + " }", "t");
    ASSERT_TRUE(file) << claim;
    EXPECT_NE(print(*file).find(claim), std::string::npos) << claim;
    EXPECT_EQ(parse(print(*file), "u"), file) << claim;
  }
}

TEST(Print, BreaksAStatementBeforeAClauseThatDoesNotFit) {
  const auto file = parse(
      "tile 1 program t { map y[i] = 1 over i:4, the_second_and_longest_axis_of_it_all:1000 where i < 3 and "
      "the_second_and_longest_axis_of_it_all < 900 }",
      "t");
  ASSERT_TRUE(file);
  EXPECT_EQ(print(*file),
            "tile 1\nprogram t {\n  map y[i] = 1 over i:4, the_second_and_longest_axis_of_it_all:1000\n"
            "         where i < 3 and the_second_and_longest_axis_of_it_all < 900\n}\n");
}

TEST(Print, KeepsAStatementOnOneLineByItself) {
  Statement statement;
  statement.opcode = "map";
  statement.destination = std::string(200, 'y');
  statement.indices = {integer(0)};
  statement.value = integer(1);
  statement.start = Claim{};
  EXPECT_EQ(print(statement), "map " + std::string(200, 'y') + "[0] = 1 start");
}

struct Written {
  Expression expression;
  std::string text;
};

class PrintExpression : public testing::TestWithParam<Written> {};

TEST_P(PrintExpression, WritesWhatParsesToIt) {
  EXPECT_EQ(print(GetParam().expression), GetParam().text);
  const auto file = parse("tile 1 program t { map y[0] = " + GetParam().text + " }", "t");
  ASSERT_TRUE(file) << GetParam().text;
  EXPECT_EQ(std::get<Statement>(file->programs[0].body[0].node).value, GetParam().expression);
}

Expression name(const char* text) { return variable(text); }
Expression number(int64_t digits, int32_t exponent) {
  Expression e;
  e.value = make_decimal(digits, exponent);
  return e;
}

INSTANTIATE_TEST_SUITE_P(
    Parentheses, PrintExpression,
    testing::Values(Written{make(Op::multiply, {make(Op::add, {name("a"), name("b")}), name("c")}), "(a + b) * c"},
                    Written{make(Op::subtract, {name("a"), make(Op::subtract, {name("b"), name("c")})}), "a - (b - c)"},
                    Written{make(Op::subtract, {make(Op::subtract, {name("a"), name("b")}), name("c")}), "a - b - c"},
                    Written{make(Op::divide, {name("a"), make(Op::multiply, {name("b"), name("c")})}), "a / (b*c)"},
                    Written{make(Op::negate, {make(Op::add, {name("a"), name("b")})}), "-(a + b)"},
                    Written{make(Op::negate, {make(Op::negate, {name("a")})}), "--a"},
                    Written{make(Op::negate, {make(Op::multiply, {name("a"), name("b")})}), "-(a*b)"},
                    Written{make(Op::multiply, {make(Op::negate, {name("a")}), name("b")}), "-a * b"},
                    Written{make(Op::less, {make(Op::less, {name("a"), name("b")}), name("c")}), "(a < b) < c"},
                    Written{make(Op::logical_not, {make(Op::logical_not, {name("a")})}), "not not a"},
                    Written{make(Op::add, {name("a"), make(Op::logical_not, {name("b")})}), "a + (not b)"},
                    Written{make(Op::logical_and, {make(Op::logical_or, {name("a"), name("b")}), name("c")}), "(a or b) and c"},
                    Written{read("x", {integer(0), make(Op::add, {name("i"), integer(1)})}), "x[0, i + 1]"},
                    Written{cast(Dtype::boolean, make(Op::infinity, {})), "cast(bool, inf)"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, PrintExpression,
    testing::Values(Written{integer(0), "0"}, Written{integer(1000), "1000"}, Written{integer(INT64_MAX), "9223372036854775807"},
                    Written{integer(-7), "-7"}, Written{integer(INT64_MIN), "-9223372036854775807 - 1"},
                    Written{number(125, -3), "0.125"}, Written{number(15, -1), "1.5"}, Written{number(1, -4), "0.0001"},
                    Written{number(1, -6), "1e-6"}, Written{number(125, -9), "1.25e-7"}, Written{number(1, 19), "1e19"},
                    Written{number(123, 398), "1.23e400"}, Written{number(70710678118654752, -17), "0.70710678118654752"}));

}  // namespace
}  // namespace tileproof::ir
