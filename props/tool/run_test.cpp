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
  for (const std::string word : {"n", "n=", "n=x", "m=1", "n=1", "n=10", "=3"}) {
    const Finished finished = tileproof({"run", path, "--param", word});
    EXPECT_EQ(finished.exit, 2) << word;
    EXPECT_THAT(finished.errors, HasSubstr("--param: error: ")) << word;
  }
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
}

}  // namespace
}  // namespace tileproof::tool
