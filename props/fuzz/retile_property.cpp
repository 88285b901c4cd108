// Right pairs by construction, over choices that RapidCheck draws and shrinks.
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/generate/distribution.h"
#include "fuzz/retile/retile.h"
#include "oracle/equivalence/interface.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tileproof {
namespace {

std::vector<uint8_t> any_bytes() { return *rc::gen::scale(10.0, rc::gen::arbitrary<std::vector<uint8_t>>()); }

RC_GTEST_PROP(RetiledPairs, AreWellFormedAndComparableForAnyBytes, ()) {
  const std::vector<uint8_t> bytes = any_bytes();
  fuzz::Choices choices(bytes);
  const fuzz::RetiledPair pair = fuzz::retile(choices);
  for (const ir::Program* program : {&pair.original, &pair.tiled}) {
    const ir::Diagnostics diagnostics = ir::verify(*program, "retiled");
    if (!diagnostics.empty()) RC_FAIL(ir::to_string(diagnostics.front()) + "\n" + ir::print(*program));
  }
  RC_ASSERT(oracle::interface_differences(pair.original, pair.tiled).empty());
}

RC_GTEST_PROP(RetiledPairs, DependOnNothingButTheChoices, ()) {
  const std::vector<uint8_t> bytes = any_bytes();
  fuzz::Choices one(bytes), other(bytes);
  const fuzz::RetiledPair a = fuzz::retile(one), b = fuzz::retile(other);
  RC_ASSERT(a.original == b.original);
  RC_ASSERT(a.tiled == b.tiled);
}

struct Made {
  fuzz::Distribution originals, tiled;
  std::map<std::string, double> rewritings;   ///< in percent
};

Made made(uint64_t pairs) {
  Made result;
  for (uint64_t seed = 0; seed < pairs; ++seed) {
    fuzz::Choices choices = fuzz::Choices::from_seed(seed);
    const fuzz::RetiledPair pair = fuzz::retile(choices);
    result.originals.add(pair.original);
    result.tiled.add(pair.tiled);
    for (const std::string& rewriting : pair.rewritings) result.rewritings[rewriting] += 100.0 / static_cast<double>(pairs);
    if (pair.rewritings.empty()) result.rewritings["identity"] += 100.0 / static_cast<double>(pairs);
  }
  return result;
}

/// At least so many percent of the pairs. The figures are about half of what the generator made when they were set.
constexpr std::pair<const char*, double> rewriting_floors[] = {
    {"identity", 5},          {"split", 40},           {"tail", 30},      {"clamped tail", 5},
    {"strip-mine", 6},        {"interchange", 18},     {"rfactor", 6},    {"partial results", 27},
    {"localize operand", 37}, {"localize result", 36}, {"window", 19},    {"hoist", 7},
    {"unequal parts", 9},     {"relayout", 6},         {"view", 5},       {"fuse", 7},
    {"address", 30},          {"partitions", 20},      {"wider tile", 4},
};

constexpr std::pair<const char*, double> original_floors[] = {
    {"update +=", 18},    {"update max=", 10}, {"update min=", 7}, {"update *=", 6},  {"update and=", 1.8}, {"update or=", 1.8},
    {"update xor=", 1.8}, {"dtype f32", 12},   {"dtype bf16", 12}, {"dtype f16", 5},  {"dtype tf32", 4},    {"dtype f64", 4},
    {"dtype e4m3", 4},    {"dtype e4m3fn", 4}, {"dtype e5m2", 4},  {"dtype e8m0", 4}, {"dtype e2m1", 4},    {"dtype i64", 3},
    {"dtype i32", 10},    {"dtype i16", 3},    {"dtype i8", 3},    {"dtype i4", 3},   {"dtype i2", 3},      {"dtype u32", 3},
    {"dtype u16", 3},     {"dtype u8", 3},     {"dtype bool", 4},  {"gather", 7},     {"select", 14},       {"function", 5},
    {"cast", 2.5},        {"parameter", 3.5},  {"where", 2.5},     {"role inout", 5},
};

constexpr std::pair<const char*, double> tiled_floors[] = {
    {"loop seq", 35}, {"loop par", 20}, {"loop shard", 15}, {"loop thread", 15}, {"axis seq", 8}, {"view", 5},
};

TEST(DistributionOfRetiledPairs, KeepsItsFloors) {
  const Made pairs = made(4000);
  for (const auto& [rewriting, floor] : rewriting_floors) {
    const auto found = pairs.rewritings.find(rewriting);
    EXPECT_GE(found == pairs.rewritings.end() ? 0 : found->second, floor) << rewriting;
  }
  for (const auto& [feature, floor] : original_floors)
    EXPECT_GE(pairs.originals.percent(feature), floor) << feature << "\n" << pairs.originals.print();
  for (const auto& [feature, floor] : tiled_floors)
    EXPECT_GE(pairs.tiled.percent(feature), floor) << feature << "\n" << pairs.tiled.print();
}

}  // namespace
}  // namespace tileproof
