// The command `plant`.
#pragma once

#include <string>
#include <vector>

namespace tileproof::plant {

/// `words` follow the command. Prints the score and returns the exit code: 0 where every bug is found and the right tiler raises no
/// alarm, 1 otherwise, 2 for a usage error, 4 where the oracle contradicted itself.
int run_plant(const std::vector<std::string>& words);

}  // namespace tileproof::plant
