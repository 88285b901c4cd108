// Passes applied to a program, and whether what they made is well formed: a failure has the name of a pass.
#pragma once

#include "compiler/pipeline/pipeline.h"

#include <expected>
#include <string>
#include <vector>

namespace tileproof::pipeline {

/// What a pass made, and what it said.
struct Stage {
  ir::Program program;
  std::vector<Remark> remarks;
  std::vector<Obligation> obligations;
};

struct Failure {
  enum class Kind : uint8_t {
    refused,      // the pass cannot take the program: not supported
    ill_formed,   // what it made is no well-formed program, or what it said no word of its vocabulary: a bug of the pass
  };
  Kind kind = Kind::refused;
  std::string pass;
  ir::Diagnostics diagnostics;   ///< places: refused: in the text of the program, without a file; ill_formed: none
};

/// One pass. Precondition: the program is well formed.
std::expected<Stage, Failure> run_step(const ir::Program& program, const Step& step, const machine::Machine* machine);

/// All passes: the last program, with the remarks and obligations of all.
std::expected<Stage, Failure> run_pipeline(const ir::Program& program, const Pipeline& pipeline, const machine::Machine* machine);

}  // namespace tileproof::pipeline
