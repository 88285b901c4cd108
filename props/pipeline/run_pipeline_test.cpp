// What is handed from pass to pass, and what a failure says.
#include "compiler/pipeline/run_pipeline.h"

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "props/pipeline/passes/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::pipeline {
namespace {

using testing::HasSubstr;

constexpr std::string_view twice = R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  map y[i] = 2 * x[i] over i:10
}
)";

ir::Program program(std::string_view text) { return ir::parse(text, "t").value().programs.front(); }

Pipeline pipeline(std::string_view text) { return parse_pipeline(text, test_registry()).value(); }

std::expected<Stage, Failure> run(std::string_view passes, const machine::Machine* machine = nullptr) {
  return run_pipeline(program(twice), pipeline(passes), machine);
}

TEST(RunPipeline, WithoutPassesTheProgramStaysAsItIs) {
  EXPECT_EQ(run("").value().program, program(twice));
  EXPECT_TRUE(run("").value().remarks.empty());
}

TEST(RunPipeline, EachPassTakesWhatTheOneBeforeMade) {
  EXPECT_EQ(run("rename,rename").value().program.name, "twice_renamed_renamed");
  EXPECT_EQ(ir::print(run("split{size=4}").value().program), R"(tile 1
program twice {
  buffer x : f32[10] dram in
  buffer y : f32[10] dram out
  for i_tile in 0..3 par {
    map y[4*i_tile + i] = 2 * x[4*i_tile + i] over i:4 where 4*i_tile + i < 10
  }
}
)");
}

TEST(RunPipeline, RemarksHaveTheirPassAndTheKindOfTheVocabulary) {
  const Stage stage = run("rename,split{size=10}").value();
  ASSERT_EQ(stage.remarks.size(), 2U);
  EXPECT_EQ(stage.remarks[0].pass, "rename");
  EXPECT_EQ(stage.remarks[0].kind, RemarkKind::applied);
  EXPECT_EQ(stage.remarks[1].pass, "split");
  EXPECT_EQ(stage.remarks[1].kind, RemarkKind::declined);
  EXPECT_EQ(stage.remarks[1].id, "small");
  EXPECT_EQ(stage.remarks[1].statement, "map#1");
}

TEST(RunPipeline, ObligationsAreHandedOn) {
  const Stage stage = run("split{size=4},rename").value();
  ASSERT_EQ(stage.obligations.size(), 1U);
  EXPECT_EQ(stage.obligations[0], (Obligation{"coverage", "map#1", {{"extent", 10}, {"size", 4}}}));
}

TEST(RunPipeline, ARefusalNamesThePassAndKeepsThePlace) {
  const auto stage = run("rename,refuse,rename");
  ASSERT_FALSE(stage);
  EXPECT_EQ(stage.error().kind, Failure::Kind::refused);
  EXPECT_EQ(stage.error().pass, "refuse");
  EXPECT_EQ(stage.error().diagnostics.front().message, "no program suits this pass");
  EXPECT_EQ(stage.error().diagnostics.front().location.line, 2U);
}

TEST(RunPipeline, AnIllFormedProgramNamesThePassThatMadeIt) {
  const auto stage = run("rename,break,rename");
  ASSERT_FALSE(stage);
  EXPECT_EQ(stage.error().kind, Failure::Kind::ill_formed);
  EXPECT_EQ(stage.error().pass, "break");
  EXPECT_THAT(stage.error().diagnostics.front().message, HasSubstr("nothing"));
}

TEST(RunPipeline, ARemarkOutsideTheVocabularyIsABugOfThePass) {
  Registry registry = test_registry();
  registry.passes.front().vocabulary.clear();
  const auto stage = run_pipeline(program(twice), parse_pipeline("rename", registry).value(), nullptr);
  ASSERT_FALSE(stage);
  EXPECT_EQ(stage.error().kind, Failure::Kind::ill_formed);
  EXPECT_EQ(stage.error().diagnostics.front().message, "remarks `renamed`, which is no word of its vocabulary");
}

TEST(RunPipeline, ADefaultMayBeAConstantOfTheMachine) {
  const machine::Machine trn2 = machine::find_machine("trn2").value(), toy = machine::find_machine("toy").value();
  EXPECT_EQ(run("banks", &trn2).value().remarks.front().text, "8");
  EXPECT_EQ(run("banks{banks=3}", &trn2).value().remarks.front().text, "3");
  EXPECT_EQ(run("banks{banks=3}").value().remarks.front().text, "3");
  EXPECT_EQ(run("banks").error().kind, Failure::Kind::refused);
  EXPECT_EQ(to_string(run("banks").error().diagnostics.front()),
            "error: option `banks` is not given, and there is no machine to take it from; name a machine that has the constant "
            "`psum_banks`, or give the option: an integer of 1 or more");
  EXPECT_THAT(run("banks", &toy).error().diagnostics.front().message, HasSubstr("machine toy has no constant `psum_banks`"));
}

TEST(OptionsDeathTest, AnOptionThatIsNotDeclaredAborts) {
  const Options none = Options::resolve({}, {}, nullptr).value();
  EXPECT_DEATH((void)none.integer("size"), "asks for option `size`");
}

}  // namespace
}  // namespace tileproof::pipeline
