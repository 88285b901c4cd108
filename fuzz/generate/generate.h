// Programs out of choices.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"
#include "oracle/interpret/run.h"

namespace tileproof::fuzz {

struct GenerateOptions {
  enum class Wildness : uint8_t {
    legal_only,   ///< no race, bounds or poison problem, no infinity or NaN, by construction: such a program equals itself
    wild,         ///< the same, then disturbed: also out of bounds, races, overlaps, poison, broken claims
  };
  Wildness wildness = Wildness::legal_only;
  int64_t most_points = 2048;   ///< of one statement, about; wild programs can have a little more
};

/// A well formed program (ir::verify finds nothing) of 1 to about 10 statements, whatever the choices are.
ir::Program generate_program(Choices& choices, const GenerateOptions& options = {});

/// Parameter values, key, order and index pattern with which to run the program. The kinds are those of the program alone.
oracle::RunOptions generate_run(const ir::Program& program, Choices& choices);

}  // namespace tileproof::fuzz
