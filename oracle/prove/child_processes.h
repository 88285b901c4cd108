// Work that may overrun its time or die, each piece in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tileproof::prove {

struct ChildEnd {
  enum class How : uint8_t { answered, out_of_time, died };
  How how = How::died;
  std::string text;        ///< answered: what the work returned; died: by what
  double seconds = 0;
};

struct ChildLimits {
  double seconds = 10;                     ///< wall clock for each; then the child is killed
  int at_once = 1;                         ///< children at the same time
};

/// Runs each piece of work in a forked child and calls `done(index, end)` in the order of `work`, as soon as all before it are done.
/// `done` returns false to stop: what still runs is killed. No child outlives the call. The child must not need a thread or a lock of
/// the parent; an exception in it is a death. Throws std::system_error where no process can be started.
void run_in_children(const std::vector<std::function<std::string()>>& work, const ChildLimits& limits,
                     const std::function<bool(size_t index, const ChildEnd& end)>& done);

}  // namespace tileproof::prove
