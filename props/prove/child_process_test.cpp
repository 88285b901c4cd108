#include "oracle/prove/child_processes.h"
#include "oracle/prove/prover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tileproof::prove {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using How = ChildEnd::How;
using Work = std::vector<std::function<std::string()>>;

std::vector<ChildEnd> ends_of(const Work& work, ChildLimits limits = {.seconds = 60, .at_once = 2}) {
  std::vector<ChildEnd> ends;
  run_in_children(work, limits, [&](size_t i, const ChildEnd& end) {
    EXPECT_EQ(i, ends.size());
    ends.push_back(end);
    return true;
  });
  return ends;
}

bool has_children() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

std::string sleep_forever() {
  for (;;) pause();
}

TEST(Children, AnswerInOrderWhoeverIsFirst) {
  const auto ends = ends_of({[] {
                               usleep(100'000);
                               return std::string("slow");
                             },
                             [] { return std::string("fast"); }, [] { return std::string(200'000, 'x'); }});
  EXPECT_EQ(ends[0].text, "slow");
  EXPECT_EQ(ends[1].text, "fast");
  EXPECT_EQ(ends[2].text, std::string(200'000, 'x'));
  EXPECT_FALSE(has_children());
}

TEST(Children, ThatTakeTooLongAreStoppedAndLeaveNoZombie) {
  const auto ends = ends_of({sleep_forever, [] { return std::string("well"); }}, {.seconds = 0.2, .at_once = 2});
  EXPECT_EQ(ends[0].how, How::out_of_time);
  EXPECT_EQ(ends[1].text, "well");
  EXPECT_FALSE(has_children());
}

TEST(Children, ThatAreKilledHaveDiedWhateverTheySaid) {
  const auto ends = ends_of({[]() -> std::string {
                               raise(SIGKILL);
                               return "proved";
                             },
                             []() -> std::string { throw std::runtime_error("broken"); }, []() -> std::string { _exit(0); }});
  for (const ChildEnd& end : ends) EXPECT_EQ(end.how, How::died);
  EXPECT_THAT(ends[0].text, HasSubstr("signal 9"));
}

TEST(Children, AreStoppedWhenNobodyListensAnyMore) {
  int told = 0;
  run_in_children({[] { return std::string(); }, sleep_forever, sleep_forever}, {.seconds = 60, .at_once = 2},
                  [&](size_t, const ChildEnd&) {
                    ++told;
                    return false;
                  });
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(has_children());
}

/// The processes whose parent is this one.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream status(entry.path() / "stat");
    std::string text;
    if (!std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front())) || !std::getline(status, text))
      continue;
    std::istringstream after_name(text.substr(text.rfind(')') + 1));
    char state = 0;
    pid_t parent = 0;
    if (after_name >> state >> parent && parent == getpid()) found.push_back(std::stoi(entry.path().filename().string()));
  }
  return found;
}

TEST(Prove, CallsALemmaWhoseProcessIsKilledAnError) {
  const Term x = Term::variable("x"), y = Term::variable("y"), z = Term::variable("z");
  const Formula fermat = x * x * x + y * y * y != z * z * z;   // which keeps the solver busy
  const std::vector<std::vector<Goal>> lists{{{"", x >= 1 && y >= 1 && z >= 1, fermat}}};
  const std::jthread killer([] {
    bool killed = false;
    for (int tries = 0; tries < 1000; ++tries) {
      for (const pid_t child : children()) {
        kill(child, SIGKILL);
        killed = true;
      }
      usleep(20'000);
      if (killed && children().empty()) return;
    }
  });
  prove_apart(lists, {.timeout_seconds = 60, .jobs = 1, .patience = 100}, [](size_t, const Proof& proof) {
    EXPECT_EQ(proof.verdict, Verdict::error);
    EXPECT_THAT(proof.reason, HasSubstr("signal 9"));
    return true;
  });
}

}  // namespace
}  // namespace tileproof::prove
