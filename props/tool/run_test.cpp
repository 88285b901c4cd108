#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tileproof::tool {
namespace {

using testing::HasSubstr;

class Run : public testing::Test {
 protected:
  ScratchFolder scratch;

  nlohmann::json record(std::string_view program, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run", scratch.file("program.tile", program), "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(tileproof(words).output, nullptr, false);
  }
};

constexpr std::string_view counting = R"(tile 1
program counting {
  param n : 2..9
  buffer y : i32[n] dram out
  map y[i] = 3 * i over i:n
}
)";

TEST_F(Run, PrintsTheFirstElements) {
  const auto run = record(counting, {"--param", "n=9", "--elements", "4"});
  EXPECT_EQ(run["outputs"][0]["elements"], (std::vector<std::string>{"0", "3", "6", "9"}));
  EXPECT_EQ(run["outputs"][0]["count"], 9);
}

TEST_F(Run, TakesTheLowestParametersUnlessTold) { EXPECT_EQ(record(counting)["parameters"]["n"], 2); }

TEST_F(Run, RefusesParametersThatDoNotFit) {
  const std::string path = scratch.file("program.tile", counting);
  for (const std::string word : {"n", "n=", "n=x", "m=1", "n=1", "n=10", "=3", "n=3,", "n=3,n=3"}) {
    const Finished finished = tileproof({"run", path, "--param", word});
    EXPECT_EQ(finished.exit, 2) << word;
    EXPECT_THAT(finished.errors, HasSubstr("--param: error: ")) << word;
  }
}

constexpr std::string_view two_parameters = R"(tile 1
program p {
  param n : 1..9
  param m : 1..9
  buffer y : i32[2] dram out
  map y[i] = select(i == 0, n, m) over i:2
}
)";

TEST_F(Run, TakesParametersOneByOneOrTogether) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--param", "n=3", "--param", "m=4"}, {"--param=m=4", "--param=n=3"}, {"--param", "n=3,m=4"}}) {
    EXPECT_EQ(record(two_parameters, words)["outputs"][0]["elements"], (std::vector<std::string>{"3", "4"}));
  }
}

