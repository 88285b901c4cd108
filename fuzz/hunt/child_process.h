// A command of a shell with its three streams, and a time limit on everything.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::fuzz {

/// In a process group of its own, which is killed when the object goes, and with it whatever bears its mark (fuzz/hunt/process_mark.h):
/// neither children of the command nor a hanging one survive. Where a pipe breaks, SIGPIPE must be ignored in this process.
class ChildProcess {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// Error: why it cannot be started.
  static std::expected<ChildProcess, std::string> start(const std::string& command, const std::string& mark);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  enum class Talk : uint8_t { answered, ended, late, too_long, stopped };
  /// Writes `input` and reads until `line` has been read as a line of its own ("answered"; it is not part of `output()`), or, without a
  /// line, until the end ("ended"). With no line the standard input is closed behind `input`.
  Talk talk(std::string_view input, std::string_view line, Deadline deadline, const std::atomic<bool>& stop);

  /// What the last `talk` read from standard output.
  const std::string& output() const { return output_; }
  /// Whether it took anything from its standard input so far.
  bool has_read() const;
  /// The last lines on standard error that are not blank, `most` of them at most, in their order, each up to 200 bytes.
  std::vector<std::string> last_errors(size_t most) const;

  /// How it ended, once it has: an exit code, or a signal. Waits until the deadline; not known: it runs on.
  struct End {
    bool is_known = false;
    int exit = -1;  ///< -1: by a signal
    int signal = 0;
  };
  End wait(Deadline deadline, const std::atomic<bool>& stop);

 private:
  ChildProcess() = default;
  void close_all();

  int pid_ = -1;  // -1: there is none, or it has been waited for
  int group_ = -1;  // -1: nothing to kill
  int in_ = -1, out_ = -1, err_ = -1;
  int unread_ = -1;  // another reading end of its input, to see what is left in it
  uint64_t written_ = 0;
  std::string mark_, output_, errors_;
};

}  // namespace tileproof::fuzz
