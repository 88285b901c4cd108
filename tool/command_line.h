// From the words of a command line to a command, and from its outcome to an exit code.
#pragma once

#include "compiler/pipeline/registry.h"

#include <string>
#include <vector>

namespace tileproof::tool {

/// Runs what `words` say (the name of the program first) and returns the exit code. Never throws. `passes`: those that --pipeline
/// may name.
int run_command_line(const std::vector<std::string>& words, const pipeline::Registry& passes);

}  // namespace tileproof::tool
