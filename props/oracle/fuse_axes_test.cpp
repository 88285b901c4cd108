// Axes that are walked as one: as many points as before, in 64 bits.
#include "compiler/ir/text.h"
#include "oracle/equivalence/check.h"

#include <gtest/gtest.h>

namespace tileproof {
namespace {

oracle::Verdict verdict(std::string_view statement, std::string_view other) {
  const auto program = [](std::string_view text) {
    return ir::parse(
               "tile 1\nprogram p {\n  buffer x : f32[4] dram in\n  buffer y : f32[1] dram out\n  " + std::string(text) + "\n}\n",
               "p")
        ->programs.front();
  };
  oracle::CheckOptions options;
  options.max_points = 1'000'000;
  return oracle::check(program(statement), program(other), options)->verdict;
}

TEST(FuseAxes, DoesNotLoseTheCountOfPointsThat64BitsDoNotHold) {
  EXPECT_EQ(verdict("reduce y[0] += x[0] over i:4294967296 reduce, j:4294967296 reduce start", "map y[0] = 0"),
            oracle::Verdict::timeout);
  EXPECT_EQ(verdict("reduce y[0] max= x[0] over i:4611686018427387905 reduce, j:4 reduce start", "map y[0] = x[0]"),
            oracle::Verdict::timeout);
}

TEST(FuseAxes, CountsEachPointOnce) {
  EXPECT_EQ(verdict("reduce y[0] += x[0] over i:1000 reduce, j:30 reduce start", "map y[0] = 30000 * x[0]"),
            oracle::Verdict::tested);
  EXPECT_EQ(verdict("reduce y[0] += x[0] over i:1000 reduce, j:30 reduce start", "map y[0] = 29999 * x[0]"),
            oracle::Verdict::refuted);
}

}  // namespace
}  // namespace tileproof
