// Compile, and check after every pass: what the pipeline made so far against the program that it was given.
#pragma once

#include "compiler/pipeline/run_pipeline.h"
#include "oracle/equivalence/check.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::oracle {

/// Proves what a pass stated: `proved`, `refuted`, `unsupported` or `timeout`.
using Discharge = std::function<Verdict(const pipeline::Obligation&)>;

/// A pass that ran, and how its program compares with the original.
struct CheckedPass {
  std::string pass;
  bool changed = true;   ///< false: the program is the one before, so its report is the one before unless a machine judges it
  pipeline::Stage stage;
  CheckReport report;
};

struct PipelineReport {
  std::vector<CheckedPass> passes;      ///< in order, up to the one where it ended
  /// The decisive check: the one that does not pass, a refuted one before an undecided one, or the last. Where a pass made no
  /// program to check, what became of it with the reason: `unsupported` (it refuses, or what breaks limits of the machine are
  /// statements that a pass declined and left as they were; oracle/pipeline/declined.h), `refuted` (what it made is not well formed,
  /// has another interface, or an obligation that does not hold).
  CheckReport report;
  std::string pass;  ///< after which the decisive check was made; empty: before the first
  bool complete = false;  ///< all passes ran, and the end was checked on the machine
  uint64_t points = 0;  ///< statement points of all checks
  std::map<std::string, uint64_t> counted;  ///< "obligations proved", "obligations not proved: no prover", ...
};

/// Meaning is checked after every pass, legality on `options.machine` only at the end: what lies between is not yet legal. The
/// empty pipeline checks the program against itself, on the machine. A refutation ends it; a check that is not decided does not,
/// but the verdict never gets better than that. `options.timeout` is that of the whole. Precondition: the program is well formed.
PipelineReport verify_pipeline(const ir::Program& original, const pipeline::Pipeline& pipeline, const CheckOptions& options,
                               const Discharge& discharge = nullptr);

}  // namespace tileproof::oracle
