// What `reduce` is given, who judges it, and the file that it becomes.
#pragma once

#include "fuzz/reduce/same_finding.h"
#include "tool/reduce_command.h"

#include <atomic>
#include <chrono>
#include <expected>
#include <string>

namespace tileproof::tool {

/// How a find was made: that decides who judges it, and what is kept of it.
enum class FindSource : uint8_t { pair, pipeline, command };

struct GivenFind {
  FindSource source = FindSource::pair;
  fuzz::Subject subject;
  std::string file;        ///< for messages: of the tiled program, or of the only one
  ChosenMachine machine;
};
/// Errors: files that cannot be read, no such machine, a pipeline that does not parse, two tilers, a tiler and two programs.
std::expected<GivenFind, ir::Diagnostics> load_find(const ReduceArguments& arguments, const pipeline::Registry& passes);

/// Options of the checks, with the time that is left.
using TimedOptions = std::function<oracle::CheckOptions()>;
/// All must outlive it; `stop` ends waiting for a command.
fuzz::Judge judge_of(FindSource source, const ReduceArguments& arguments, const pipeline::Registry& passes,
                     const TimedOptions& options, const std::atomic<bool>& stop);

/// Whether there is something to keep: refuted, undecided, or a tiler that made nothing to check.
bool is_find(const fuzz::Judgement& judgement);
/// "refuted: value (TP001)", "crash: SIGSEGV".
std::string headline(const fuzz::Judgement& judgement);
/// As `# expect` says it; where that has no words for it the headline.
std::string expectation_text(const fuzz::Judgement& judgement);

/// A file of the corpus: a pair, a program with its pipeline, or what a command was given if it made nothing.
std::string find_text(const GivenFind& given, const fuzz::Subject& subject, const fuzz::Judgement& judgement,
                      const ReduceArguments& arguments);

}  // namespace tileproof::tool
