// What the parser says about wrong text: the place, what is wrong, and the mend.
#include "props/ir/verified.h"

#include <gtest/gtest.h>

namespace tileproof::ir {
namespace {

/// The items stand on line 3.
Errors syntax(std::string_view items) { return errors_of_text("tile 1\nprogram t {\n" + std::string(items) + "\n}\n"); }

Expression value_of(std::string_view text) {
  const auto file = parse("tile 1 program t { map y[0] = " + std::string(text) + " }", "t");
  if (!file) {
    ADD_FAILURE() << to_string(file.error().front());
    return {};
  }
  return std::get<Statement>(file->programs.at(0).body.at(0).node).value;
}

// ---- places and mends ----

TEST(Parse, NamesTheColumnOfAnUnknownWord) {
  EXPECT_EQ(syntax("bufer x : f32[4] dram"),
            Errors{"t:3:1: error: `bufer` begins no item and no clause; did you mean `buffer`?"});
}

TEST(Parse, NamesTheColumnOfAnUnknownClause) {
  EXPECT_EQ(syntax("map y[i] = 1 over i:4 wher i < 3"),
            Errors{"t:3:23: error: `wher` begins no item and no clause; did you mean `where`?"});
}

TEST(Parse, SuggestsTheNearestDtype) {
  EXPECT_EQ(syntax("buffer x : bf61[4] dram"), Errors{"t:3:12: error: unknown dtype `bf61`; did you mean `bf16`?"});
}

TEST(Parse, ListsTheDtypesWhereNoneIsNear) {
  EXPECT_EQ(syntax("buffer x : quaternion[4] dram").at(0),
            "t:3:12: error: unknown dtype `quaternion`; the dtypes are f64 f32 tf32 f16 bf16 e4m3 e4m3fn e5m2 e8m0 e2m1 i64 i32 "
            "i16 i8 i4 i2 u32 u16 u8 bool");
}

TEST(Parse, SuggestsTheNearestFunction) {
  EXPECT_EQ(syntax("map y[0] = sigmod(x[0])"), Errors{"t:3:12: error: unknown function `sigmod`; did you mean `sigmoid`?"});
}

TEST(Parse, RefusesAWordOfTheLanguageAsAName) {
  EXPECT_EQ(syntax("buffer max : f32[4] dram"), Errors{"t:3:8: error: `max` is a word of the language and cannot be the name of "
                                                       "a buffer; choose another name, `max_` for example"});
}

TEST(Parse, CountsColumnsInBytes) {
  EXPECT_EQ(syntax("\t\tbuffer x : f32[4] dram  $"),
            Errors{"t:3:27: error: `$`: a character that has no meaning here; an item is expected here"});
}

TEST(Parse, SaysWhatSignsOfOtherLanguagesMean) {
  const auto where = [](const std::string& condition) { return syntax("map y[i] = 1 over i:3 where " + condition).at(0); };
  EXPECT_EQ(where("i < 2 && 0 < i"), "t:3:35: error: `&&`: a sign that has no meaning here; write `and`");
  EXPECT_EQ(where("i < 2 || 0 < i"),
            "t:3:35: error: `||`: a sign that has no meaning here; write `or` in a value; conditions are joined by `and` only");
  EXPECT_EQ(where("!(i < 2)"),
            "t:3:29: error: `!`: a sign that has no meaning here; write `not` in a value; a condition takes the opposite "
            "comparison, `>=` for `<`");
  for (const auto& [condition, mend] :
       std::vector<std::pair<std::string, std::string>>{{"i & 1 == 0", "`bitand(a, b)` for the bits"},
                                                        {"i % 2 == 0", "write `mod`"},
                                                        {"i // 2 == 0", "write `floordiv`"},
                                                        {"i ^ 1 == 0", "write `bitxor(a, b)`"},
                                                        {"~(i < 2)", "write `not`"}})
    EXPECT_NE(where(condition).find(mend), std::string::npos) << condition;
}

TEST(Parse, ReportsOneErrorForEachWrongItem) {
  EXPECT_EQ(syntax("buffer x : f32[] dram\nbuffer y : f32[4] dram\nfor i in 0..3 {\nmap y[i] == 1\n}\nmove a b").size(), 4U);
}

TEST(Parse, GoesOnAfterALoopWithoutKind) {
  EXPECT_EQ(
      syntax("for i in 0..3 {\nmap y[i] = 1 over\n}"),
      (Errors{"t:3:15: error: expected the kind of the loop, found `{`; write seq, par, shard or thread before `{`",
              "t:5:1: error: expected the name of an axis, found `}`; write a name: letters, digits and `_`, no digit first"}));
}

TEST(Parse, StopsAtTheLimitOfErrors) {
  std::string items;
  for (int i = 0; i < 100; ++i) items += "buffer : f32[4] dram\n";
  EXPECT_EQ(syntax(items).size(), TextLimits{}.errors);
}

TEST(Parse, GoesOnWithTheNextProgramAfterAWrongHead) {
  EXPECT_EQ(errors_of_text("tile 1\nprogram a kind odd {\n}\ntile 1\nprogram b machine {\n}\n").size(), 2U);
}

TEST(Parse, NamesTheBlockThatIsNotClosed) {
  EXPECT_EQ(errors_of_text("tile 1\nprogram t {\n  for i in 0..3 seq {\n}\n"),
            Errors{"t:5:1: error: the block that opens at 2:11 is not closed; write `}`"});
}

TEST(Parse, ReportsWhatFollowsTheLastBrace) {
  EXPECT_EQ(syntax("}").at(0),
            "t:4:1: error: expected `program`, found `}`; a file is `tile 1` and `program NAME { ... }`, once or more");
}

TEST(Parse, WantsTheVersionFirst) {
  EXPECT_EQ(errors_of_text("program t { buffer y : f32[1] dram out }"),
            Errors{"t:1:1: error: the first line is not `tile 1`; write `tile 1` before the program"});
}

TEST(Parse, RefusesAnotherVersion) {
  EXPECT_EQ(errors_of_text("tile 2\nprogram t { }"),
            Errors{"t:1:6: error: expected `1`, the version of the language, found `2`; this program reads `tile 1`"});
}

TEST(Parse, RefusesAnEmptyText) {
  EXPECT_EQ(errors_of_text("  # nothing\n"),
            Errors{"t:2:1: error: the text holds no program; begin with `tile 1` and `program NAME { ... }`"});
}

TEST(Parse, RefusesAParameterAfterAnItem) {
  EXPECT_EQ(syntax("buffer x : f32[4] dram\nparam n : 1..4"),
            Errors{"t:4:1: error: a parameter after the first item; declare parameters at the top of the program"});
}

TEST(Parse, RefusesASecondClauseOfAKind) {
  EXPECT_EQ(syntax("map y[i] = 1 over i:4 where i < 3 where i > 1"),
            Errors{"t:3:35: error: a second `where`; join the two, or drop one"});
}

TEST(Parse, RefusesAnEmptySideOfABar) {
  EXPECT_EQ(syntax("buffer x : f32[128 | ] sbuf").size(), 1U);
  EXPECT_EQ(syntax("buffer x : f32[ | 4] sbuf").size(), 1U);
  EXPECT_EQ(syntax("buffer x : f32[1 | 2 | 4] sbuf"),
            Errors{"t:3:22: error: a second bar; one bar parts the partition dims from the free dims"});
}

TEST(Parse, RefusesElseIf) {
  EXPECT_EQ(syntax("if 1 < 2 { } else if 2 < 3 { }"),
            Errors{"t:3:19: error: `else if` is not in the language; write `else { if ... { } }`"});
}

TEST(Parse, RefusesAlternativesInACondition) {
  EXPECT_EQ(syntax("map y[i] = 1 over i:4 where i < 1 or i > 2").at(0).substr(0, 54),
            "t:3:35: error: conditions are joined by `and` only; us");
}

TEST(Parse, RefusesAChainOfComparisons) {
  EXPECT_EQ(syntax("map y[i] = 1 over i:4 where 0 < i < 2"),
            Errors{"t:3:35: error: a second comparison, `<`, in a row; write `a < b and b < c`"});
}

TEST(Parse, CountsTheOperandsOfAFunction) {
  EXPECT_EQ(syntax("map y[0] = max(1, 2, 3)"),
            Errors{"t:3:12: error: `max` takes 2 operand(s), here are 3; nest them: `max(a, max(b, c))`"});
}

TEST(Parse, WantsAnIndexInEachAccess) {
  EXPECT_EQ(syntax("map y[] = 1"),
            Errors{"t:3:7: error: an empty list of indices; a buffer of one element has an index too: `x[0]`"});
}

// ---- what the grammar leaves to a rule ----

TEST(Parse, TakesTheWordReduceAsAnOpcodeBeforeADestination) {
  const auto file =
      parse("tile 1 program t { map y[i] = 1 over i:4 reduce z[j] += 1 over j:4 reduce reduce z[j] += 1 over j:4 }", "t");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->programs[0].body.size(), 3U);
  EXPECT_EQ(std::get<Statement>(file->programs[0].body[0].node).axes[0].kind, AxisKind::parallel);
  EXPECT_EQ(std::get<Statement>(file->programs[0].body[1].node).axes[0].kind, AxisKind::reduce);
}

TEST(Parse, TakesTheWordAfterStartAsTheNextOpcode) {
  for (const std::string_view next :
       {"load t[i] = 1", "load {fast} t[i] = 1", "reduce t[i] += 1", "max t[i] max= 1", "for i in 0..1 seq { }"}) {
    const auto file = parse("tile 1 program t { map y[0] += 1 start " + std::string(next) + " }", "t");
    ASSERT_TRUE(file) << next;
    EXPECT_EQ(file->programs[0].body.size(), 2U) << next;
    EXPECT_TRUE(std::get<Statement>(file->programs[0].body[0].node).start->conditions.empty()) << next;
  }
}

TEST(Parse, TakesAComparisonAfterStartAsItsCondition) {
  for (const std::string_view condition :
       {"i == 0", "0 == i", "(i) == 0", "-i == 0", "i mod 2 == 0", "n[i] == 0", "max(i, 1) == 1", "i floordiv 2 == 0"}) {
    const auto file = parse("tile 1 program t { map y[0] += 1 start " + std::string(condition) + " }", "t");
    ASSERT_TRUE(file) << condition;
    EXPECT_EQ(std::get<Statement>(file->programs[0].body[0].node).start->conditions.size(), 1U) << condition;
  }
}

TEST(Parse, LetsABufferBeCalledAcc) {
  const auto file =
      parse("tile 1 program t { buffer acc : f32[4] psum add acc[i] += 1 over i:4 acc f32 acc acc[i] = acc[i] over i:4 }", "t");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->programs[0].body.size(), 3U);
  EXPECT_EQ(std::get<Statement>(file->programs[0].body[1].node).accumulate, Dtype::f32);
  EXPECT_EQ(std::get<Statement>(file->programs[0].body[2].node).opcode, "acc");
}

