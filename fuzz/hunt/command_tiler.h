// Somebody else's tiler as a command: programs on its standard input, programs on its standard output.
//
// One process for each program: it reads one program until the end of its input, writes the tiled program and exits with 0. Exit code 3
// says that it does not support the program. In a batch one process takes many programs: each is followed by the line `# end`, and so is
// each answer. In both, an answer whose first line is `# refused: WHY` says that the program is not supported. All else that is not a
// program is garbage, all other ends are crashes, and what takes longer than the limit hangs. A process that ends without a word before it
// has read a byte says nothing about the program: it is started again, and after most_starts times in a row the command is unusable.
#pragma once

#include "fuzz/hunt/tiler.h"

#include <atomic>
#include <chrono>
#include <string>

namespace tileproof::fuzz {

struct CommandOptions {
  std::string command;  ///< for /bin/sh
  bool batch = false;
  std::chrono::milliseconds timeout{10'000};  ///< for each program
};

inline constexpr int most_starts = 5;

/// The line behind each program of a batch.
inline constexpr std::string_view end_line = "# end";

/// A batch starts its process with the first program, and anew after a crash or hang. `stop` must outlive the tiler: it ends waiting.
Tiler command_tiler(const CommandOptions& options, const std::atomic<bool>& stop);

}  // namespace tileproof::fuzz
