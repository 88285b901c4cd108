#include "props/tool/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

extern char** environ;

namespace tileproof::tool {
namespace {

/// posix_spawn's list of what to do with descriptors, freed in the end.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void open(int descriptor, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(), flags, 0600);
  }
  void change_folder(const std::string& path) { posix_spawn_file_actions_addchdir_np(&actions_, path.c_str()); }
  void duplicate(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

std::string executable() {
  const char* const given = std::getenv("TILEPROOF");
  return std::filesystem::absolute(given != nullptr ? given : "build/tileproof").string();
}

Finished run_process(const std::vector<std::string>& words, const ProcessOptions& options) {
  const ScratchFolder scratch;
  const std::string input = scratch.file("input", options.input);
  const std::string output = options.output_file.empty() ? scratch.path("output") : options.output_file;
  const std::string errors = scratch.path("errors");
  FileActions actions;
  actions.open(STDIN_FILENO, input, O_RDONLY);
  actions.open(STDERR_FILENO, errors, O_WRONLY | O_CREAT);
  int pipe_ends[2] = {-1, -1};
  if (options.output_has_no_reader) {
    EXPECT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
    close(pipe_ends[0]);
    actions.duplicate(pipe_ends[1], STDOUT_FILENO);
  } else {
    actions.open(STDOUT_FILENO, output, O_WRONLY | O_CREAT);
  }
  if (!options.folder.empty()) actions.change_folder(options.folder);

  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& copy : copies) arguments.push_back(copy.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments.front(), actions.get(), nullptr, arguments.data(), environ);
  if (pipe_ends[1] >= 0) close(pipe_ends[1]);
  if (error != 0) {
    ADD_FAILURE() << words.front() << " cannot be started";
    return {};
  }
  int status = 0;
  waitpid(child, &status, 0);
  Finished finished;
  finished.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (!options.output_has_no_reader && options.output_file.empty()) finished.output = read_file(output);
  finished.errors = read_file(errors);
  return finished;
}

Finished tileproof(std::vector<std::string> arguments, const ProcessOptions& options) {
  arguments.insert(arguments.begin(), executable());
  return run_process(arguments, options);
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tileproof-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no scratch folder";
  folder_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string ScratchFolder::file(std::string_view name, std::string_view content) const {
  std::string where = path(name);
  std::ofstream(where, std::ios::binary) << content;
  return where;
}

std::string read_file(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

pid_t start_in_silence(std::vector<std::string> words) {
  words.insert(words.begin(), executable());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  FileActions actions;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) actions.open(descriptor, "/dev/null", O_WRONLY);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigemptyset(&all);
  for (const int each : {SIGINT, SIGTERM}) sigaddset(&all, each);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, arguments.front(), actions.get(), &attributes, arguments.data(), environ), 0);
  posix_spawnattr_destroy(&attributes);
  return child;
}

}  // namespace tileproof::tool
