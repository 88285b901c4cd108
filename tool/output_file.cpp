#include "tool/output_file.h"

#include "tool/write_all.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace tileproof::tool {
namespace {

namespace fs = std::filesystem;

/// Writes and closes; zero or what errno said.
int write_and_close(int file, std::string_view text, bool durable) {
  int error = write_all(file, text);
  if (error == 0 && durable && fsync(file) != 0) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

/// Holds back the signals that end a command as long as it lives, so that no temporary file is left; they arrive after it.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~Uninterrupted() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  sigset_t before_;
};

/// The permissions of a file that is created without further ado.
mode_t fresh_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

int write_beside_and_rename(const fs::path& target, std::string_view text, mode_t mode) {
  const Uninterrupted uninterrupted;
  std::string temporary = (target.parent_path() / fmt::format(".{}.XXXXXX", target.filename().string())).string();
  const int file = mkstemp(temporary.data());
  if (file < 0) return errno;
  int error = fchmod(file, mode) == 0 ? 0 : errno;
  const int write_error = write_and_close(file, text, true);
  if (error == 0) error = write_error;
  if (error == 0 && rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  return error;
}

}  // namespace

std::optional<ir::Diagnostic> write_whole_file(const std::string& path, std::string_view text) {
  // The file behind a symbolic link is replaced, not the link.
  std::error_code ignored;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  const fs::path target = resolved.empty() ? fs::path(path) : resolved;

  struct stat status{};
  const bool exists = stat(target.c_str(), &status) == 0;
  int error = 0;
  if (exists && S_ISDIR(status.st_mode)) {
    error = EISDIR;
  } else if (exists && !S_ISREG(status.st_mode)) {
    const int file = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    error = file < 0 ? errno : write_and_close(file, text, false);
  } else {
    error = write_beside_and_rename(target, text, exists ? status.st_mode & 07777 : fresh_mode());
  }
  if (error == 0) return std::nullopt;
  return ir::Diagnostic{path,
                        {},
                        fmt::format("cannot be written: {}", std::strerror(error)),
                        "give -o a file in a folder that exists and may be written to; nothing was changed"};
}

}  // namespace tileproof::tool
