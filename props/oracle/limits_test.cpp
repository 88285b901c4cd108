// The limits of a run: every one of them ends it, wherever it is.
#include "compiler/ir/text.h"
#include "oracle/domain/real.h"
#include "oracle/interpret/kinds.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

using std::chrono::steady_clock;
using RealResult = Run<RealValue>;

class LimitedRun : public testing::Test {
 protected:
  RunOptions options;

  RealResult run(std::string_view body, std::span<const std::string> also = {}) {
    const ir::Program program =
        ir::parse(fmt::format("tile 1 program p {{ buffer x : f32[4] dram in buffer y : f32[4] dram out {} }}", body), "test")
            .value()
            .programs.front();
    options.kinds = common_kinds(program, program);
    Real real({}, {}, 1);
    return run_program(program, real, options, nullptr, also);
  }
};

TEST_F(LimitedRun, CountsStepsOfLoopsThatEvaluateNothing) {
  options.limits.points = 10'000;
  const std::vector<std::string> endless{
      "for b in 0..1000000000000000 seq { }",
      "for b in 0..1000000000000000 par { for c in 0..1000000000 seq { } }",
      "for b in 0..1000000000000000 seq { map y[i] = x[i] over i:4 where b < 0 }",
      "for b in 0..1000000000000000 seq { if b < 0 { map y[i] = x[i] over i:4 } }",
      "for b in 0..1000000000000000 seq { buffer t : f32[1] s }",
      "while 0 < 1 max 1000000000000000 { }",
      "map y[i] = x[i] over i:4, j:1000000000000000 seq where j mod 7 == 9",
  };
  for (const std::string& body : endless) {
    const RealResult result = run(body);
    EXPECT_EQ(result.status, RunStatus::out_of_points) << body;
    EXPECT_EQ(result.points, 0U) << body;
  }
}

TEST_F(LimitedRun, ReportsPointsAlone) {
  const RealResult result = run("for b in 0..1000 seq { } map y[i] = x[i] over i:4");
  EXPECT_EQ(result.status, RunStatus::done);
  EXPECT_EQ(result.points, 4U);
}

TEST_F(LimitedRun, LooksAtTheClockBeforeAnythingElse) {
  options.limits.deadline = steady_clock::now();
  EXPECT_EQ(run("map y[i] = x[i] over i:4").status, RunStatus::out_of_time);
}

TEST_F(LimitedRun, LooksAtTheClockWhileInputsAreMade) {
  const auto begin = steady_clock::now();
  options.limits.deadline = begin + std::chrono::milliseconds(20);
  EXPECT_EQ(run("buffer z : f32[30000000] dram in map y[i] = x[i] over i:4").status, RunStatus::out_of_time);
}

TEST_F(LimitedRun, RefusesBuffersThatDoNotFitTogetherBeforeTouchingAny) {
  const auto begin = steady_clock::now();
  options.limits.bytes = uint64_t{4} << 30;
  const RealResult result =
      run("buffer a : f32[100000000] dram in buffer b : f32[100000000] dram in buffer c : i2[1000000000000000000] dram map y[i] "
          "= x[i] "
          "over i:4");
  EXPECT_EQ(result.status, RunStatus::out_of_memory);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::milliseconds(500));
}

TEST_F(LimitedRun, CountsWhatIsKeptOfAnOutput) {
  // 4 elements of 24 bytes in x, and of 24 + 4 (state) + 4 (writer) + 8 (digest) in y.
  options.limits.bytes = 4 * 24 + 4 * 40;
  EXPECT_EQ(run("map y[i] = x[i] over i:4").status, RunStatus::done);
  --options.limits.bytes;
  EXPECT_EQ(run("map y[i] = x[i] over i:4").status, RunStatus::out_of_memory);
}

TEST_F(LimitedRun, GivesOtherBuffersOnRequest) {
  const std::vector<std::string> also{"x", "t", "y", "inner"};
  const RealResult result =
      run("buffer t : f32[4] s buffer u : f32[4] s map t[i] = 2 * x[i] over i:4 where i < 3 map y[i] = x[i] over i:4 group g { "
          "buffer "
          "inner : f32[1] s }",
          also);
  std::vector<std::string> names;
  for (const Output<RealValue>& output : result.outputs) names.push_back(output.buffer);
  EXPECT_THAT(names, testing::ElementsAre("y", "x", "t"));
  EXPECT_TRUE(Real::is_poison(result.outputs[2].values[3]));
  EXPECT_TRUE(result.findings.empty());
}

}  // namespace
}  // namespace tileproof::oracle
