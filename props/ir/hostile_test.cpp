// Text that was not meant well ends in errors: soon, with a place, without a crash.
#include "props/ir/verified.h"

#include <gtest/gtest.h>

namespace tileproof::ir {
namespace {

std::string repeated(std::string_view part, size_t count) {
  std::string text;
  text.reserve(part.size() * count);
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string in_program(std::string_view items) { return "tile 1\nprogram t {\n" + std::string(items) + "\n}\n"; }
std::string in_value(std::string_view value) { return in_program("map y[0] = " + std::string(value)); }

constexpr size_t many = 2'000'000;

TEST(Hostile, EmptyText) { EXPECT_EQ(errors_of_text("").size(), 1U); }

TEST(Hostile, OnlyBlanks) { EXPECT_EQ(errors_of_text(repeated(" \n\t\r", many / 4)).size(), 1U); }

TEST(Hostile, NulByte) {
  EXPECT_EQ(errors_of_text(std::string_view("tile 1\nprogram \0t { }", 20)),
            Errors{"t:2:9: error: a NUL byte; is this a `.tile` text? Save it as UTF-8"});
}

TEST(Hostile, NotUtf8) {
  for (const std::string_view bytes :
       {"\xFF", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xC3", "\xE2\x82"}) {
    EXPECT_EQ(errors_of_text("tile 1\n# " + std::string(bytes)),
              Errors{"t:2:3: error: a byte that is not UTF-8; is this a `.tile` text? Save it as UTF-8"});
  }
}

TEST(Hostile, Utf8InAComment) { EXPECT_TRUE(parse("tile 1 # caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\nprogram t { }", "t")); }

TEST(Hostile, Utf8InAName) { EXPECT_EQ(errors_of_text("tile 1\nprogram caf\xC3\xA9 { }").size(), 1U); }

TEST(Hostile, EveryByteByItself) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    EXPECT_FALSE(errors_of_text(one).empty());
    EXPECT_FALSE(errors_of_text(in_value(one)).empty());
  }
}

TEST(Hostile, EveryPrefixOfAProgram) {
  const std::string text = in_program(
      "param p : 1..4\nbuffer y {a=[1, b]} : f32[p | 4] sbuf out at 0:(p + 1) valid [2, 1..3]\nfor i in 0..3 seq {\nmap y[i, j] "
      "max= select(i < 3, -inf, "
      "cast(bf16, 1e-6)) over j:4 {P} seq where i mod 2 == 1 and j < 3 start i == 0 stop acc f32\n}");
  for (size_t size = 0; size < text.size() - 2; ++size) EXPECT_FALSE(errors_of_text(text.substr(0, size)).empty()) << size;
  EXPECT_TRUE(errors_of_text(text).empty());
}

TEST(Hostile, ManyParentheses) { EXPECT_EQ(errors_of_text(in_value(repeated("(", many))).size(), 1U); }

TEST(Hostile, ManyMinusSigns) { EXPECT_EQ(errors_of_text(in_value(repeated("-", many))).size(), 1U); }

TEST(Hostile, ManyNots) { EXPECT_EQ(errors_of_text(in_value(repeated("not ", many / 4))).size(), 1U); }

TEST(Hostile, ManyIndices) { EXPECT_EQ(errors_of_text(in_value(repeated("x[", many / 2))).size(), 1U); }

TEST(Hostile, ManyCalls) { EXPECT_EQ(errors_of_text(in_value(repeated("exp(", many / 4))).size(), 1U); }

TEST(Hostile, ALongSum) {
  EXPECT_EQ(
      errors_of_text(in_value("1" + repeated("+1", many / 2))),
      Errors{"t:3:12: error: the expression is more than 200 operators high; split the statement, or sum over a reduce axis"});
}

TEST(Hostile, ManyConditions) {
  EXPECT_EQ(errors_of_text(in_program("map y[0] = 1 where " + repeated("1<2 and ", many / 8) + "1")).size(), 3U);
}

TEST(Hostile, ManyBlocks) { EXPECT_EQ(errors_of_text(in_program(repeated("group g {", many / 9))).size(), 1U); }

TEST(Hostile, ManyOpeningBraces) { EXPECT_FALSE(errors_of_text(repeated("{", many)).empty()); }

TEST(Hostile, ManyClosingBraces) { EXPECT_FALSE(errors_of_text(in_program(repeated("}", many))).empty()); }

TEST(Hostile, ManySigns) { EXPECT_EQ(errors_of_text(in_program(repeated(")", many))).size(), 1U); }

TEST(Hostile, ManyWrongLines) { EXPECT_EQ(errors_of_text(in_program(repeated("a a\n", many / 4))).size(), TextLimits{}.errors); }

TEST(Hostile, ALongName) {
  const Errors errors = errors_of_text(in_value(repeated("a", 1'000'000)));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_LT(errors[0].size(), 200U);
}

TEST(Hostile, ALongNumber) { EXPECT_EQ(errors_of_text(in_value(repeated("7", 1'000'000))).size(), 1U); }

TEST(Hostile, ALongComment) { EXPECT_TRUE(parse("tile 1 program t { # " + repeated("x", many) + "\n}", "t")); }

TEST(Hostile, ALongTag) {
  EXPECT_EQ(errors_of_text(in_program("map y[0] += 1 over i:4 reduce {" + repeated("a ", many / 2))).size(), 1U);
}

TEST(Hostile, ManyUnknownNames) {
  std::string items;
  for (int i = 0; i < 20'000; ++i)
    items += "buffer a_rather_long_name_" + std::to_string(i) + " : f32[1] sbuf\nmap a_rather_lonk_name_" + std::to_string(i) +
             "[0] = 1\n";
  EXPECT_EQ(errors_of_text(in_program(items)).size(), 20U);
}

TEST(Hostile, TheDeepestTextThatParsesPrintsAndParsesAgain) {
  const int depth = TextLimits{}.depth;
  const std::string blocks = repeated("group g {", static_cast<size_t>(depth) - 1);
  const std::string value =
      repeated("-(1+", static_cast<size_t>(depth) / 2 - 1) + "2" + repeated(")", static_cast<size_t>(depth) / 2 - 1);
  const auto file = parse(in_program(blocks + "map y[0] = " + value + repeated("}", static_cast<size_t>(depth) - 1)), "t");
  ASSERT_TRUE(file) << to_string(file.error()[0]);
  const auto again = parse(print(*file), "t");
  ASSERT_TRUE(again) << to_string(again.error()[0]);
  EXPECT_EQ(*again, *file);
}

TEST(Hostile, OneMoreBlockThanTheLimit) {
  const auto depth = static_cast<size_t>(TextLimits{}.depth);
  EXPECT_FALSE(parse(in_program(repeated("group g {", depth) + repeated("}", depth)), "t"));
}

TEST(Hostile, MoreBytesThanTheLimit) {
  TextLimits limits;
  limits.bytes = 10;
  EXPECT_EQ(errors_of_text("tile 1 program", limits),
            Errors{"t: error: the text has 14 bytes, more than the limit of 10; split it into several files"});
}

TEST(Hostile, MoreNodesThanTheLimit) {
  TextLimits limits;
  limits.nodes = 1000;
  EXPECT_EQ(errors_of_text(in_program(repeated("map y[0] = 1\n", 1000)), limits).size(), 1U);
  EXPECT_EQ(errors_of_text(in_program("map y[" + repeated("1,", 2000) + "1] = 1\n"), limits).size(), 1U);
  EXPECT_EQ(errors_of_text(in_program("map {" + repeated("a ", 2000) + "} y[0] = 1\n"), limits).size(), 1U);
}

TEST(Hostile, ReadingADirectory) { EXPECT_EQ(read_text("/").error().message, "a directory"); }

TEST(Hostile, ReadingWhatIsNotThere) { EXPECT_EQ(read_text("/nowhere/at.all").error().message, "No such file or directory"); }

TEST(Hostile, ReadingAFileWithoutEnd) {
  TextLimits limits;
  limits.bytes = 1 << 20;
  EXPECT_EQ(read_text("/dev/zero", limits).error().message, "more than 1048576 bytes");
}

TEST(Hostile, ReadingAnEmptyFile) { EXPECT_EQ(read_text("/dev/null"), ""); }

}  // namespace
}  // namespace tileproof::ir
