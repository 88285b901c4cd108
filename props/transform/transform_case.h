// How the tests of the primitives state what an edit keeps.
#pragma once

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/environment.h"
#include "oracle/equivalence/check.h"
#include "oracle/equivalence/report.h"

#include <string>
#include <string_view>

namespace tileproof::transform {

inline ir::Program program(std::string_view text) {
  const auto file = ir::parse(text, "t");
  return file && ir::verify(*file).empty() ? file->programs.front() : ir::Program{};
}

/// A program with these items, whose errors, if any, stand in for its text.
inline ir::Program items(std::string_view text) { return program("tile 1 program t {\n" + std::string(text) + "\n}"); }

/// "tested", or what else the oracle says ("refuted: race (TP105)"), or the first error of `after`. The tier is left out.
inline std::string verdict(const ir::Program& before, const ir::Program& after) {
  const ir::Diagnostics diagnostics = ir::verify(after, "after");
  if (!diagnostics.empty()) return "not well formed: " + ir::to_string(diagnostics.front());
  oracle::CheckOptions options;
  options.threads = 1;
  const auto report = oracle::check(before, after, options);
  if (!report) return "not comparable: " + ir::to_string(report.error().front());
  if (report->verdict == oracle::Verdict::tested) return "tested";
  return oracle::headline(*report);
}

inline ir::Statement& statement(ir::Item& item) { return std::get<ir::Statement>(item.node); }

/// The first statement at the top level, or the last one.
inline size_t first_statement(const ir::Block& body) {
  size_t i = 0;
  while (i < body.size() && !std::holds_alternative<ir::Statement>(body[i].node)) ++i;
  return i;
}

}  // namespace tileproof::transform
