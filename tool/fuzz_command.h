// `tileproof fuzz`: the hunt for faults of a tiler, from the command line.
#pragma once

#include "compiler/pipeline/registry.h"
#include "oracle/equivalence/check.h"
#include "tool/commands.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::tool {

struct FuzzArguments {
  std::string executable = "tileproof";   ///< as the user called it
  std::vector<std::string> files;         ///< programs to try instead of drawn ones, and folders of some
  std::string pipeline;                   ///< one of this and the next
  std::string pass_command;
  bool batch = false;                     ///< the command takes many programs
  double pass_timeout_seconds = 10;       ///< for each program
  std::string machine;                    ///< name, file or "none"; empty: drawn for a pipeline, none for a command
  oracle::Rounding rounding = oracle::Rounding::strict;
  uint64_t seed = 1;
  uint64_t first = 0;
  uint64_t runs = 0;                      ///< 0: none was given, so until the time is over
  std::string only;                       ///< opcodes and `group`, separated by commas; empty: all that there is
  int max_operations = 12;                ///< of a program
  double time_seconds = 0;                ///< 0: 60, or without an end if the number of runs is given
  int jobs = 0;                           ///< 0: one for each processor
  std::string known;                      ///< file of keys; empty: none
  std::string out;                        ///< empty: `finds`; of files: nowhere
  bool as_drawn = false;                  ///< finds are not reduced
  Format format = Format::text;
};
Outcome fuzz_command(const FuzzArguments& arguments, const pipeline::Registry& passes, Console& console);

}  // namespace tileproof::tool
