// `verify` and `compile` with passes that are right, that are wrong, and that refuse.
#include "compiler/pipeline/registry.h"
#include "props/tool/process.h"
#include "props/tool/programs.h"
#include "tool/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tileproof::tool {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A machine whose only opcode is `map` on at most four elements.
constexpr std::string_view four = R"(machine 1
machine four {
  constant psum_banks = 3
  space dram
  opcode map {
    D[f] = any(A[f])
    limit f <= 4
  }
}
)";

class Verify : public testing::Test {
 protected:
  ScratchFolder scratch;
  const std::string good = scratch.file("good.tile", twice);

  /// The command line with the passes of the tests.
  static Finished run(std::vector<std::string> words) {
    words.insert(words.begin(), std::filesystem::path(executable()).replace_filename("test_passes").string());
    return run_process(words);
  }
  static json record_of(std::vector<std::string> words, int exit) {
    words.insert(words.end(), {"--format", "json"});
    const Finished finished = run(words);
    EXPECT_EQ(finished.exit, exit) << finished.output << finished.errors;
    json record = json::parse(finished.output, nullptr, false);
    EXPECT_TRUE(record.is_object()) << finished.output;
    EXPECT_EQ(record["exit"], exit);
    const ScratchFolder folder;
    const Finished judged =
        run_process({"jsonschema", "-i", folder.file("record.json", finished.output), "docs/record.schema.json"});
    EXPECT_EQ(judged.exit, 0) << judged.output << judged.errors << finished.output;
    return record;
  }
  json program_of(const std::string& pipeline, int exit, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"verify", good, "--pipeline", pipeline};
    words.insert(words.end(), more.begin(), more.end());
    const json record = record_of(words, exit);
    return record["programs"][0];
  }
};

TEST(ProductPasses, AreInOrder) { EXPECT_THAT(pipeline::verify(product_passes()), IsEmpty()); }

TEST_F(Verify, ARightPipelinePasses) {
  const json program = program_of("split,rename", 0);
  EXPECT_EQ(program["verdict"], "tested");
  EXPECT_EQ(program["after"], "rename");
  EXPECT_EQ(program["complete"], true);
  EXPECT_EQ(program["passes"].size(), 2U);
  EXPECT_EQ(program["passes"][0]["remarks"][0]["id"], "split");
  EXPECT_EQ(program["cost"]["trips"], 3);
}

TEST_F(Verify, TheEmptyPipelineChecksTheProgramAsItIs) {
  const json program = program_of("", 0);
  EXPECT_EQ(program["verdict"], "tested");
  EXPECT_EQ(program["passes"].size(), 0U);
  EXPECT_EQ(program["after"], nullptr);
}

TEST_F(Verify, TheFirstPassThatBreaksTheMeaningIsNamed) {
  const json program = program_of("rename,drop-tail,rename", 1);
  EXPECT_EQ(program["verdict"], "refuted");
  EXPECT_EQ(program["after"], "drop-tail");
  EXPECT_EQ(program["complete"], false);
  EXPECT_EQ(program["passes"].size(), 2U) << "nothing runs behind it";
  EXPECT_EQ(program["check"]["findings"][0]["name"], "not-written");
  EXPECT_EQ(program["cost"], nullptr);
}

TEST_F(Verify, AMissingTailConditionIsOutOfBounds) {
  const json program = program_of("split{where=nowhere}", 1);
  EXPECT_EQ(program["check"]["findings"][0]["name"], "out-of-bounds");
}

TEST_F(Verify, ARefusalIsUnsupportedWithItsReason) {
  const json program = program_of("rename,refuse,drop-tail", 3);
  EXPECT_EQ(program["verdict"], "unsupported");
  EXPECT_EQ(program["after"], "refuse");
  EXPECT_EQ(program["check"]["reason"], "refuse refuses: no program suits this pass (at 2:1); leave the pass out");
}

TEST_F(Verify, AnIllFormedProgramRefutesThePassThatMadeIt) {
  const json program = program_of("break", 1);
  EXPECT_EQ(program["verdict"], "refuted");
  EXPECT_EQ(program["after"], "break");
  EXPECT_THAT(program["check"]["reason"], HasSubstr("what break made is not well formed"));
}

