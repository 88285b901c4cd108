// `tileproof cut`: what it prints, and how it refuses.
#include "compiler/machine/machine.h"
#include "props/tool/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tileproof::tool {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json record_of(std::vector<std::string> words) {
  words.insert(words.begin(), "cut");
  words.insert(words.end(), {"--format", "json"});
  const Finished finished = tileproof(words);
  EXPECT_EQ(finished.exit, 0) << finished.errors;
  return json::parse(finished.output, nullptr, false);
}

struct Example {
  std::string shape, cut_size;
  json cut_dim, cut_tile_size, loop, tile;
  int64_t trips, tail;
};

void PrintTo(const Example& example, std::ostream* stream) { *stream << example.shape; }

class CutExample : public testing::TestWithParam<Example> {};

TEST_P(CutExample, IsPrintedAsItsSourceSays) {
  const Example& example = GetParam();
  const json record = record_of({"--shape", example.shape, "--cut-size", example.cut_size});
  EXPECT_EQ(record["cut_dim"], example.cut_dim);
  EXPECT_EQ(record["cut_tile_size"], example.cut_tile_size);
  EXPECT_EQ(record["loop"], example.loop);
  EXPECT_EQ(record["tile"], example.tile);
  EXPECT_EQ(record["trips"], example.trips);
  EXPECT_EQ(record["tail"], example.tail);
}

// The worked examples of seed 000, computeCut, and the one of seed 003.
INSTANTIATE_TEST_SUITE_P(Seeds, CutExample,
                         testing::Values(Example{"4,2,2,2,128", "512", 4, 16, {8}, {4, 2, 2, 2, 16}, 8, 0},
                                         Example{"4,2,2,2,8", "512", nullptr, nullptr, json::array(), {4, 2, 2, 2, 8}, 1, 0},
                                         Example{"8192,2", "512", 0, 512, {16, 2}, {512}, 16, 0},
                                         Example{"448,16", "512", 0, nullptr, {16}, {448}, 1, 0},
                                         Example{"16,8192", "512", 1, 32, {256}, {16, 32}, 256, 0},
                                         Example{"", "512", nullptr, nullptr, json::array(), json::array(), 1, 0},
                                         Example{"100,56", "512", 1, 5, {12}, {100, 5}, 12, 1}));

TEST(Cut, SaysWhyInText) {
  const Finished finished = tileproof({"cut", "--shape", "3,1000", "--cut-size", "512", "--names", "m,n"});
  EXPECT_EQ(finished.exit, 0);
  for (const std::string line :
       {"cut: in dimension 1 (n), 170 of 1000 in a tile\n", "loop         [n_o:6], highest priority first\n",
        "tile         [m:3, n_i:170], highest priority first\n", "nest         [n_o:6] around [n_i:170, m:3], outermost first\n",
        "trips        6 over n\n", "tail         150 in the last trip: where 170*n_o + n_i < 1000\n",
        "why          m:3 fits whole: 3 of 512\n", "512 / 3 leaves room for 170 slices of it\n"}) {
    EXPECT_THAT(finished.output, HasSubstr(line));
  }
}

TEST(Cut, DrawsTheTiles) {
  const Finished finished = tileproof({"cut", "--shape", "14", "--cut-size", "4"});
  EXPECT_THAT(finished.output, HasSubstr("[0..3][4..7][8..11][12..13 and 2 idle]\n"));
}

TEST(Cut, DrawsTheFirstAndTheLastOfManyTiles) {
  const Finished finished = tileproof({"cut", "--shape", "9223372036854775807", "--cut-size", "4"});
  EXPECT_THAT(finished.output, HasSubstr("[12..15] ... [9223372036854775804..9223372036854775806 and 1 idle]\n"));
}

TEST(Cut, SwapsTheFactors) {
  const json record = record_of({"--shape", "12800", "--cut-size", "128", "--swap"});
  EXPECT_EQ(record["tile"], json({128}));
  EXPECT_EQ(record["loop"], json({100}));
  EXPECT_EQ(record["axes"][0]["index"], "100*d0_o + d0_i");
}

TEST(Cut, KeepsTilesUniformOrAligned) {
  EXPECT_EQ(record_of({"--shape", "3200", "--cut-size", "512", "--uniform"})["cut_tile_size"], 400);
  EXPECT_EQ(record_of({"--shape", "3,100", "--cut-size", "128", "--multiple", "32"})["cut_tile_size"], 32);
  EXPECT_EQ(record_of({"--shape", "5,64", "--cut-size", "128", "--multiple", "32"})["unaligned"], true);
  EXPECT_EQ(record_of({"--shape", "521", "--cut-size", "512", "--uniform"})["degenerate"], true);
}

