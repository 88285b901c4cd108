// A signal ends a command at once, by that signal, and no file is left half written.
#include "props/tool/process.h"
#include "props/tool/programs.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>
#include <utility>

namespace tileproof::tool {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Ended {
  int status = 0;
  steady_clock::duration after_signal{};
};

/// Starts `tileproof` in silence, sends the signal after `delay` and waits.
Ended interrupted(std::vector<std::string> words, int signal, milliseconds delay) {
  const pid_t child = start_in_silence(std::move(words));
  std::this_thread::sleep_for(delay);
  const auto sent = steady_clock::now();
  kill(child, signal);
  Ended ended;
  waitpid(child, &ended.status, 0);
  ended.after_signal = steady_clock::now() - sent;
  return ended;
}

class Signal : public testing::TestWithParam<int> {
 protected:
  ScratchFolder scratch;
};

TEST_P(Signal, EndsALongCommandAtOnce) {
  const std::string file = scratch.file("endless.tile", endless);
  const std::string pair = scratch.file("pair.tile", pair_of(endless, std::string(endless)));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", file, file}, {"run", file}, {"replay", pair}}) {
    const Ended ended = interrupted(words, GetParam(), milliseconds(300));
    EXPECT_TRUE(WIFSIGNALED(ended.status)) << words.front();
    EXPECT_EQ(WTERMSIG(ended.status), GetParam()) << words.front();
    EXPECT_LT(ended.after_signal, milliseconds(2000)) << words.front();
  }
}

TEST_P(Signal, LeavesAWholeFileOrNone) {
  std::string text = "tile 1\nprogram p {\n  buffer y : f32[10] dram out\n";
  for (int i = 0; i < 20000; ++i) text += "  map y[i] = 2 * i over i:10\n";
  const std::string program = scratch.file("long.tile", text + "}\n"), output = scratch.path("output.tile");
  const auto begin = steady_clock::now();
  ASSERT_EQ(tileproof({"compile", program, "-o", output}).exit, 0);
  const auto usual = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
  const std::string whole = read_file(output);
  constexpr int tries = 12;
  for (int i = 0; i < tries; ++i) {
    scratch.file("output.tile", "as it was");
    interrupted({"compile", program, "-o", output}, GetParam(), usual * (tries + i) / (2 * tries));
    const std::string left = read_file(output);
    EXPECT_TRUE(left == whole || left == "as it was") << left.size();
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path("")), std::filesystem::directory_iterator()), 2);
}

INSTANTIATE_TEST_SUITE_P(Both, Signal, testing::Values(SIGINT, SIGTERM),
                         [](const auto& at) { return std::string(at.param == SIGINT ? "Interrupt" : "Terminate"); });

}  // namespace
}  // namespace tileproof::tool
