// The structured mutator: an edited program is the text of a program, and the edits reach everything.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/mutate/mutate.h"
#include "fuzz/property/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace tileproof::fuzz {
namespace {

constexpr size_t most = 1 << 16;

std::vector<std::string> texts_under(const std::string& folder) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".tile") texts.push_back(ir::read_text(entry.path().string()).value());
  std::ranges::sort(texts);
  return texts;
}

RC_GTEST_PROP(Mutation, OfAProgramIsTheTextOfAProgram, (uint64_t seed)) {
  static const std::vector<std::string> texts = texts_under("corpus/odd");
  Choices choices = Choices::from_seed(seed);
  std::string text = choices.pick(texts);
  for (int generation = 0; generation < 8; ++generation) {
    const auto edited = mutate_text(text, most, choices);
    if (!edited) break;
    const auto file = ir::parse(*edited, "edited");
    if (!file) RC_FAIL(ir::to_string(file.error().front()) + "\n" + *edited);
    RC_ASSERT(ir::print(*file) == *edited);
    RC_ASSERT(broken_by_text(*edited) == "");
    text = *edited;
  }
}

RC_GTEST_PROP(Mutation, DependsOnNothingButTheChoices, (uint64_t seed)) {
  static const std::string text = texts_under("corpus/odd").front();
  Choices one = Choices::from_seed(seed), other = Choices::from_seed(seed);
  RC_ASSERT(mutate_text(text, most, one) == mutate_text(text, most, other));
}

TEST(Mutation, ChangesNearlyEveryProgramItIsGiven) {
  const std::vector<std::string> texts = texts_under("corpus/real");
  int changed = 0, well_formed = 0;
  std::set<std::string> edited;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Choices choices = Choices::from_seed(seed);
    const std::string canonical = ir::print(ir::parse(choices.pick(texts), "text").value());
    const auto text = mutate_text(canonical, most, choices);
    ASSERT_TRUE(text.has_value());
    changed += *text != canonical;
    well_formed += ir::verify(ir::parse(*text, "edited").value()).empty();
    edited.insert(*text);
  }
  EXPECT_GT(changed, 1700);
  EXPECT_GT(edited.size(), 1500U);
  EXPECT_GT(well_formed, 200) << "so that what lies behind the verifier could be reached as well";
  EXPECT_LT(well_formed, 1800);
}

TEST(Mutation, LeavesToTheEngineWhatIsNoProgram) {
  Choices choices = Choices::from_seed(1);
  EXPECT_EQ(mutate_text("tile 1 program p {", most, choices), std::nullopt);
  EXPECT_EQ(mutate_text("", most, choices), std::nullopt);
}

TEST(Mutation, KeepsWithinTheBytesThatItIsGiven) {
  const std::string text = ir::print(ir::parse(texts_under("corpus/real").front(), "text").value());
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Choices choices = Choices::from_seed(seed);
    ASSERT_LE(mutate_text(text, text.size(), choices).value_or("").size(), text.size());
  }
}

TEST(Mutation, NeverNestsBeyondWhatTheParserTakes) {
  std::string text = "tile 1\nprogram p {\n  buffer x : f32[4] dram inout\n  map x[i] = x[i] + 1 over i:4\n}\n";
  Choices choices = Choices::from_seed(7);
  for (int generation = 0; generation < 3000; ++generation)
    if (const auto edited = mutate_text(text, 4096, choices)) text = *edited;
  EXPECT_TRUE(ir::parse(text, "text").has_value());
}

}  // namespace
}  // namespace tileproof::fuzz
