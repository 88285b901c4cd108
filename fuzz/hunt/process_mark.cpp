#include "fuzz/hunt/process_mark.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace tileproof::fuzz {

namespace {

namespace fs = std::filesystem;

/// A process that forks while it is looked for is found in the next round.
constexpr int most_rounds = 50;

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string new_mark() {
  static std::atomic<uint64_t> count{0};
  return fmt::format("{}.{}.{}", getpid(), std::chrono::steady_clock::now().time_since_epoch().count(), count++);
}

void kill_marked(const std::string& mark) {
  const std::string wanted = fmt::format("{}={}", mark_variable, mark);
  for (int round = 0; round < most_rounds; ++round) {
    bool is_found = false;
    std::error_code error;
    for (fs::directory_iterator each("/proc", error), end; !error && each != end; each.increment(error)) {
      const std::string number = each->path().filename().string();
      if (!is_number(number)) continue;
      std::ifstream file(each->path() / "environ", std::ios::binary);   // of a process that has ended, empty
      const std::string environment(std::istreambuf_iterator<char>(file), {});
      const size_t at = environment.find(wanted + '\0');
      if (at == std::string::npos || (at > 0 && environment[at - 1] != '\0')) continue;
      is_found = kill(static_cast<pid_t>(std::strtol(number.c_str(), nullptr, 10)), SIGKILL) == 0 || is_found;
    }
    if (!is_found) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace tileproof::fuzz
