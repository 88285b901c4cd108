// The small values that programs are made of: dtypes, decimals, expressions, labels, suggestions, intervals.
#include "compiler/ir/interval.h"
#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"
#include "props/ir/verified.h"

#include <gtest/gtest.h>

#include <limits>

namespace tileproof::ir {
namespace {

TEST(Dtype, NamesAndParsesEachOne) {
  EXPECT_EQ(all_dtypes().size(), 20U);
  for (const Dtype dtype : all_dtypes()) EXPECT_EQ(parse_dtype(name(dtype)), dtype);
  EXPECT_EQ(parse_dtype("f128"), std::nullopt);
}

TEST(Dtype, KnowsTheRangesOfIntegers) {
  EXPECT_EQ(lowest(Dtype::i64), INT64_MIN);
  EXPECT_EQ(highest(Dtype::i64), INT64_MAX);
  EXPECT_EQ(lowest(Dtype::i4), -8);
  EXPECT_EQ(highest(Dtype::i2), 1);
  EXPECT_EQ(highest(Dtype::u32), 4294967295);
  EXPECT_EQ(lowest(Dtype::u8), 0);
  EXPECT_EQ(highest(Dtype::boolean), 1);
}

TEST(Dtype, KnowsTheWidths) {
  EXPECT_EQ(bits(Dtype::tf32), 32);
  EXPECT_EQ(bits(Dtype::e2m1), 4);
  EXPECT_EQ(bits(Dtype::i2), 2);
  EXPECT_EQ(bits(Dtype::boolean), 8);
}

TEST(Decimal, IsNormalised) {
  EXPECT_EQ(make_decimal(1500, -2), (Decimal{15, 0}));
  EXPECT_EQ(make_decimal(0, 7), Decimal{});
  EXPECT_EQ(make_decimal(-20, 0), (Decimal{-2, 1}));
}

TEST(Decimal, IsAnIntegerOnlyIfItFits) {
  EXPECT_EQ(to_integer({15, 2}), 1500);
  EXPECT_EQ(to_integer({15, -1}), std::nullopt);
  EXPECT_EQ(to_integer({1, 19}), std::nullopt);
  EXPECT_EQ(to_integer({150, -1}), 15);
}

TEST(Decimal, BecomesTheNearestDouble) {
  EXPECT_EQ(to_double({1, -1}), 0.1);
  EXPECT_EQ(to_double({9007199254740993, 0}), 9007199254740992.0);
  EXPECT_EQ(to_double({1, 400}), std::numeric_limits<double>::infinity());
}

TEST(Expression, IgnoresPlacesAndUnusedParts) {
  Expression a = integer(3), b = integer(3);
  b.location = {7, 7};
  b.name = "unused";
  EXPECT_EQ(a, b);
  EXPECT_NE(cast(Dtype::f16, a), cast(Dtype::bf16, a));
  EXPECT_NE(variable("a"), variable("b"));
}

TEST(Program, LabelsStatementsByOpcodeInTextualOrder) {
  const auto file = parse(
      "tile 1 program t { map y[0] = 1 for i in 0..2 seq { load y[0] = 2 if i < 1 { map y[0] = 3 } else { map y[0] = 4 } } load "
      "y[0] = 5 }",
      "t");
  ASSERT_TRUE(file);
  std::vector<std::string> labels;
  for (const auto& [statement, label] : labelled_statements(file->programs[0]))
    labels.push_back(label + "=" + print(statement->value));
  EXPECT_EQ(labels, (std::vector<std::string>{"map#1=1", "load#1=2", "map#2=3", "map#3=4", "load#2=5"}));
}

TEST(Diagnostic, LeavesOutAPlaceThatIsNone) {
  EXPECT_EQ(to_string({"f", {}, "what", ""}), "f: error: what");
  EXPECT_EQ(to_string({"f", {3, 4}, "what", "mend"}), "f:3:4: error: what; mend");
}

TEST(Suggestion, FindsSwappedLettersAndCapitals) {
  const std::vector<std::string_view> words{"sbuf", "psum", "dram"};
  EXPECT_EQ(nearest("sbfu", words), "sbuf");
  EXPECT_EQ(nearest("PSUM", words), "psum");
  EXPECT_EQ(nearest("vector", words), std::nullopt);
}

TEST(Shortened, EndsAtTheEndOfAWordOrOfACharacter) {
  EXPECT_EQ(shortened("one two", 7), "one two");
  EXPECT_EQ(shortened("one two three", 12), "one two...");
  EXPECT_EQ(shortened("one two three", 10), "one two...");
  EXPECT_EQ(shortened("one two three", 9), "one...");
  EXPECT_EQ(shortened("onetwothree", 9), "onetwo...");
  EXPECT_EQ(shortened("\xC3\xB6\xC3\xB6\xC3\xB6\xC3\xB6", 6), "\xC3\xB6...");
}

TEST(Suggestion, SeesNoLikenessBetweenSingleLetters) {
  EXPECT_EQ(nearest("a", std::vector<std::string_view>{"b"}), std::nullopt);
}

TEST(Reserved, LetsOpcodesBeSomeWordsOfTheLanguage) {
  for (const char* word : {"reduce", "select", "max", "exp", "cast", "matmul"}) EXPECT_TRUE(is_opcode(word)) << word;
  for (const char* word : {"for", "start", "f32", "mod", "9a", "a-b", ""}) EXPECT_FALSE(is_opcode(word)) << word;
}

std::optional<Interval> interval_of(std::string_view text) {
  const auto file = parse("tile 1 program t { map y[0] = " + std::string(text) + " }", "t");
  return interval(std::get<Statement>(file->programs[0].body[0].node).value, [](std::string_view name) {
    return name == "p" ? std::optional(Interval{-2, 5}) : name == "q" ? std::optional(Interval{3, 4}) : std::nullopt;
  });
}

TEST(Interval, BoundsEachOperator) {
  EXPECT_EQ(interval_of("p + q"), (Interval{1, 9}));
  EXPECT_EQ(interval_of("p - q"), (Interval{-6, 2}));
  EXPECT_EQ(interval_of("p * q"), (Interval{-8, 20}));
  EXPECT_EQ(interval_of("-p"), (Interval{-5, 2}));
  EXPECT_EQ(interval_of("p floordiv q"), (Interval{-1, 1}));
  EXPECT_EQ(interval_of("p mod q"), (Interval{0, 3}));
  EXPECT_EQ(interval_of("q mod 8"), (Interval{3, 4}));
  EXPECT_EQ(interval_of("-7 mod 4"), (Interval{1, 1}));
  EXPECT_EQ(interval_of("min(p, 3)"), (Interval{-2, 3}));
  EXPECT_EQ(interval_of("max(p, 3)"), (Interval{3, 5}));
  EXPECT_EQ(interval_of("select(p < 3, p, q)"), (Interval{-2, 5}));
}

TEST(Interval, KnowsNothingOfOtherNamesAndDivisors) {
  EXPECT_EQ(interval_of("r + 1"), std::nullopt);
  EXPECT_EQ(interval_of("q floordiv p"), std::nullopt);
  EXPECT_EQ(interval_of("exp(p)"), std::nullopt);
}

TEST(Interval, Saturates) {
  EXPECT_EQ(interval_of("9223372036854775807 + q"), (Interval{INT64_MAX, INT64_MAX}));
  EXPECT_EQ(interval_of("9223372036854775807 * p"), (Interval{INT64_MIN, INT64_MAX}));
}

}  // namespace
}  // namespace tileproof::ir
