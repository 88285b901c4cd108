// A program that `verify` compiled and checked, as people and as programs read it.
#pragma once

#include "compiler/analysis/cost.h"
#include "oracle/pipeline/verify_pipeline.h"
#include "tool/commands.h"
#include "tool/judged.h"
#include "tool/record.h"

#include <optional>
#include <string>

namespace tileproof::tool {

struct Verified {
  NamedProgram original;
  std::string machine;                    ///< its name; empty: none
  oracle::PipelineReport result;
  std::optional<analysis::Cost> cost;     ///< of what all passes made; nullopt: they did not get there
  double seconds = 0;

  ExitCode exit() const { return static_cast<ExitCode>(oracle::exit_code(result.report.verdict)); }
};

/// "refuted: value (TP001) after split", "unsupported: refuse refuses: ...".
std::string headline(const Verified& verified);

/// What stands under the row of the program: cost, what passes declined, what is counted; the whole report where it does not pass.
std::string details(const Verified& verified, const VerifyArguments& arguments);

/// An entry of the record's `programs`.
Json program_record(const Verified& verified, const VerifyArguments& arguments);

/// ... as a CI service sees it.
Judged judged(const Verified& verified, const VerifyArguments& arguments);

}  // namespace tileproof::tool
