// Every exit code of the README's table, by the command that gives it.
#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tileproof::tool {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Check : public testing::Test {
 protected:
  ScratchFolder scratch;
  std::string before = scratch.file("before.tile", twice);

  Finished against(std::string_view program, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"check", before, scratch.file("after.tile", program)};
    words.insert(words.end(), more.begin(), more.end());
    return tileproof(words);
  }
};

TEST_F(Check, ExitsWith0WhereThePartnerIsRight) {
  const Finished finished = against(twice_in_tiles);
  EXPECT_EQ(finished.exit, 0) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("tested: field\n"));
}

TEST_F(Check, ExitsWith1WhereAnElementDiffers) {
  const Finished finished = against(twice_with_wrong_tail);
  EXPECT_EQ(finished.exit, 1) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("refuted: value (TP001)\n"));
}

TEST_F(Check, ExitsWith2WhereTheOriginalHasNoSingleMeaning) {
  const std::string original = scratch.file("original.tile", twice_without_the_last);
  const Finished finished = tileproof({"check", original, before});
  EXPECT_EQ(finished.exit, 2) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("bad-original: not-written (TP104)\n"));
}

TEST_F(Check, ExitsWith2WhereTheInterfacesDiffer) {
  const Finished finished = against(
      "tile 1\nprogram other {\n  buffer x : f32[11] dram in\n  buffer y : f32[10] dram out\n  map y[i] = x[i] over i:10\n}\n");
  EXPECT_EQ(finished.exit, 2);
  EXPECT_THAT(finished.errors, HasSubstr("error: "));
}

TEST_F(Check, ExitsWith3WhereALimitOnPointsIsReached) {
  const Finished finished = against(endless, {"--max-points", "10K"});
  EXPECT_EQ(finished.exit, 3) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("timeout"));
}

TEST_F(Check, ExitsWith3WhereALimitOnTimeIsReached) {
  const Finished finished = against(endless, {"--timeout", "0.2", "--max-points", "1000T"});
  EXPECT_EQ(finished.exit, 3) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("timeout"));
}

TEST_F(Check, ExitsWith3WhereTheTimeIsOverBeforeItBegins) {
  const Finished finished = against(twice_in_tiles, {"--timeout", "0.000001"});
  EXPECT_EQ(finished.exit, 3) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("timeout: the time is over; raise --timeout\n"));
}

TEST_F(Check, ExitsWith3WhereALimitOnMemoryIsReached) {
  const Finished finished = against(huge, {"--max-memory", "1M"});
  EXPECT_EQ(finished.exit, 3) << finished.errors;
}

TEST_F(Check, TakesAPairInOneFile) {
  const Finished finished = tileproof({"check", scratch.file("pair.tile", pair_of(twice, std::string(twice_with_wrong_tail)))});
  EXPECT_EQ(finished.exit, 1) << finished.errors;
}

TEST_F(Check, TakesADashAsStandardInput) {
  const Finished finished = tileproof({"check", before, "-"}, {.input = std::string(twice_in_tiles)});
  EXPECT_EQ(finished.exit, 0) << finished.errors;
  EXPECT_EQ(tileproof({"check", "-"}, {.input = pair_of(twice, std::string(twice_in_tiles))}).exit, 0);
}

TEST_F(Check, TakesOneOfSeveralProgramsByItsName) {
  const std::string both =
      scratch.file("both.tile", std::string(twice) + "\ntile 1\nprogram other { buffer z : f32[1] dram out map z[0] = 0 }\n");
  EXPECT_EQ(tileproof({"check", both, before}).exit, 2);
  EXPECT_EQ(tileproof({"check", both, before, "--program", "twice"}).exit, 0);
  EXPECT_THAT(tileproof({"check", both, before, "--program", "thrice"}).errors, HasSubstr("give --program one of: twice, other"));
}

TEST_F(Check, PrintsACommandThatReplaysIt) {
  const Finished first = against(twice_with_wrong_tail, {"--seed", "7", "--keys", "2", "--machine", "none"});
  const size_t at = first.output.find("  replay ");
  ASSERT_NE(at, std::string::npos);
  const std::string command = first.output.substr(at + 10);
  const Finished second = run_process({"sh", "-c", command});
  EXPECT_EQ(second.output, first.output);
  EXPECT_EQ(second.exit, first.exit);
}

TEST_F(Check, GivesTheSameBytesForTheSameSeed) {
  const Finished once = against(twice_with_wrong_tail, {"--format", "json"});
  EXPECT_EQ(once.output, against(twice_with_wrong_tail, {"--format", "json"}).output);
}

