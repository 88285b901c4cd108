#include "fuzz/hunt/child_process.h"

#include "compiler/ir/suggestion.h"
#include "fuzz/hunt/process_mark.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

extern char** environ;

namespace tileproof::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t most_output = size_t{64} << 20, most_errors = size_t{64} << 10;
constexpr std::chrono::milliseconds glance{100};   // how late a stop is noticed

void close_one(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

/// Both ends are closed in other children of this process: otherwise these would hold the pipe open.
struct Pipe {
  int read = -1, write = -1;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0], write = ends[1];
    return true;
  }
};

/// What there is, without waiting. False: there will be no more.
bool read_some(int descriptor, std::string& to) {
  std::array<char, 65536> block{};
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count > 0) {
      to.append(block.data(), static_cast<size_t>(count));
      if (static_cast<size_t>(count) < block.size()) return true;
      continue;
    }
    if (count == 0) return false;
    if (errno != EINTR) return errno == EAGAIN;
  }
}

/// Where `line` begins as a line of its own, from `from` on.
size_t find_line(const std::string& text, std::string_view line, size_t from) {
  for (size_t at = text.find(line, from); at != std::string::npos; at = text.find(line, at + 1)) {
    const size_t end = at + line.size();
    const bool begins = at == 0 || text[at - 1] == '\n';
    if (begins && (end < text.size() && (text[end] == '\n' || text[end] == '\r'))) return at;
  }
  return std::string::npos;
}

}  // namespace

std::expected<ChildProcess, std::string> ChildProcess::start(const std::string& command, const std::string& mark) {
  ChildProcess child;
  child.mark_ = mark;
  Pipe in, out, err;
  const bool is_open = in.open() && out.open() && err.open();
  child.in_ = in.write, child.out_ = out.read, child.err_ = err.read;
  int error = is_open ? 0 : errno;
  if (error == 0) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t defaults, mask;
    sigemptyset(&mask);
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &mask);
    std::string shell = "/bin/sh", option = "-c", text = command;
    std::array<char*, 4> words{shell.data(), option.data(), text.data(), nullptr};
    std::string marked = fmt::format("{}={}", mark_variable, mark);
    std::vector<char*> environment;
    for (char** variable = environ; *variable != nullptr; ++variable) environment.push_back(*variable);
    environment.insert(environment.end(), {marked.data(), nullptr});
    pid_t pid = -1;
    error = posix_spawn(&pid, "/bin/sh", &actions, &attributes, words.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error == 0) child.pid_ = child.group_ = pid;
  }
  child.unread_ = in.read;
  close_one(out.write), close_one(err.write);
  if (error != 0) return std::unexpected(std::string(std::strerror(error)));
  for (const int descriptor : {child.in_, child.out_, child.err_}) fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      group_(std::exchange(other.group_, -1)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      unread_(std::exchange(other.unread_, -1)),
      written_(other.written_),
      mark_(std::move(other.mark_)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_), std::swap(group_, other.group_);
  std::swap(in_, other.in_), std::swap(out_, other.out_), std::swap(err_, other.err_);
  std::swap(unread_, other.unread_), std::swap(written_, other.written_), std::swap(mark_, other.mark_);
  std::swap(output_, other.output_), std::swap(errors_, other.errors_);
  return *this;
}

ChildProcess::~ChildProcess() { close_all(); }

void ChildProcess::close_all() {
  close_one(in_), close_one(out_), close_one(err_), close_one(unread_);
  const bool is_running = pid_ > 0 && !wait(Deadline::min(), false).is_known;
  if (group_ > 0)
    kill(-group_, SIGKILL);   // before the number of the group can be somebody else's: its leader is not waited for yet
  if (pid_ > 0)
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  pid_ = group_ = -1;
  if (is_running) kill_marked(mark_);
}

bool ChildProcess::has_read() const {
  int left = 0;
  return unread_ < 0 || ioctl(unread_, FIONREAD, &left) != 0 || static_cast<uint64_t>(left) < written_;
}

ChildProcess::Talk ChildProcess::talk(std::string_view input, std::string_view line, Deadline deadline,
                                      const std::atomic<bool>& stop) {
  output_.clear();
  size_t searched = 0;
  for (;;) {
    if (input.empty() && line.empty()) close_one(in_);
    std::array<pollfd, 3> waits{{{out_, POLLIN, 0}, {err_, POLLIN, 0}, {input.empty() ? -1 : in_, POLLOUT, 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (stop) return Talk::stopped;
    if (left.count() <= 0) return Talk::late;
    if (poll(waits.data(), waits.size(), static_cast<int>(std::min(left, glance).count())) < 0 && errno != EINTR)
      return Talk::ended;
    if (waits[2].revents != 0) {
      const ssize_t count = ::write(in_, input.data(), input.size());
      if (count > 0) {
        input.remove_prefix(static_cast<size_t>(count));
        written_ += static_cast<uint64_t>(count);
      } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
        input = {};   // it does not want to read on
      }
    }
    if (waits[1].revents != 0) {
      if (!read_some(err_, errors_)) close_one(err_);
      if (errors_.size() > most_errors) errors_.erase(0, errors_.size() - most_errors);
    }
    if (waits[0].revents != 0) {
      const bool is_open = read_some(out_, output_);
      if (!line.empty()) {
        if (const size_t at = find_line(output_, line, searched); at != std::string::npos) {
          output_.resize(at);
          return Talk::answered;
        }
        searched = output_.size() - std::min(output_.size(), line.size() + 1);
      }
      if (output_.size() > most_output) return Talk::too_long;
      if (!is_open) {
        if (err_ >= 0) read_some(err_, errors_);
        return Talk::ended;
      }
    }
  }
}

std::vector<std::string> ChildProcess::last_errors(size_t most) const {
  constexpr size_t longest_line = 200;
  std::vector<std::string> lines;
  std::string_view rest = errors_;
  while (lines.size() < most) {
    rest = rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1);
    if (rest.empty()) break;
    const size_t first = rest.find_last_of('\n') + 1;
    lines.push_back(ir::shortened(rest.substr(first), longest_line));
    rest = rest.substr(0, first);
  }
  std::ranges::reverse(lines);
  return lines;
}

ChildProcess::End ChildProcess::wait(Deadline deadline, const std::atomic<bool>& stop) {
  for (std::chrono::microseconds pause{50};; pause = std::min<std::chrono::microseconds>(2 * pause, glance)) {
    int status = 0;
    siginfo_t info{};
    // The leader stays a zombie, so that the number of its group stays its own until the group has been killed.
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_) {
      status = info.si_status;
      if (err_ >= 0) read_some(err_, errors_);
      if (info.si_code == CLD_EXITED) return {true, status, 0};
      return {true, -1, status};
    }
    if (stop || Clock::now() >= deadline) return {};
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace tileproof::fuzz
