#include "fuzz/hunt/command_tiler.h"

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "fuzz/hunt/child_process.h"
#include "fuzz/hunt/process_mark.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tileproof::fuzz {

namespace {

using Talk = ChildProcess::Talk;

constexpr int exit_refused = 3;
constexpr size_t most_error_lines = 5;

Made failed(Made::Kind kind, std::string why) { return {kind, {}, std::move(why), {}}; }

/// WHY of `# refused: WHY`, if the text begins with such a line.
std::optional<std::string> refusal(std::string_view text) {
  constexpr std::string_view mark = "# refused";
  if (!text.starts_with(mark)) return std::nullopt;
  const std::string_view line = text.substr(0, text.find_first_of("\r\n")).substr(mark.size());
  const size_t begin = line.find_first_not_of(": ");
  return std::string(begin == std::string_view::npos ? "no reason" : line.substr(begin));
}

/// The answer as a program.
Made understood(const std::string& text) {
  if (auto why = refusal(text)) return failed(Made::Kind::refused, std::move(*why));
  auto file = ir::parse(text, "output");
  if (!file) return failed(Made::Kind::garbage, to_string(file.error().front()));
  if (const ir::Diagnostics errors = ir::verify(*file); !errors.empty())
    return failed(Made::Kind::garbage, to_string(errors.front()));
  if (file->programs.size() != 1)
    return failed(Made::Kind::garbage, fmt::format("{} programs where one is wanted", file->programs.size()));
  return {Made::Kind::program, std::move(file->programs.front()), {}, {}};
}

std::string with_last_error(std::string what, const ChildProcess& child) {
  const std::vector<std::string> last = child.last_errors(1);
  return last.empty() ? what : fmt::format("{}: {}", what, last.front());
}

class CommandTiler {
 public:
  CommandTiler(CommandOptions options, const std::atomic<bool>& stop) : options_(std::move(options)), stop_(stop) {}

  ~CommandTiler() {
    child_.reset();
    kill_marked(mark_);   // what processes that ended by themselves have left running
  }
  CommandTiler(const CommandTiler&) = delete;
  CommandTiler& operator=(const CommandTiler&) = delete;

  Made make(const ir::Program& original) {
    if (!unusable_.empty()) return failed(Made::Kind::unusable, unusable_);
    std::string text = ir::print(original);
    if (options_.batch) text += fmt::format("{}\n", end_line);
    for (int start = 1;; ++start) {
      const bool is_fresh = !child_;
      const auto deadline = std::chrono::steady_clock::now() + options_.timeout;
      if (is_fresh) {
        auto started = ChildProcess::start(options_.command, mark_);
        if (!started) return unusable("cannot be started: " + started.error());
        child_.emplace(std::move(*started));
      }
      const Talk talk = child_->talk(text, options_.batch ? end_line : std::string_view(), deadline, stop_);
      if (talk == Talk::answered) {
        has_answered_ = true;
        return understood(child_->output());
      }
      Made made = without_answer(talk, deadline);
      const bool has_begun = talk != Talk::ended || made.kind == Made::Kind::stopped || made.kind == Made::Kind::hang ||
                             made.kind == Made::Kind::refused || !child_->output().empty() || child_->has_read();
      const std::string last = made.kind == Made::Kind::crash ? made.why : with_last_error("exit code 0", *child_);
      if (made.kind == Made::Kind::crash || made.kind == Made::Kind::hang) made.errors = child_->last_errors(most_error_lines);
      child_.reset();
      if (!is_fresh || has_begun) return made;
      if (start == most_starts)
        return unusable(fmt::format("ended {} times in a row before it read a program: {}", most_starts, last));
    }
  }

 private:
  const CommandOptions options_;
  const std::atomic<bool>& stop_;
  const std::string mark_ = new_mark();
  std::string unusable_;   // why; empty: it is not
  std::optional<ChildProcess> child_;   // of a batch: between programs, too
  bool has_answered_ = false;   // in a batch: it knows what a batch is

  Made unusable(std::string why) {
    unusable_ = std::move(why);
    return failed(Made::Kind::unusable, unusable_);
  }

  Made without_answer(Talk talk, ChildProcess::Deadline deadline) {
    const auto late = [&] { return failed(Made::Kind::hang, fmt::format("more than {}{}", options_.timeout, hint())); };
    if (talk == Talk::stopped) return failed(Made::Kind::stopped, {});
    if (talk == Talk::late) return late();
    if (talk == Talk::too_long) return failed(Made::Kind::garbage, "more than 64 MiB of output");
    const ChildProcess::End end = child_->wait(deadline, stop_);
    if (!end.is_known) return stop_ ? failed(Made::Kind::stopped, {}) : late();
    // A shell says 128 + N of a command that signal N ended.
    const int signal = end.exit > 128 ? end.exit - 128 : end.signal;
    if (const char* const name = signal > 0 ? sigabbrev_np(signal) : nullptr)
      return failed(Made::Kind::crash, with_last_error(fmt::format("SIG{}", name), *child_));
    if (options_.batch)
      return failed(Made::Kind::crash,
                    with_last_error(fmt::format("exit code {} before the end of the answer{}", end.exit, hint()), *child_));
    if (auto why = refusal(child_->output())) return failed(Made::Kind::refused, std::move(*why));
    if (end.exit == exit_refused) return failed(Made::Kind::refused, with_last_error("exit code 3", *child_));
    if (end.exit != 0) return failed(Made::Kind::crash, with_last_error(fmt::format("exit code {}", end.exit), *child_));
    if (child_->output().find_first_not_of(" \t\r\n") == std::string::npos)
      return failed(Made::Kind::garbage, "no output; if it answers each program at a line `# end`, give --batch");
    return understood(child_->output());
  }

  /// Behind the reason why a batch has no answer: it may be none.
  std::string_view hint() const {
    return options_.batch && !has_answered_
               ? " and before any answer; if it takes one program, up to the end of its input, leave --batch out"
               : "";
  }
};

}  // namespace

Tiler command_tiler(const CommandOptions& options, const std::atomic<bool>& stop) {
  const auto tiler = std::make_shared<CommandTiler>(options, stop);
  return {.make = [tiler](const ir::Program& original, const machine::Machine*) { return tiler->make(original); }, .blame = {}};
}

}  // namespace tileproof::fuzz
