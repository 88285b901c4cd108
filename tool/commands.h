// The commands, as functions of what the command line says. Each prints its result and returns the exit code; bad input comes
// back as diagnostics, which the caller prints.
#pragma once

#include "compiler/ir/diagnostic.h"
#include "compiler/pipeline/pipeline.h"
#include "oracle/equivalence/check.h"
#include "oracle/interpret/run.h"
#include "tool/console.h"
#include "tool/exit_code.h"
#include "tool/format.h"
#include "tool/program_input.h"
#include "tool/stage_text.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace tileproof::tool {

using Outcome = std::expected<ExitCode, ir::Diagnostics>;

/// Options that `check` and `replay` share.
struct CheckSettings {
  oracle::Rounding rounding = oracle::Rounding::strict;
  uint64_t seed = 1;
  int keys = oracle::CheckOptions{}.keys;   ///< 0: as many as the dtypes need
  uint64_t max_points = oracle::CheckOptions{}.max_points;
  uint64_t max_memory = oracle::CheckOptions{}.max_memory;
  int threads = 2;              ///< 1: the two programs run one after the other
  double timeout_seconds = 0;   ///< 0: none

  /// All but the time.
  oracle::CheckOptions options() const;
  /// The check, within the time that is left of what the user allowed since `begin`. `options` come from these settings.
  std::expected<oracle::CheckReport, ir::Diagnostics> check(const ProgramPair& programs, oracle::CheckOptions options,
                                                            std::chrono::steady_clock::time_point begin) const;
  /// What is allowed for a check, to the millisecond; 0: any time.
  std::chrono::milliseconds timeout() const;
  /// When the time is over for a command that began at `begin`.
  std::chrono::steady_clock::time_point deadline(std::chrono::steady_clock::time_point begin) const;
  /// The options that differ from their defaults, and the seed, as words of a command line.
  std::vector<std::string> words() const;
};

struct CheckArguments {
  std::string executable = "tileproof";   ///< as the user called it
  std::vector<std::string> files;         ///< BEFORE AFTER, or one file of both
  std::string program;                    ///< which of several; empty: the only one
  std::string machine;                    ///< name, file or "none"; empty: as the second program says
  CheckSettings settings;
  Format format = Format::text;
  bool explain = false;                   ///< draw pictures
};
Outcome check_command(const CheckArguments& arguments, Console& console);

enum class Domain : uint8_t { field, real, ieee };

struct RunArguments {
  std::string file;
  std::string program;
  Domain domain = Domain::ieee;
  oracle::Order order = oracle::Order::forward;
  oracle::Pattern pattern = oracle::Pattern::random;
  int64_t level = 0;                      ///< of Pattern::level
  uint64_t seed = 1;
  std::vector<std::string> parameters;    ///< "n=5", "n=5,m=2"
  std::vector<std::string> show;          ///< top-level buffers to print beside the outputs
  uint64_t elements = 8;                  ///< printed of each output
  uint64_t max_points = oracle::Limits{}.points;
  uint64_t max_memory = oracle::Limits{}.bytes;
  double timeout_seconds = 0;
  Format format = Format::text;
};
Outcome run_command(const RunArguments& arguments, Console& console);

struct ReplayArguments {
  std::string executable = "tileproof";
  std::vector<std::string> paths;         ///< folders and files
  int jobs = 0;                           ///< 0: one for each processor
  CheckSettings settings;
  Format format = Format::text;
};
/// `passes` are those that the headers of files speak of.
Outcome replay_command(const ReplayArguments& arguments, const pipeline::Registry& passes, Console& console);

/// The pipeline that --pipeline says. Errors: of its text, and a pass to print after that it does not have.
std::expected<pipeline::Pipeline, ir::Diagnostics> chosen_pipeline(const std::string& text, const pipeline::Registry& passes,
                                                                   const std::string& print_after);

struct CompileArguments {
  std::string file;
  std::string program;                    ///< empty: all programs of the file
  std::string pipeline;
  std::string machine;                    ///< name, file or "none"; empty: as the program says
  StagesShown stages;
  std::string output = "-";
  Format format = Format::text;
};
Outcome compile_command(const CompileArguments& arguments, const pipeline::Registry& passes, Console& console);

struct VerifyArguments {
  std::string executable = "tileproof";   ///< as the user called it
  std::vector<std::string> files;
  std::string program;                    ///< empty: all programs of the files
  std::string pipeline;
  std::string machine;                    ///< name, file or "none"; empty: as each program says
  int jobs = 0;                           ///< 0: one for each processor
  StagesShown stages;
  CheckSettings settings;
  Format format = Format::text;
};
Outcome verify_command(const VerifyArguments& arguments, const pipeline::Registry& passes, Console& console);

struct GroupsArguments {
  std::string file;
  std::string machine;                    ///< name or file; empty: as each program says
  std::string pipeline = "par-axes-annotation";   ///< what comes before the analysis
  Format format = Format::text;
};
/// The partition groups of each program (docs/penguin.md).
Outcome groups_command(const GroupsArguments& arguments, const pipeline::Registry& passes, Console& console);

/// Which axes of an operation a cut is of, for the figures of a machine (docs/cut.md).
enum class CutAxes : uint8_t { free, partition, stationary, moving };

struct CutArguments {
  std::string shape;                      ///< "448,16", highest priority first; empty: no axes
  std::string names;                      ///< "m,n"; empty: d0, d1, ...
  int64_t cut_size = 0;                   ///< elements; 0: as the machine says
  bool uniform = false;
  int64_t multiple = 0;                   ///< 0: as the machine says, else 1
  std::string machine;                    ///< name, file or "none"; empty: none
  CutAxes axes = CutAxes::free;           ///< of the machine
  bool swap = false;
  bool prove = false;                     ///< the obligations of the cut, for all extents of its class
  Format format = Format::text;
};
Outcome cut_command(const CutArguments& arguments, Console& console);

struct ProveArguments {
  std::vector<std::string> lemmas;        ///< names and topics; empty: all
  bool list = false;                      ///< say what they are, and prove nothing
  int jobs = 0;                           ///< 0: one for each processor
  double timeout_seconds = 20;            ///< for each lemma
  Format format = Format::text;
};
Outcome prove_command(const ProveArguments& arguments, Console& console);

/// Becomes the program `tileproof-plant` beside this one, which takes the words that follow the command; comes back only with an error.
Outcome plant_command(const std::vector<std::string>& words, Console& console);

}  // namespace tileproof::tool
