// One line on standard error that says what is being done, where somebody may be waiting for it.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace tileproof::tool {

/// On a terminal one line that is written over and disappears at the end. Elsewhere nothing for the first two seconds, then a
/// line of its own every ten seconds at most, counted from whatever was printed last. Threads may share one.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& doing);
  /// Takes the line away, because something else will be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace tileproof::tool