TEST_F(Verify, TheMachineJudgesTheEndOnly) {
  const std::string machine = scratch.file("four.machine", four);
  EXPECT_EQ(program_of("rename,split{size=4}", 0, {"--machine", machine})["verdict"], "tested");
  const json large = program_of("rename,split{size=5}", 1, {"--machine", machine});
  EXPECT_EQ(large["after"], "split");
  EXPECT_EQ(large["complete"], true);
  EXPECT_EQ(large["check"]["findings"][0]["name"], "limit");
  EXPECT_EQ(program_of("", 1, {"--machine", machine})["check"]["findings"][0]["name"], "limit");
}

TEST_F(Verify, WhatAPassDeclinedIsNotRefutedForLimits) {
  const std::vector<std::string> on_four{"--machine", scratch.file("four.machine", four)};
  const json program = program_of("rename,split{size=64}", 3, on_four);
  EXPECT_EQ(program["verdict"], "unsupported");
  EXPECT_EQ(program["after"], "split");
  EXPECT_EQ(program["complete"], true);
  EXPECT_EQ(program["check"]["reason"],
            "split declined map#1: small: 10 is no more than a tile of 64; the limits of the machine do not hold for it");
  EXPECT_TRUE(program["check"]["findings"].empty());
  EXPECT_EQ(program["counted"]["findings in statements that a pass declined"], 1);
  EXPECT_EQ(program_of("split{size=64},drop-tail", 1, on_four)["verdict"], "refuted") << "a wrong meaning has no excuse";
  EXPECT_EQ(program_of("split{size=64},split{size=5}", 1, on_four)["verdict"], "refuted") << "it was not left as it was";
  EXPECT_EQ(program_of("split{size=64,remark=false}", 1, on_four)["verdict"], "refuted") << "nobody said that it was declined";
}

TEST_F(Verify, AMachineThatWasNamedIsNotCalledUnnamed) {
  const Finished refused = run({"verify", good, "--pipeline", "rename,refuse", "--machine", scratch.file("four.machine", four)});
  EXPECT_THAT(refused.output, HasSubstr("four.machine: its limits were not judged"));
  EXPECT_THAT(refused.output, Not(HasSubstr("none named")));
  EXPECT_THAT(run({"verify", good, "--pipeline", "rename,refuse"}).output,
              HasSubstr("none named: no machine limits were judged"));
}

TEST_F(Verify, AnOptionMayComeFromTheMachine) {
  EXPECT_EQ(program_of("banks", 3)["after"], "banks");
  EXPECT_EQ(program_of("banks,split", 0, {"--machine", scratch.file("four.machine", four)})["passes"][0]["remarks"][0]["text"],
            "3");
}

TEST_F(Verify, WhatIsDeclinedAndWhatIsNotProvedIsShown) {
  const Finished finished = run({"verify", good, "--pipeline", "split,split{size=64}"});
  EXPECT_EQ(finished.exit, 0);
  EXPECT_THAT(finished.output, HasSubstr("tested: field"));
  EXPECT_THAT(finished.output, HasSubstr("counted     obligations not proved: unsupported: 1"));
  EXPECT_THAT(finished.output, HasSubstr("cost        3 trips; 3 map; dma 0 bytes in, 0 out"));
  const Finished declined = run({"verify", good, "--pipeline", "split{size=64}"});
  EXPECT_THAT(declined.output,
              HasSubstr("remark      split declined map#1: small: 10 is no more than a tile of 64 (" + good + ":5:3)"));
  EXPECT_THAT(declined.output, HasSubstr("1 program: 1 tested; 1 remark, 1 of them declined"));
}

TEST_F(Verify, AnUnchangedProgramIsNotCheckedTwice) {
  const json program = program_of("split,split{size=64,remark=false}", 0);
  EXPECT_EQ(program["passes"][1]["changed"], false);
  EXPECT_EQ(program["counted"]["checks left out: the pass changed nothing"], 1);
}

TEST_F(Verify, TheGravestOfSeveralProgramsGivesTheExitCode) {
  const std::string long_one = scratch.file("long.tile", R"(tile 1
program eight {
  buffer x : f32[8] dram in
  buffer y : f32[8] dram out
  map y[i] = x[i] over i:8
}
)");
  const json record = record_of({"verify", long_one, good, "--pipeline", "drop-tail"}, 1);
  EXPECT_EQ(record["verdicts"], (json{{"tested", 1}, {"refuted", 1}})) << "8 has no tail";
  EXPECT_EQ(record["programs"][0]["program"], "eight") << "in the order given";
}

