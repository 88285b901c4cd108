#include "oracle/prove/child_processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace tileproof::prove {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// The child's last words are its answer and this; without it the answer is not whole.
constexpr char complete = '\n';

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& work, int answer, [[maybe_unused]] pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent went before it could be watched
#endif
  int status = 1;
  try {
    write_all(answer, work() + complete);
    status = 0;
  } catch (...) {
  }
  _exit(status);  // nothing of the parent's is flushed or destroyed here
}

/// A running child. Its end of life is the end of the process.
class Child {
 public:
  Child(size_t index, const std::function<std::string()>& work, const ChildLimits& limits) : index_(index) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "no pipe to a child");
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      be_child(work, ends[1], parent);
    }
    close(ends[1]);
    answer_ = ends[0];
    if (process_ < 0) {
      close(answer_);
      throw std::system_error(errno, std::generic_category(), "no child process");
    }
    deadline_ = begin_ + std::chrono::duration_cast<Clock::duration>(Seconds(limits.seconds));
  }
  Child(Child&& other) noexcept
      : index_(other.index_),
        process_(std::exchange(other.process_, 0)),
        answer_(std::exchange(other.answer_, -1)),
        begin_(other.begin_),
        deadline_(other.deadline_),
        text_(std::move(other.text_)) {}
  Child& operator=(Child&& other) noexcept {
    Child moved(std::move(other));
    std::swap(index_, moved.index_);
    std::swap(process_, moved.process_);
    std::swap(answer_, moved.answer_);
    std::swap(begin_, moved.begin_);
    std::swap(deadline_, moved.deadline_);
    std::swap(text_, moved.text_);
    return *this;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      reap();
    }
    if (answer_ >= 0) close(answer_);
  }

  size_t index() const { return index_; }
  int descriptor() const { return answer_; }
  Clock::time_point deadline() const { return deadline_; }

  /// Takes what the child has said; its end, once it has said all.
  std::optional<ChildEnd> listen() {
    std::array<char, 4096> buffer{};
    const ssize_t count = read(answer_, buffer.data(), buffer.size());
    if (count < 0) return errno == EINTR ? std::nullopt : std::optional(end());
    if (count == 0) return end();
    text_.append(buffer.data(), static_cast<size_t>(count));
    return std::nullopt;
  }

  ChildEnd out_of_time() {
    kill(process_, SIGKILL);
    reap();
    return {ChildEnd::How::out_of_time, {}, seconds()};
  }

 private:
  ChildEnd end() {
    const int status = reap();
    if (WIFSIGNALED(status)) return {ChildEnd::How::died, fmt::format("was killed by signal {}", WTERMSIG(status)), seconds()};
    if (WEXITSTATUS(status) != 0 || text_.empty() || text_.back() != complete)
      return {ChildEnd::How::died, fmt::format("ended with exit code {} and no answer", WEXITSTATUS(status)), seconds()};
    text_.pop_back();
    return {ChildEnd::How::answered, std::move(text_), seconds()};
  }

  int reap() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status;
  }

  double seconds() const { return Seconds(Clock::now() - begin_).count(); }

  size_t index_;
  pid_t process_ = 0;
  int answer_ = -1;
  Clock::time_point begin_ = Clock::now(), deadline_;
  std::string text_;
};

/// Waits until a child speaks or the first deadline is over.
std::vector<bool> wait_for_any(const std::vector<Child>& children) {
  std::vector<pollfd> watched;
  Clock::time_point first = Clock::time_point::max();
  for (const Child& child : children) {
    watched.push_back({child.descriptor(), POLLIN, 0});
    first = std::min(first, child.deadline());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
  poll(watched.data(), watched.size(), static_cast<int>(std::clamp<long>(left, 0, 60'000)));
  std::vector<bool> speak;
  for (const pollfd& one : watched) speak.push_back(one.revents != 0);
  return speak;
}

}  // namespace

void run_in_children(const std::vector<std::function<std::string()>>& work, const ChildLimits& limits,
                     const std::function<bool(size_t, const ChildEnd&)>& done) {
  std::vector<std::optional<ChildEnd>> ends(work.size());
  std::vector<Child> children;
  size_t started = 0, told = 0;
  while (told < work.size()) {
    while (started < work.size() && children.size() < static_cast<size_t>(std::max(1, limits.at_once))) {
      children.emplace_back(started, work[started], limits);
      ++started;
    }
    const std::vector<bool> speak = wait_for_any(children);
    for (size_t i = children.size(); i-- > 0;) {
      std::optional<ChildEnd> end;
      if (speak[i]) end = children[i].listen();
      if (!end && Clock::now() >= children[i].deadline()) end = children[i].out_of_time();
      if (!end) continue;
      ends[children[i].index()] = std::move(end);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (; told < work.size() && ends[told]; ++told) {
      if (!done(told, *ends[told])) return;
    }
  }
}

}  // namespace tileproof::prove
