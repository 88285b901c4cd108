// What the program tells the shell. README.md and --help print this table.
#pragma once

namespace tileproof::tool {

enum class ExitCode : int {
  passes = 0,         // proved or tested; for other commands: done
  refuted = 1,        // the programs differ, or the second is not legal; replay: a file is not as expected
  bad_input = 2,  // bad input or usage (replay: of any file), an original without a single meaning, or an unwritable result
  undecided = 3,  // unsupported, or a limit was reached
  harness_error = 4,  // the oracle contradicts itself: a bug of ours
};

}  // namespace tileproof::tool
