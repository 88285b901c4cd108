// The tiler that a hunt tries: ours or somebody else's, as functions.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"
#include "oracle/equivalence/check.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tileproof::fuzz {

/// What became of one program in a tiler.
struct Made {
  enum class Kind : uint8_t {
    program,   // a well-formed program
    refused,   // it said that it does not support the program
    garbage,   // what it made is no well-formed program
    crash,     // it ended by a signal, or with an exit code that means nothing
    hang,      // it took longer than it was given
    unusable,  // it cannot be run at all: it ends, time after time, before it has read a program
    stopped,   // the hunt was stopped meanwhile
  };
  Kind kind = Kind::program;
  ir::Program program;
  std::string why;    ///< what happened, in a line; empty for a program
  std::string pass;   ///< the pass that failed; empty: not known
  std::vector<std::string> errors = {};   ///< of a command that crashed or hangs: its last lines on standard error
};

struct Tiler {
  /// `machine` may be nullptr.
  std::function<Made(const ir::Program& original, const machine::Machine* machine)> make;
  /// The name of the pass that made `report` of this program; empty function: nobody can say.
  std::function<std::string(const ir::Program& original, const oracle::CheckReport& report, const oracle::CheckOptions& options)>
      blame;
  /// Why there is no fault though `report` refutes what was made: what it says is of statements that the tiler declined and left as they were.
  /// Empty: it is a fault. Empty function: nobody can say.
  std::function<std::string(const ir::Program& original, const oracle::CheckReport& report, const oracle::CheckOptions& options)>
      excuse;
};

}  // namespace tileproof::fuzz
