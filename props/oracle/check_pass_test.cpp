// What a C++ caller's pass makes is checked, however wrong it is.
#include "oracle/equivalence/check_pass.h"

#include "compiler/ir/text.h"

#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

const ir::Program& negation() {
  static const ir::File file = ir::parse(R"(tile 1
program negation {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  map y[i] = -x[i] over i:10
}
)",
                                         "negation")
                                   .value();
  return file.programs.front();
}

ir::Statement& statement_of(ir::Program& program) { return std::get<ir::Statement>(program.body.back().node); }

TEST(CheckPass, PassesWhatMeansTheSame) {
  const auto report = check_pass(negation(), [](ir::Program program) { return program; });
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, Verdict::tested);
}

TEST(CheckPass, RefutesWhatDoesNot) {
  const auto report = check_pass(negation(), [](ir::Program program) {
    statement_of(program).value = ir::read("x", {ir::variable("i")});
    return program;
  });
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, Verdict::refuted);
}

TEST(CheckPass, GivesDiagnosticsForWhatIsNotWellFormed) {
  const auto report = check_pass(negation(), [](ir::Program program) {
    statement_of(program).value = ir::read("nowhere", {ir::variable("i")});
    return program;
  });
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().front().file, "tiled");
}

TEST(CheckPass, GivesDiagnosticsForAnotherInterface) {
  const auto report = check_pass(negation(), [](ir::Program program) {
    std::get<ir::Buffer>(program.body.front().node).extents = {ir::integer(12)};
    return program;
  });
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().front().file, "tiled");
}

}  // namespace
}  // namespace tileproof::oracle
