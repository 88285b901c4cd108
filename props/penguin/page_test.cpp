// docs/penguin.md shows what the passes make, and lists what they can say and be told.
#include "props/penguin/corpus_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace tileproof::penguin {
namespace {

using testing::HasSubstr;

const std::string& page() {
  static const std::string text = *ir::read_text("docs/penguin.md");
  return text;
}

/// What stands between `head` with a fence behind it, and the closing fence.
std::string block(const std::string& head) {
  const size_t begin = page().find(head + "\n\n```\n");
  if (begin == std::string::npos) return "";
  const size_t first = page().find("```\n", begin) + 4;
  return page().substr(first, page().find("```", first) - first);
}

TEST(PenguinPage, BeginsWithAProgramOfTheCorpus) {
  const std::string quoted = block("as it is given:");
  ASSERT_NE(quoted, "");
  EXPECT_THAT(*ir::read_text("corpus/real/matmul_bias_relu.tile"), HasSubstr(quoted));
}

TEST(PenguinPage, QuotesWhatEachPassMakes) {
  const machine::Machine machine = *machine::find_machine("trn2");
  std::string steps;
  for (const pipeline::Pass& pass : passes()) {
    steps += (steps.empty() ? "" : ",") + pass.name;
    const std::string quoted = block("`" + pass.name + "` makes");
    ASSERT_NE(quoted, "") << pass.name;
    EXPECT_THAT(ir::print(compiled(corpus_program("matmul_bias_relu"), steps, machine).program), HasSubstr(quoted));
  }
}

/// The part of the page below `## TITLE`.
std::string section(const std::string& title) {
  const size_t begin = page().find("\n## " + title + "\n");
  return begin == std::string::npos ? "" : page().substr(begin, page().find("\n## ", begin + 1) - begin);
}

std::ptrdiff_t rows(const std::string& text) {
  std::ptrdiff_t count = 0;
  for (size_t at = text.find("\n| `"); at != std::string::npos; at = text.find("\n| `", at + 1)) ++count;
  return count;
}

TEST(PenguinPage, ListsEachRemarkWithItsMeaning) {
  const std::string remarks = section("Remarks");
  const size_t middle = remarks.find("What they left alone");
  ASSERT_NE(middle, std::string::npos);
  const std::string applied = remarks.substr(0, middle), declined = remarks.substr(middle);
  std::set<std::string> words;
  for (const pipeline::Pass& pass : passes()) {
    for (const pipeline::RemarkDeclaration& word : pass.vocabulary) {
      words.insert(word.id);
      EXPECT_THAT(word.kind == pipeline::RemarkKind::applied ? applied : declined,
                  HasSubstr("\n| `" + word.id + "` | " + word.meaning + " |"));
    }
  }
  EXPECT_EQ(rows(remarks), std::ssize(words));
}

TEST(PenguinPage, ListsEachOption) {
  const std::string options = section("Options");
  std::set<std::string> names;
  for (const pipeline::Pass& pass : passes()) {
    for (const pipeline::OptionDeclaration& option : pass.options) {
      names.insert(option.name);
      EXPECT_THAT(options, HasSubstr("\n| `" + option.name + "` | "));
      EXPECT_THAT(options, HasSubstr(option.help));
    }
  }
  EXPECT_EQ(rows(options), std::ssize(names));
}

TEST(PenguinPage, NamesTestsThatThereAre) {
  std::string sources;
  for (const std::string folder : {"props/penguin", "props/transform"})
    for (const auto& file : std::filesystem::directory_iterator(folder)) sources += *ir::read_text(file.path().string());
  const std::string named = section("Where it is tested");
  size_t tests = 0;
  for (size_t begin = named.find('`'); begin != std::string::npos; begin = named.find('`', begin + 1)) {
    const size_t end = named.find('`', begin + 1), dot = named.find('.', begin);
    ASSERT_LT(dot, end);
    const std::string test = named.substr(begin + 1, dot - begin - 1) + ", " + named.substr(dot + 1, end - dot - 1);
    EXPECT_NE(sources.find("(" + test), std::string::npos) << test;
    begin = end;
    ++tests;
  }
  EXPECT_GE(tests, 20u);
}

}  // namespace
}  // namespace tileproof::penguin
