// `tileproof reduce`, as a user runs it: of pairs, of pipelines and of commands, to the end and interrupted.
#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace tileproof::tool {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view chain = R"(tile 1
program chain {
  buffer x : f32[21, 30] dram in
  buffer y : f32[21, 30] dram out
  buffer a : f32[21, 30] dram
  buffer b : f32[21, 30] dram
  buffer c : f32[21, 30] dram
  map a[r, i] = x[r, i] + 3 over r:21, i:30
  map b[r, i] = exp(a[r, i]) over r:21, i:30
  map c[r, i] = b[r, i] * x[r, i] over r:21, i:30
  map y[r, i] = c[r, i] - 1 over r:21, i:30
}
)";

class Reduce : public testing::Test {
 protected:
  ScratchFolder scratch;
  const std::string program = scratch.file("chain.tile", chain);
  const std::string output = scratch.path("small.tile");

  static Finished run(std::vector<std::string> words) {
    words.insert(words.begin(), "reduce");
    return tileproof(words);
  }
  /// With the passes of the tests.
  static Finished run_passes(std::vector<std::string> words) {
    words.insert(words.begin(), std::filesystem::path(executable()).replace_filename("test_passes").string());
    return run_process(words);
  }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(scratch.path("")), std::filesystem::directory_iterator()));
  }
};

TEST_F(Reduce, WritesAPairThatReplays) {
  const std::string pair = scratch.file("pair.tile", pair_of(twice, std::string(twice_with_wrong_tail)));
  const Finished finished = run({pair, "-o", output});
  EXPECT_EQ(finished.exit, 0) << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("still refuted: value (TP001)"));
  EXPECT_THAT(finished.output, HasSubstr("no step makes it smaller"));
  EXPECT_THAT(finished.output, HasSubstr("before: 2 operations, 22 points"));
  EXPECT_THAT(finished.output, Not(HasSubstr("after:  2 operations, 22 points")));
  EXPECT_EQ(tileproof({"replay", output}).exit, 0);
}

TEST_F(Reduce, MakesAProgramSmallerWithThePipelineThatTilesItWrongly) {
  const Finished finished = run_passes({"reduce", program, "--pipeline", "rename,drop-tail,split", "-o", output});
  ASSERT_EQ(finished.exit, 0) << finished.output << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("after drop-tail"));
  const std::string text = read_file(output);
  EXPECT_THAT(text, HasSubstr("# pipeline drop-tail\n")) << "the passes that do not matter are gone";
  EXPECT_THAT(text, HasSubstr("# expect "));
  EXPECT_LE(std::ranges::count(text, '\n'), 8) << text;
  EXPECT_EQ(run_passes({"replay", output}).exit, 0);
  EXPECT_NE(run_passes({"verify", output, "--pipeline", "drop-tail"}).exit, 0);
}

TEST_F(Reduce, KeepsThePassThatMakesNoProgram) {
  const Finished finished = run_passes({"reduce", program, "--pipeline", "rename,break"});
  ASSERT_EQ(finished.exit, 0) << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("# pipeline break\n# expect refuted\n"));
  EXPECT_THAT(finished.errors, HasSubstr("after:  1 operation, 1 point"));
}

TEST_F(Reduce, MakesAProgramSmallerForACommandThatTilesItWrongly) {
  const Finished finished = run({program, "--pass-command", "sed 's/ = exp/ = 2 * exp/'", "-o", output});
  ASSERT_EQ(finished.exit, 0) << finished.output << finished.errors;
  const std::string text = read_file(output);
  EXPECT_THAT(text, HasSubstr("map a[0] = exp(0)\n"));
  EXPECT_THAT(text, HasSubstr("map a[0] = 2 * exp(0)\n"));
  EXPECT_EQ(tileproof({"replay", output}).exit, 0);
}

TEST_F(Reduce, TakesManyProgramsInABatch) {
  const Finished finished = run({program, "--batch", "--pass-command", "sed -u 's/ = exp/ = 2 * exp/'", "-o", output});
  ASSERT_EQ(finished.exit, 0) << finished.output << finished.errors;
  EXPECT_THAT(read_file(output), HasSubstr("map a[0] = 2 * exp(0)\n"));
}

TEST_F(Reduce, LeavesTheProgramOnWhichACommandCrashes) {
  const std::string crash = "if grep 'exp('; then echo no exp at line 12 >&2; exit 7; fi";
  const Finished finished = run({program, "--pass-command", crash, "-o", output});
  ASSERT_EQ(finished.exit, 0) << finished.output << finished.errors;
  const std::string text = read_file(output);
  EXPECT_THAT(text, HasSubstr("# crash: exit code 7: no exp at line 12\n"));
  EXPECT_THAT(text, HasSubstr("map a[0] = exp(0)\n"));
  EXPECT_THAT(text, Not(HasSubstr("expect")));
}