TEST_F(Run, RefusesAParameterThatIsGivenTwice) {
  const Finished finished = tileproof({"run", scratch.file("p.tile", two_parameters), "--param", "n=3", "--param", "n=3"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_EQ(finished.errors, "--param: error: `n` is given twice; give each parameter one value\n");
}

constexpr std::string_view halves = R"(tile 1
program halves {
  buffer x : bf16[4] dram in
  buffer y : f32[4] dram out
  buffer t : f32[4] sbuf
  for b in 0..2 par {
    buffer inner : f32[1] sbuf
    map inner[0] = b
  }
  map t[i] = 0.1 * i over i:4 where i < 3
  map y[i] = x[i] / 3 over i:4
}
)";

TEST_F(Run, ShowsOtherBuffersAsTheyAreInTheEnd) {
  for (const std::string domain : {"ieee", "real", "field"}) {
    const auto plain = record(halves, {"--domain", domain});
    const auto run = record(halves, {"--domain", domain, "--show", "t", "--show", "x"});
    ASSERT_EQ(run["outputs"].size(), 3U);
    EXPECT_EQ(run["outputs"][0]["buffer"], "x");
    EXPECT_EQ(run["outputs"][1], plain["outputs"][0]);
    EXPECT_EQ(run["outputs"][2]["buffer"], "t");
    EXPECT_EQ(run["outputs"][2]["elements"][3], "undefined");
    EXPECT_EQ(run["verdict"], "done");
  }
}

TEST_F(Run, RefusesToShowWhatIsGoneInTheEnd) {
  const Finished finished = tileproof({"run", scratch.file("p.tile", halves), "--show", "inner"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_EQ(finished.errors, "--show: error: no buffer outside of all blocks is called `inner`; show one of x, y, t\n");
}

TEST_F(Run, PrintsADecimalThatIsTheValue) {
  const auto run = record(halves, {"--show", "t", "--show", "x"});
  EXPECT_EQ(run["outputs"][2]["elements"], (std::vector<std::string>{"0", "0.1", "0.2", "undefined"}));
  for (const std::string text : run["outputs"][1]["elements"]) EXPECT_LE(text.size(), 14U) << text;
  const auto powers = record(R"(tile 1
program powers {
  buffer y : e8m0[3] dram out
  buffer z : bf16[1] dram out
  set y[0] = 256
  set y[1] = 1024
  set y[2] = 0.125
  set z[0] = 65536
}
)",
                             {});
  EXPECT_EQ(powers["outputs"][0]["elements"], (std::vector<std::string>{"256", "1024", "0.125"}));
  EXPECT_EQ(powers["outputs"][1]["elements"], (std::vector<std::string>{"65536"}));
}

TEST_F(Run, SaysThatAPatternChangesNothing) {
  const std::string path = scratch.file("p.tile", twice);
  const std::string note = "note: --pattern highest changes nothing";
  EXPECT_THAT(tileproof({"run", path, "--pattern", "highest"}).output, HasSubstr(note));
  EXPECT_THAT(tileproof({"run", path, "--pattern", "highest", "--format", "json"}).errors, HasSubstr(note));
  EXPECT_THAT(tileproof({"run", path}).output, testing::Not(HasSubstr("note:")));
}

TEST_F(Run, GivesOneDigestInEveryOrder) {
  for (const std::string domain : {"field", "real", "ieee"}) {
    const auto forward = record(twice_in_tiles, {"--domain", domain});
    EXPECT_EQ(forward["outputs"], record(twice_in_tiles, {"--domain", domain, "--order", "reversed"})["outputs"]) << domain;
    EXPECT_EQ(forward["outputs"], record(twice_in_tiles, {"--domain", domain, "--order", "shuffled"})["outputs"]) << domain;
  }
}

TEST_F(Run, GivesOtherInputsForAnotherSeed) {
  EXPECT_NE(record(twice, {"--seed", "1"})["outputs"], record(twice, {"--seed", "2"})["outputs"]);
}

TEST_F(Run, SaysWhatItFound) {
  const Finished finished = tileproof({"run", scratch.file("program.tile", twice_without_the_last)});
  EXPECT_EQ(finished.exit, 1);
  EXPECT_THAT(finished.output, HasSubstr("finding: not-written (TP104)"));
}

TEST_F(Run, StopsAtItsLimits) {
  const std::string path = scratch.file("program.tile", endless);
  EXPECT_EQ(tileproof({"run", path, "--max-points", "10K"}).exit, 3);
  EXPECT_EQ(tileproof({"run", path, "--max-points", "1000T", "--timeout", "0.2"}).exit, 3);
  EXPECT_EQ(tileproof({"run", scratch.file("huge.tile", huge), "--max-memory", "1M"}).exit, 3);
  EXPECT_EQ(tileproof({"run", scratch.file("huge.tile", huge)}).exit, 3);
}

TEST_F(Run, EndsALoopInWhichNothingIsEvaluated) {
  const Finished finished = tileproof(
      {"run",
       scratch.file(
           "p.tile",
           "tile 1\nprogram p {\n  buffer y : f32[1] dram out\n  for b in 0..1000000000000000 seq { }\n  map y[0] = 1\n}\n"),
       "--max-points", "1M"});
  EXPECT_EQ(finished.exit, 3);
  EXPECT_THAT(finished.output, testing::StartsWith("timeout: more statement points, and steps of loops without one, than"));
  EXPECT_THAT(finished.output, HasSubstr("  0 points\n"));
}

TEST_F(Run, TimesOutInNoTime) {
  const Finished finished = tileproof({"run", scratch.file("p.tile", twice), "--timeout", "0.000001"});
  EXPECT_EQ(finished.exit, 3);
  EXPECT_THAT(finished.output, testing::StartsWith("timeout: the time is over; raise --timeout\n"));
}

}  // namespace
}  // namespace tileproof::tool
