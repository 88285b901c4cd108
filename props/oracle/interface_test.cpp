// When two programs have the same parameters and the same outer buffers.
#include "oracle/equivalence/interface.h"

#include "compiler/ir/text.h"
#include "oracle/equivalence/check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

ir::Program with_input(std::string_view declaration) {
  return ir::parse(fmt::format("tile 1 program p {{ param n : 1..9  buffer x : {}  buffer y : f32[1] dram out  map y[0] = 1 }}",
                               declaration),
                   "test")
      .value()
      .programs.front();
}

bool are_same(std::string_view a, std::string_view b) { return interface_differences(with_input(a), with_input(b)).empty(); }

TEST(Interface, ComparesConstantsByTheirValue) {
  EXPECT_TRUE(are_same("f32[2*2] dram in", "f32[4] dram in"));
  EXPECT_TRUE(are_same("u8[3] dram in range 0..(2+3)", "u8[3] dram in range 0..5"));
  EXPECT_TRUE(are_same("f32[n + 1] dram in", "f32[n + 1] dram in"));
  EXPECT_FALSE(are_same("f32[2*2] dram in", "f32[5] dram in"));
  EXPECT_FALSE(are_same("f32[2, 2] dram in", "f32[4] dram in"));
  EXPECT_FALSE(are_same("f32[4] dram in", "bf16[4] dram in"));
  EXPECT_FALSE(are_same("f32[n + 1] dram in", "f32[n + 2] dram in"));
  EXPECT_FALSE(are_same("u8[3] dram in range 0..(2+3)", "u8[3] dram in range 0..6"));
  EXPECT_FALSE(are_same("u8[3] dram in range 0..5", "u8[3] dram in"));
}

TEST(Warning, SaysWhereAnElementIsOverwritten) {
  const ir::Program plain = ir::parse("tile 1 program p { buffer y : f32[1] dram out\n map y[0] = 1 }", "test")->programs.front();
  const ir::Program twice =
      ir::parse("tile 1 program p { buffer y : f32[1] dram out\n map y[0] = 2\n map y[0] = 1 }", "test")->programs.front();
  const CheckReport report = check(plain, twice, {}).value();
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].location.line, 3U);
}

}  // namespace
}  // namespace tileproof::oracle