TEST(Parse, TakesTheKindOfAnAxisBeforeOrAfterItsTags) {
  const auto a = parse("tile 1 program t { map y[0] += 1 over i:4 {P} reduce }", "t"),
             b = parse("tile 1 program t { map y[0] += 1 over i:4 reduce {P} }", "t");
  ASSERT_TRUE(a);
  ASSERT_TRUE(b);
  EXPECT_EQ(*a, *b);
}

TEST(Parse, LetsATagBeAnyWord) {
  EXPECT_TRUE(parse("tile 1 program t { map {max=3 reduce in=out list=[-1, for] } y[0] = 1 }", "t"));
}

TEST(Parse, ReadsTheNamesOfMachines) {
  for (const std::string_view name : {"trn2", "torq-sl2610", "ascend-910b", "ours.v2"}) {
    const auto file = parse("tile 1 program t machine " + std::string(name) + " { }", "t");
    ASSERT_TRUE(file) << name;
    EXPECT_EQ(file->programs[0].machine, name);
  }
}

TEST(Parse, LetsOneVersionLineServeAWholeFile) {
  const auto file = parse("tile 1 program a { } program b { }", "t");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->programs.size(), 2U);
}

TEST(Parse, SkipsTheByteOrderMark) { EXPECT_TRUE(parse("\xEF\xBB\xBFtile 1 program t { }", "t")); }

