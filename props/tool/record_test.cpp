// Whatever a command prints under --format json is a record of docs/record.schema.json, and the same again is the same bytes.
#include "props/tool/ci_folder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tileproof::tool {
namespace {

struct Case {
  std::string name;
  std::vector<std::string> words;   ///< file names of the scratch folder are made paths
};

void PrintTo(const Case& one, std::ostream* stream) { *stream << one.name; }

class Record : public testing::TestWithParam<Case> {
 protected:
  ScratchFolder scratch;

  void SetUp() override {
    add_programs(scratch);
    scratch.file("corpus/pair.tile", pair_of(twice, std::string(twice_in_tiles)));
  }

  Finished run() {
    std::vector<std::string> words = GetParam().words;
    for (std::string& word : words) {
      if (std::filesystem::exists(scratch.path(word))) word = scratch.path(word);
    }
    words.insert(words.end(), {"--format", "json"});
    return tileproof(words);
  }
};

TEST_P(Record, FollowsTheSchema) {
  const Finished finished = run();
  const nlohmann::json record = nlohmann::json::parse(finished.output, nullptr, false);
  ASSERT_TRUE(record.is_object()) << finished.output << finished.errors;
  EXPECT_EQ(record["tileproof"], 1);
  EXPECT_EQ(record["exit"], finished.exit);
  const Finished judged =
      run_process({"jsonschema", "-i", scratch.file("record.json", finished.output), "docs/record.schema.json"});
  EXPECT_EQ(judged.exit, 0) << judged.output << judged.errors << finished.output;
}

TEST_P(Record, IsTheSameEveryTime) { EXPECT_EQ(run().output, run().output); }

INSTANTIATE_TEST_SUITE_P(
    Commands, Record,
    testing::Values(Case{"Tested", {"check", "good", "tiles"}}, Case{"Refuted", {"check", "good", "wrong"}},
                    Case{"TestedAndExplained", {"check", "good", "tiles", "--explain"}},
                    Case{"RefutedAndExplained", {"check", "good", "wrong", "--explain"}},
                    Case{"TimeoutAndExplained", {"check", "good", "endless", "--max-points", "1K", "--explain"}},
                    Case{"BadOriginal", {"check", "unwritten", "good"}},
                    Case{"Timeout", {"check", "good", "endless", "--max-points", "1K"}},
                    Case{"BadInput", {"check", "good", "broken"}}, Case{"MissingFile", {"check", "good", "no such file"}},
                    Case{"Usage", {"check", "good", "tiles", "--keys", "many"}}, Case{"NoCommand", {"chekc"}},
                    Case{"Run", {"run", "tiles"}},
                    Case{"RunInField", {"run", "tiles", "--domain", "field", "--order", "shuffled"}},
                    Case{"RunInReal", {"run", "tiles", "--domain", "real"}}, Case{"RunWithFindings", {"run", "unwritten"}},
                    Case{"RunOutOfPoints", {"run", "endless", "--max-points", "1K"}}, Case{"Replay", {"replay", "corpus"}},
                    Case{"Groups", {"groups", "tiles", "--machine", "trn2"}}, Case{"GroupsWithoutAMachine", {"groups", "tiles"}},
                    Case{"Cut", {"cut", "--shape", "3,1000", "--cut-size", "512"}},
                    Case{"CutOfNothing", {"cut", "--shape", "", "--cut-size", "512"}},
                    Case{"CutBeyond64Bits", {"cut", "--shape", "4,9223372036854775807,9223372036854775807", "--cut-size", "4"}},
                    Case{"CutSwapped", {"cut", "--shape", "256", "--cut-size", "128", "--swap"}},
                    Case{"CutRefused", {"cut", "--shape", "4,x", "--cut-size", "4"}}, Case{"Compile", {"compile", "tiles"}},
                    Case{"CompileToFile", {"compile", "tiles", "-o", "/dev/null"}},
                    Case{"Fuzz", {"fuzz", "--pass-command", "cat", "--runs", "3"}},
                    Case{"FuzzWithFinds", {"fuzz", "--pass-command", "exit 1", "--runs", "3", "--as-drawn", "--out", "corpus"}},
                    Case{"FuzzWithCrashes",
                         {"fuzz", "--pass-command", "cat >/dev/null; echo a >&2; exit 1", "--runs", "3", "--out", "corpus"}},
                    Case{"CutProved", {"cut", "--shape", "3,1000", "--machine", "trn2", "--prove"}},
                    Case{"FuzzOfRefusals", {"fuzz", "--pass-command", "exit 3", "--runs", "3"}}),
    [](const auto& information) { return information.param.name; });

}  // namespace
}  // namespace tileproof::tool
