// From the words of a command line to a command, and from its outcome to an exit code.
#pragma once

#include <string>
#include <vector>

namespace tileproof::tool {

/// Runs what `words` say (the name of the program first) and returns the exit code. Never throws.
int run_command_line(const std::vector<std::string>& words);

}  // namespace tileproof::tool