TEST(Cut, TakesTheFiguresThatAreNotGivenFromAMachine) {
  const auto figures = [](std::vector<std::string> words) {
    words.insert(words.end(), {"--shape", "3,1000", "--machine", "trn2"});
    const json record = record_of(words);
    EXPECT_EQ(record["machine"], "trn2");
    return std::pair(record["cut_size"].get<int64_t>(), record["multiple"].get<int64_t>());
  };
  const machine::Machine trn2 = *machine::find_machine("trn2");
  const auto constant = [&](const char* name) { return *trn2.constant(name); };
  EXPECT_EQ(figures({}), std::pair(constant("cut_size"), int64_t{1}));
  EXPECT_EQ(figures({"--axes", "partition"}), std::pair(constant("pmax"), constant("partition_multiple")));
  EXPECT_EQ(figures({"--axes", "stationary"}), std::pair(constant("stationary_free"), int64_t{1}));
  EXPECT_EQ(figures({"--axes", "moving"}), std::pair(constant("psum_bank_f32"), int64_t{1}));
  EXPECT_EQ(figures({"--axes", "partition", "--cut-size", "64", "--multiple", "2"}), std::pair(int64_t{64}, int64_t{2}));
  EXPECT_THAT(tileproof({"cut", "--shape", "300", "--machine", "trn2", "--axes", "partition"}).output,
              HasSubstr("machine      trn2: cut size 128, a multiple of 32\n"));
}

TEST(Cut, NamesTheObligationsThatItProves) {
  const json record = record_of({"--shape", "3,1000", "--cut-size", "512", "--prove"});
  EXPECT_EQ(record["verdict"], "proved");
  std::vector<std::string> names;
  for (const json& each : record["obligations"]) {
    names.push_back(each["name"]);
    EXPECT_EQ(each["verdict"], "proved") << each;
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"budget", "coverage", "tail"}));
  const Finished text = tileproof({"cut", "--shape", "3,1000", "--cut-size", "512", "--prove"});
  for (const std::string& name : names) EXPECT_THAT(text.output, testing::ContainsRegex(name + " +proved\n"));
  EXPECT_EQ(record_of({"--shape", "3", "--cut-size", "512"})["obligations"], nullptr);
}

TEST(Cut, RefusesByTheNameOfTheOption) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--shape", "4"}, "--cut-size is not given; give the most elements of a tile, or a --machine that says it"},
      {{"--shape", "4", "--machine", "none"}, "--cut-size is not given; give the most"},
      {{"--shape", "4", "--machine", "trn9"}, "trn9: error: "},
      {{"--shape", "4", "--machine", "torq-sl2610"}, "cuts need the constant pmax, which this machine does not have"},
      {{"--shape", "4", "--machine", "trn2", "--axes", "rows"}, "--axes cannot be `rows`; give it one of free, partition,"},
      {{"--cut-size", "4"}, "--shape is not given;"},
      {{"--shape", "4,x", "--cut-size", "4"}, "--shape: error: `x` is no extent;"},
      {{"--shape", "4,", "--cut-size", "4"}, "--shape: error: nothing is no extent;"},
      {{"--shape", "4,-1", "--cut-size", "4"}, "--shape: error: `-1` is no extent;"},
      {{"--shape", "9223372036854775808", "--cut-size", "4"}, "is no extent;"},
      {{"--shape", "4", "--cut-size", "0"}, "--cut-size cannot be `0`; give it a whole number of 1 and more, below 2^63;"},
      {{"--shape", "4", "--cut-size", "4", "--multiple", "x"}, "--multiple cannot be `x`;"},
      {{"--shape", "4,4", "--cut-size", "4", "--names", "a"}, "--names: error: 1 name is given for 2 extents;"},
      {{"--shape", "4,4", "--cut-size", "4", "--names", "a,a"}, "--names: error: `a` is given twice;"},
      {{"--shape", "4", "--cut-size", "4", "--names", "4"}, "--names: error: `4` is no name;"},
      {{"--shape", "4", "--cut-size", "4", "--swap"}, "--swap: error: a swap without a tile size"},
      {{"--shape", "10", "--cut-size", "4", "--swap"}, "--swap: error: a swapped tile must divide"},
      {{"--shape", "8,8", "--cut-size", "4", "--swap"}, "--swap: error: a swapped tile holds the axes right of the cut too"},
      {{"--shape", "4611686018427387847", "--cut-size", "4611686018427387846", "--uniform"},
       "error: no divisor of the cut extent"}};
  for (const auto& [words, said] : wrong) {
    std::vector<std::string> all{"cut"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished finished = tileproof(all);
    EXPECT_EQ(finished.exit, 2) << said;
    EXPECT_THAT(finished.errors, HasSubstr(said));
    EXPECT_EQ(finished.output, "");
  }
}

}  // namespace
}  // namespace tileproof::tool