TEST(Parse, TakesCarriageReturnsAsBlanks) { EXPECT_TRUE(parse("tile 1\r\nprogram t {\r\n}\r\n", "t")); }

// ---- expressions ----

TEST(Parse, BindsProductsTighterThanSums) {
  EXPECT_EQ(value_of("a + b * c"), make(Op::add, {variable("a"), make(Op::multiply, {variable("b"), variable("c")})}));
}

TEST(Parse, GroupsToTheLeft) {
  EXPECT_EQ(value_of("a - b - c"), make(Op::subtract, {make(Op::subtract, {variable("a"), variable("b")}), variable("c")}));
  EXPECT_EQ(value_of("a * b mod c"), make(Op::mod, {make(Op::multiply, {variable("a"), variable("b")}), variable("c")}));
}

TEST(Parse, BindsTheMinusSignTightest) {
  EXPECT_EQ(value_of("-a * b"), make(Op::multiply, {make(Op::negate, {variable("a")}), variable("b")}));
}

TEST(Parse, BindsNotLooserThanAComparison) {
  EXPECT_EQ(value_of("not a < b"), make(Op::logical_not, {make(Op::less, {variable("a"), variable("b")})}));
}

TEST(Parse, BindsAndTighterThanOr) {
  EXPECT_EQ(value_of("a or b and c"),
            make(Op::logical_or, {variable("a"), make(Op::logical_and, {variable("b"), variable("c")})}));
}