TEST_F(Verify, AnOriginalWithoutAMeaningIsNoFaultOfAPass) {
  const std::string unwritten = scratch.file("unwritten.tile", twice_without_the_last);
  const json record = record_of({"verify", unwritten, "--pipeline", "rename"}, 2);
  EXPECT_EQ(record["programs"][0]["verdict"], "bad-original");
  EXPECT_EQ(record["programs"][0]["after"], nullptr);
}

TEST_F(Verify, ALimitIsNoPass) {
  const std::string loops = scratch.file("endless.tile", endless);
  const json record = record_of({"verify", loops, "--pipeline", "rename", "--max-points", "1K"}, 3);
  EXPECT_EQ(record["programs"][0]["verdict"], "timeout");
}

TEST_F(Verify, AWrongPipelineIsBadInputWithItsColumn) {
  const Finished finished = run({"verify", good, "--pipeline", "rename,splt"});
  EXPECT_EQ(finished.exit, 2);
  EXPECT_EQ(finished.errors, "--pipeline:1:8: error: no pass or pipeline is called `splt`; did you mean `split`?\n");
  EXPECT_EQ(run({"verify", good, "--pipeline", "rename", "--print-after", "renam"}).errors,
            "--print-after: error: no pass of the pipeline is called `renam`; did you mean `rename`?\n");
}

TEST_F(Verify, StagesGoToStandardError) {
  const Finished finished = run({"verify", good, "--pipeline", "rename,split", "--print-after", "rename"});
  EXPECT_THAT(finished.errors, HasSubstr("# twice_renamed after rename\ntile 1\nprogram twice_renamed {"));
  EXPECT_THAT(finished.errors, Not(HasSubstr("after split")));
}

TEST_F(Verify, TheRecordIsTheSameWithAnyNumberOfJobs) {
  std::vector<std::string> words{"verify", "--pipeline", "split", "--format", "json"};
  for (int i = 0; i < 6; ++i) words.push_back(good);
  std::vector<std::string> one = words, three = words;
  one.insert(one.end(), {"--jobs", "1"});
  three.insert(three.end(), {"--jobs", "3"});
  EXPECT_EQ(run(one).output, run(three).output);
}

TEST_F(Verify, CIFormatsHaveACaseForEachProgram) {
  const Finished finished = run({"verify", good, "--pipeline", "drop-tail", "--format", "junit"});
  EXPECT_EQ(finished.exit, 1);
  EXPECT_THAT(finished.output, HasSubstr("<failure"));
}

using CompileWithPasses = Verify;

TEST_F(CompileWithPasses, AppliesThePassesAndPrintsTheEnd) {
  const Finished finished = run({"compile", good, "--pipeline", "split", "--print-after-all"});
  EXPECT_EQ(finished.exit, 0);
  EXPECT_THAT(finished.output, HasSubstr("for i_tile in 0..3 par {"));
  EXPECT_THAT(finished.output, Not(HasSubstr("# ")));
  EXPECT_THAT(finished.errors, HasSubstr("# twice after split\ntile 1\n"));
}

TEST_F(CompileWithPasses, ARefusalIsUnsupportedAndWritesNothing) {
  const std::string out = scratch.path("out.tile");
  const Finished finished = run({"compile", good, "--pipeline", "rename,refuse", "-o", out});
  EXPECT_EQ(finished.exit, 3);
  EXPECT_EQ(finished.errors, good + ":2:1: error: pass refuse: no program suits this pass; leave the pass out\n");
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(record_of({"compile", good, "--pipeline", "refuse"}, 3)["verdict"], "unsupported");
}

TEST_F(CompileWithPasses, AnIllFormedProgramIsABugOfThePass) { EXPECT_EQ(run({"compile", good, "--pipeline", "break"}).exit, 4); }

TEST_F(CompileWithPasses, TheRecordHasRemarksAndStages) {
  const json record = record_of({"compile", good, "--pipeline", "split,rename", "--print-after-all"}, 0);
  EXPECT_EQ(record["remarks"].size(), 2U);
  EXPECT_EQ(record["stages"].size(), 2U);
}

}  // namespace
}  // namespace tileproof::tool