TEST(Usage, ExitsWith2AndNamesTheHelp) {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"verify"},
                                                    {"check"},
                                                    {"check", "a", "b", "c"},
                                                    {"check", "a", "b", "--no-such-option"},
                                                    {"check", "a", "b", "--rounding", "loose"},
                                                    {"check", "a", "b", "--keys", "0"},
                                                    {"check", "a", "b", "--seed", "-1"},
                                                    {"check", "a", "b", "--max-memory", "5Q"},
                                                    {"check", "a", "b", "--max-points", "99999999999999999999"},
                                                    {"check", "a", "b", "--timeout", "-1"},
                                                    {"check", "a", "b", "--format", "xml"},
                                                    {"run"},
                                                    {"run", "a", "--domain", "complex"},
                                                    {"replay", "--jobs", "0"},
                                                    {"compile"},
                                                    {"cut"},
                                                    {"cut", "--shape", "4"},
                                                    {"cut", "--shape", "4", "--cut-size", "0"}};
  for (const auto& words : wrong) {
    const Finished finished = tileproof(words);
    EXPECT_EQ(finished.exit, 2) << testing::PrintToString(words);
    EXPECT_THAT(finished.errors, HasSubstr("--help` says what it takes")) << testing::PrintToString(words);
    EXPECT_EQ(finished.output, "");
  }
}

TEST(Usage, SaysWhatIsWrongAndWhatToDo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"check", "a", "b", "c"}, "a file too many is given; call it as `tileproof check BEFORE AFTER [OPTIONS]`;"},
      {{"check"}, "no file is given; call it as `tileproof check BEFORE AFTER [OPTIONS]`;"},
      {{"run", "a", "b"}, "`b` is a word too many; call it as `tileproof run FILE [OPTIONS]`;"},
      {{"check", "a", "b", "--seeed", "1"}, "no option is called `--seeed`; did you mean `--seed`? "},
      {{"compile", "a", "--frobnicate=1"}, "no option is called `--frobnicate`; the options are --help, --program, "},
      {{"check", "a", "b", "--seed", "1", "--seed=2"}, "--seed is given 2 times; give it once;"},
      {{"compile", "a", "-o", "b", "-o", "c"}, "--output is given 2 times; give it once;"},
      {{"check", "a", "b", "--seed"}, "--seed has no value; write --seed N;"},
      {{"check", "a", "b", "--format"}, "--format has no value; write --format text|json|junit|sarif;"},
      {{"check", "a", "b", "--keys", "-1"}, "--keys cannot be `-1`; give it a whole number of 1 to 64;"},
      {{"replay", "--jobs", "many"}, "--jobs cannot be `many`; give it a whole number of 1 to 1024;"},
      {{"check", "a", "b", "--seed", "-1"}, "--seed cannot be `-1`; give it a whole number below 2^64, such as 5000, 20M or 4G;"},
      {{"run", "a", "--domain", "complex"}, "--domain cannot be `complex`; give it one of ieee, real, field;"},
      {{"check", "a", "b", "--timeout", "0"}, "--timeout cannot be `0`: nothing is done in no time; leave --timeout out"},
      {{"run", "a", "--timeout", "0.0"}, "--timeout cannot be `0.0`: nothing is done in no time; leave --timeout out"},
      {{"replay", "--timeout", "nan"}, "--timeout cannot be `nan`; give it a number of seconds above 0 and up to 1e9"},
      {{"check", "a", "b", "--timeout", "-1"}, "--timeout cannot be `-1`; give it a number of seconds above 0 and up to 1e9"},
      {{"check", "a", "b", "--timeout", "inf"}, "--timeout cannot be `inf`; give it a number of seconds above 0 and up to 1e9"},
      {{"fuzz", "--pass-command", "cat", "--only", ""}, "--only cannot be empty; write --only NAMES, or leave it out;"},
      {{"fuzz", "--pass-command", "cat", "--known", ""}, "--known cannot be empty; write --known FILE, or leave it out;"},
      {{"check", "a", "b", "--machine", ""}, "--machine cannot be empty; write --machine NAME|FILE, or leave it out;"},
      {{"run", "a", "--show", "x", "--show", ""}, "--show cannot be empty; write --show BUFFER, or leave it out;"},
      {{"frob"},
       "no command is called `frob`; name one of verify, check, run, replay, compile, groups, cut, reduce, prove, fuzz, plant;"}};
  for (const auto& [words, said] : wrong) {
    const Finished finished = tileproof(words);
    EXPECT_EQ(finished.exit, 2) << said;
    EXPECT_THAT(finished.errors, HasSubstr(": error: " + said));
  }
}

TEST(Help, TeachesExitCodesAndExamplesOfEveryCommand) {
  for (const std::string command :
       {"", "verify", "check", "run", "replay", "compile", "cut", "reduce", "prove", "fuzz", "plant"}) {
    const Finished finished = command.empty() ? tileproof({"--help"}) : tileproof({command, "--help"});
    EXPECT_EQ(finished.exit, 0);
    EXPECT_THAT(finished.output, HasSubstr("Try:\n  tileproof " + command));
    EXPECT_THAT(finished.output, HasSubstr("Exit codes:\n  0  passes"));
  }
}

TEST(Version, IsOneLine) {
  const Finished finished = tileproof({"--version"});
  EXPECT_EQ(finished.exit, 0);
  EXPECT_THAT(finished.output, testing::MatchesRegex("tileproof [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace tileproof::tool
