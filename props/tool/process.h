// Runs the real `tileproof`, as a user does.
#pragma once

#include <sys/types.h>
#include <filesystem>

#include <string>
#include <string_view>
#include <vector>

namespace tileproof::tool {

/// What a process left behind.
struct Finished {
  int exit = -1;          ///< -1: it did not exit by itself, but by a signal
  std::string output;     ///< standard output
  std::string errors;     ///< standard error
};

struct ProcessOptions {
  std::string input;                 ///< standard input
  bool output_has_no_reader = false; ///< standard output is a pipe whose reader has gone
  std::string output_file;           ///< standard output is this file instead
  std::string folder;                ///< the working directory; empty: that of the test
};

/// The absolute path of the executable under test: $TILEPROOF (CTest sets it), else build/tileproof.
std::string executable();

/// Starts `tileproof` with standard output and errors thrown away, and signals as they are by default: a test may run where they are
/// ignored. The caller waits for it.
pid_t start_in_silence(std::vector<std::string> words);

Finished run_process(const std::vector<std::string>& words, const ProcessOptions& options = {});

/// `tileproof` with these arguments.
Finished tileproof(std::vector<std::string> arguments, const ProcessOptions& options = {});

/// A folder that goes away with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  /// Writes a file and returns its path.
  std::string file(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

std::string read_file(const std::string& path);

}  // namespace tileproof::tool