TEST_F(Reduce, TakesTheOriginalOfAFindOfATiler) {
  const std::string pair = scratch.file("pair.tile", pair_of(twice, std::string(twice_with_wrong_tail)));
  const Finished finished = run({pair, "--pass-command", "sed 's/ = / = 2 * /'"});
  EXPECT_EQ(finished.exit, 0) << finished.output << finished.errors;
}

TEST_F(Reduce, DeclinesWhatIsNoFind) {
  const auto complains = [&](const std::vector<std::string>& words, const std::string& text) {
    const Finished finished = run(words);
    EXPECT_EQ(finished.exit, 2) << finished.output;
    EXPECT_THAT(finished.errors, HasSubstr(text));
  };
  complains({program, program}, "tested: field, which is nothing to reduce; give a pair that is refuted or unsupported");
  complains({program, "--pass-command", "cat"}, "nothing to reduce; give a program that goes wrong in the tiler");
  complains({program, "--pass-command", "cat", "--pipeline", "penguin"}, "two tilers are given");
  complains({program, program, "--pass-command", "cat"}, "two programs and a tiler are given");
  complains({program, "--pipeline", "pengiun"}, "pengiun");
  // Wrong the first time only.
  complains(
      {program, "--pass-command", "if [ -e " + output + " ]; then cat; else cat > /dev/null; touch " + output + "; exit 1; fi"},
      "something else the second; give a tiler that does the same every time");
}

TEST_F(Reduce, EndsWith3AndTheBestSoFarWhereALimitIsReached) {
  const std::string command = "sleep 0.2; sed 's/ = exp/ = 2 * exp/'";
  for (const std::vector<std::string>& limit : {std::vector<std::string>{"--tests", "6"}, {"--timeout", "2"}}) {
    std::filesystem::remove(output);
    std::vector<std::string> words{program, "--pass-command", command, "-o", output, "--format", "json"};
    words.insert(words.end(), limit.begin(), limit.end());
    const Finished finished = run(words);
    EXPECT_EQ(finished.exit, 3) << finished.output << finished.errors;
    const json record = json::parse(finished.output, nullptr, false);
    EXPECT_EQ(record["verdict"], "ended-early");
    EXPECT_EQ(record["exit"], 3);
    EXPECT_EQ(tileproof({"replay", output}).exit, 0);
  }
}

/// Starts `tileproof`, sends the signal once `file` has so many bytes, and waits; the status as waitpid gives it.
int interrupted(std::vector<std::string> words, int signal, const std::string& file, size_t bytes) {
  const pid_t child = start_in_silence(std::move(words));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  std::error_code error;
  while ((!std::filesystem::exists(file) || std::filesystem::file_size(file, error) < bytes) &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

class InterruptedReduce : public Reduce, public testing::WithParamInterface<int> {};

TEST_P(InterruptedReduce, LeavesTheBestPairSoFar) {
  const std::string log = scratch.path("log");
  const std::string command = "printf . >>" + log + "; sleep 0.02; sed 's/ = exp/ = 2 * exp/'";
  constexpr size_t tried = 8;   // after which something has been dropped
  const int status = interrupted({"reduce", program, "--pass-command", command, "-o", output}, GetParam(), log, tried);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 3);
  const std::string text = read_file(output);
  EXPECT_LT(std::ranges::count(text, '\n'), 2 * std::ranges::count(chain, '\n')) << text;
  EXPECT_EQ(tileproof({"replay", output}).exit, 0) << text;
  EXPECT_EQ(files(), 3U) << "no temporary file is left";   // the program, the log and the output
}

TEST_P(InterruptedReduce, EndsAtOnceWhereACommandHangs) {
  const std::string log = scratch.path("log");
  const auto begin = std::chrono::steady_clock::now();
  const std::string command = "printf . >>" + log + "; sleep 100";
  const int status = interrupted({"reduce", program, "--pass-timeout", "60", "--pass-command", command}, GetParam(), log, 1);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
}

INSTANTIATE_TEST_SUITE_P(Both, InterruptedReduce, testing::Values(SIGINT, SIGTERM),
                         [](const auto& at) { return std::string(at.param == SIGINT ? "Interrupt" : "Terminate"); });

}  // namespace
}  // namespace tileproof::tool