TEST(Parse, ReadsNumbersExactly) {
  EXPECT_EQ(value_of("0.125").value, (Decimal{125, -3}));
  EXPECT_EQ(value_of("1e-6").value, (Decimal{1, -6}));
  EXPECT_EQ(value_of("1500").value, (Decimal{15, 2}));
  EXPECT_EQ(value_of("0.000").value, Decimal{});
  EXPECT_EQ(value_of("00012.500E+1").value, (Decimal{125, 0}));
  EXPECT_EQ(value_of("9223372036854775807").value.digits, INT64_MAX);
  EXPECT_EQ(value_of("1" + std::string(300, '0')).value, (Decimal{1, 300}));
  EXPECT_EQ(value_of("0." + std::string(300, '0') + "1").value, (Decimal{1, -301}));
}

TEST(Parse, RefusesNumbersThatDoNotFit) {
  for (const std::string_view number :
       {"9223372036854775808", "1e401", "1e-401", "1e99999999999999999999", "0.12345678901234567890123"}) {
    EXPECT_EQ(syntax("map y[0] = " + std::string(number)).size(), 1U) << number;
  }
}

TEST(Parse, RefusesANumberThatRunsIntoAWord) {
  EXPECT_EQ(syntax("map y[0] = 12ab"),
            Errors{"t:3:12: error: `12ab`: a number that runs into a word; an expression is expected here"});
  EXPECT_EQ(syntax("map y[0] = 1."),
            Errors{"t:3:12: error: `1.`: a number that ends in a point; an expression is expected here"});
}

TEST(Parse, KeepsTheRangeOfAParameterWhole) {
  const auto file = parse("tile 1 program t { param p : -9223372036854775808..9223372036854775807 }", "t");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->programs[0].parameters[0].low, INT64_MIN);
  EXPECT_EQ(file->programs[0].parameters[0].high, INT64_MAX);
}

TEST(Parse, RecordsWhereThingsBegin) {
  const auto file = parse("tile 1\nprogram t {\n  map y[0] = x[1] + 2\n}", "t");
  ASSERT_TRUE(file);
  const auto& statement = std::get<Statement>(file->programs[0].body[0].node);
  EXPECT_EQ(file->programs[0].location, (Location{2, 1}));
  EXPECT_EQ(statement.location, (Location{3, 3}));
  EXPECT_EQ(statement.value.location, (Location{3, 14}));
  EXPECT_EQ(statement.value.operands[1].location, (Location{3, 21}));
}

}  // namespace
}  // namespace tileproof::ir
