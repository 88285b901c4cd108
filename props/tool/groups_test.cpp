// `tileproof groups`: what its page shows, and what it says to wrong input.
#include "props/tool/process.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tileproof::tool {
namespace {

TEST(Groups, AreWhatThePageShows) {
  const Finished finished = tileproof({"groups", "corpus/real/attention_softmax.tile", "--machine", "trn2"});
  EXPECT_EQ(finished.exit, 0) << finished.errors;
  std::stringstream page;
  page << std::ifstream("docs/penguin.md").rdbuf();
  EXPECT_NE(page.str().find("attention_softmax.tile --machine trn2\n" + finished.output + "```"), std::string::npos)
      << finished.output;
}

TEST(Groups, SayWhatHasNoLayout) {
  const std::string scatter =
      "tile 1\nprogram p {\nbuffer x : f32[9] dram in\nbuffer k : i32[9] dram in range 0..9\n"
      "buffer y : f32[9] dram out\nscatter y[k[i]] = x[i] over i:9\n}\n";
  const Finished finished = tileproof({"groups", "-", "--machine", "trn2"}, {.input = scatter});
  EXPECT_EQ(finished.exit, 0) << finished.errors;
  EXPECT_EQ(finished.output, "p\n  no layout  scatter#1\n");
}

TEST(Groups, WantAMachine) {
  const Finished finished = tileproof({"groups", "corpus/real/gather_rows.tile"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_NE(finished.errors.find("--machine: error: layouts are of a machine, and none is named; name one"), std::string::npos)
      << finished.errors;
}

TEST(Groups, WantAPipelineThatExists) {
  const Finished finished =
      tileproof({"groups", "corpus/real/gather_rows.tile", "--machine", "trn2", "--pipeline", "par-axis-annotation"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_NE(finished.errors.find("par-axes-annotation"), std::string::npos) << finished.errors;
}

TEST(Groups, OfWhatAPassRefusesAreUnsupported) {
  const Finished finished = tileproof(
      {"groups", "corpus/real/add_256x1024.tile", "--machine", "trn2", "--pipeline", "bf-compute-cutting{pg-tile-size=100000}"});
  EXPECT_EQ(finished.exit, 3);
  EXPECT_NE(finished.errors.find("pass bf-compute-cutting"), std::string::npos) << finished.errors;
}

}  // namespace
}  // namespace tileproof::tool
