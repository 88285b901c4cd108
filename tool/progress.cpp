#include "tool/progress.h"

#include "tool/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace tileproof::tool {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds terminal_delay{300};    // shorter commands end without a flicker
constexpr milliseconds terminal_interval{100};
constexpr milliseconds log_delay{2000};
constexpr milliseconds log_interval{10000};

size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1), next_(Clock::now() + (terminal_ ? terminal_delay : log_delay)) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& doing) {
  const std::scoped_lock lock(mutex_);
  const Clock::time_point time = Clock::now();
  if (time < next_) return;
  next_ = time + (terminal_ ? terminal_interval : log_interval);
  if (terminal_) {
    Console::complain(fmt::format("\r\033[K{}", doing.substr(0, terminal_width() - 1)));
    shown_ = true;
  } else {
    Console::complain(doing + "\n");
  }
}

void Progress::clear() {
  const std::scoped_lock lock(mutex_);
  if (shown_) Console::complain("\r\033[K");
  shown_ = false;
  if (!terminal_) next_ = std::max(next_, Clock::now() + log_interval);
}

}  // namespace tileproof::tool
