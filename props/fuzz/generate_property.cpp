// The generator of programs, over choices that RapidCheck draws and shrinks.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/generate/distribution.h"
#include "fuzz/generate/generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tileproof {
namespace {

using fuzz::Choices;
using Wildness = fuzz::GenerateOptions::Wildness;

ir::Program generated(const std::vector<uint8_t>& bytes, Wildness wildness) {
  Choices choices(bytes);
  return fuzz::generate_program(choices, {.wildness = wildness});
}

/// Up to a thousand or so: enough for the largest programs.
std::vector<uint8_t> any_bytes() { return *rc::gen::scale(10.0, rc::gen::arbitrary<std::vector<uint8_t>>()); }

RC_GTEST_PROP(GeneratedPrograms, AreWellFormedForAnyBytes, (bool is_wild)) {
  const std::vector<uint8_t> bytes = any_bytes();
  const ir::Program program = generated(bytes, is_wild ? Wildness::wild : Wildness::legal_only);
  const ir::Diagnostics diagnostics = ir::verify(program, "generated");
  if (!diagnostics.empty()) RC_FAIL(ir::to_string(diagnostics.front()) + "\n" + ir::print(program));
}

RC_GTEST_PROP(GeneratedPrograms, DependOnNothingButTheChoices, (bool is_wild)) {
  const std::vector<uint8_t> bytes = any_bytes();
  const Wildness wildness = is_wild ? Wildness::wild : Wildness::legal_only;
  RC_ASSERT(generated(bytes, wildness) == generated(bytes, wildness));
}

RC_GTEST_PROP(GeneratedPrograms, SurvivePrintingAndParsing, (uint64_t seed)) {
  Choices choices = Choices::from_seed(seed);
  const ir::Program program = fuzz::generate_program(choices, {.wildness = Wildness::wild});
  const std::string text = ir::print(program);
  const auto file = ir::parse(text, "printed");
  if (!file) RC_FAIL(ir::to_string(file.error().front()) + "\n" + text);
  RC_ASSERT(file->programs.size() == 1U);
  RC_ASSERT(file->programs.front() == program);
  RC_ASSERT(ir::print(file->programs.front()) == text);
}

TEST(GeneratedPrograms, ExistForNoBytesAtAll) {
  const ir::Program program = generated({}, Wildness::legal_only);
  EXPECT_TRUE(ir::verify(program, "generated").empty());
  EXPECT_EQ(labelled_statements(program).size(), 1U) << "a zero is the simplest choice";
}

TEST(Choices, OfOneSeedAreTheSameUnderEveryCompiler) {
  Choices choices = Choices::from_seed(1);
  EXPECT_EQ(choices.below(1000), 528U);   // std::mt19937_64 is fixed by the standard; distributions are not, and are not used
  EXPECT_EQ(choices.below(1000), 462U);
  EXPECT_EQ(choices.between(-5, 5), -5);
}

TEST(Choices, AreZerosWhenTheBytesHaveRunOut) {
  const std::vector<uint8_t> bytes{7};
  Choices choices(bytes);
  EXPECT_EQ(choices.below(10), 7U);
  EXPECT_EQ(choices.below(10), 0U);
  EXPECT_FALSE(choices.chance(99));
  EXPECT_EQ(choices.extent(100), 2);
}

fuzz::Distribution distribution_of(uint64_t programs, Wildness wildness) {
  fuzz::Distribution distribution;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    Choices choices = Choices::from_seed(seed);
    distribution.add(fuzz::generate_program(choices, {.wildness = wildness}));
  }
  return distribution;
}

/// At least so many percent of the programs. The figures are about half of what the generator made when they were set.
constexpr std::pair<const char*, double> floors[] = {
    {"loop seq", 35},
    {"loop par", 25},
    {"loop shard", 15},
    {"loop thread", 15},
    {"axis parallel", 50},
    {"axis reduce", 25},
    {"axis seq", 30},
    {"update +=", 18},
    {"update max=", 8},
    {"update min=", 5},
    {"update *=", 0.8},
    {"update and=", 0.8},
    {"update or=", 0.8},
    {"update xor=", 0.8},
    {"dtype f32", 25},
    {"dtype bf16", 18},
    {"dtype f16", 8},
    {"dtype i8", 20},
    {"dtype i4", 8},
    {"dtype i2", 8},
    {"dtype bool", 10},
    {"dtype f64", 12},
    {"dtype e4m3", 8},
    {"role inout", 12},
    {"view", 22},
    {"write through view", 15},
    {"view of view", 0.3},
    {"address", 40},
    {"bar", 30},
    {"valid", 5},
    {"range", 35},
    {"where", 30},
    {"start", 18},
    {"stop", 6},
    {"acc", 4},
    {"clobbers", 2},
    {"gather", 15},
    {"scatter", 3},
    {"select", 30},
    {"cast", 12},
    {"function", 10},
    {"if", 5},
    {"while", 5},
    {"group", 5},
    {"move", 5},
    {"opaque", 5},
    {"parameter", 25},
    {"local buffer", 20},
    {"empty axis", 0.3},
    {"1 statement", 6},
    {"6+ statements", 12},
};

TEST(DistributionOfGeneratedPrograms, KeepsItsFloors) {
  for (const Wildness wildness : {Wildness::legal_only, Wildness::wild}) {
    const fuzz::Distribution distribution = distribution_of(2000, wildness);
    for (const auto& [feature, floor] : floors)
      EXPECT_GE(distribution.percent(feature), floor) << feature << "\n" << distribution.print();
  }
}

TEST(Distribution, MergesCounts) {
  fuzz::Distribution both = distribution_of(10, Wildness::legal_only);
  const fuzz::Distribution once = both;
  both.merge(once);
  EXPECT_EQ(both.programs, 20U);
  EXPECT_DOUBLE_EQ(both.percent("role out"), 100);
  EXPECT_DOUBLE_EQ(both.percent("loop par"), once.percent("loop par"));
}

}  // namespace
}  // namespace tileproof
