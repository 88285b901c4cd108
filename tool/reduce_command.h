// `tileproof reduce`: a find made smaller, from the command line.
#pragma once

#include "compiler/pipeline/registry.h"
#include "tool/commands.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::tool {

struct ReduceArguments {
  std::vector<std::string> files;         ///< BEFORE AFTER, or one file of both; one program where there is a tiler
  std::string program;                    ///< which of several; empty: the only one, of a find of a tiler the first
  std::string machine;                    ///< as for `check`, with a pipeline as for `verify`
  std::string pipeline;                   ///< the tiler; at most one of this and the next
  std::string pass_command;
  bool batch = false;                     ///< the command takes many programs
  double pass_timeout_seconds = 10;       ///< for each program
  CheckSettings settings;                 ///< the time ends the reduction with what it has
  uint64_t tests = 20'000;                ///< judgements at most
  std::string output = "-";
  Format format = Format::text;
};

/// A signal ends it as the time does: with the best find so far.
Outcome reduce_command(const ReduceArguments& arguments, const pipeline::Registry& passes, Console& console);

}  // namespace tileproof::tool
