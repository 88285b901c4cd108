// One check as a CI service sees it, whatever became of it. JUnit XML and SARIF are made of these; docs/ci.md has the table.
#pragma once

#include "compiler/ir/diagnostic.h"
#include "oracle/equivalence/report.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tileproof::tool {

struct Judged {
  std::string name;                           ///< the test case: "before.tile after.tile", "tiled/penguin/matmul"
  oracle::CheckSubject subject;               ///< of what could not be read: no more than its file
  std::optional<oracle::CheckReport> report;  ///< nullopt: bad input, and `errors` say why
  ir::Diagnostics errors;
  std::string expected = "passes";            ///< in the words of `# expect`
  bool as_expected = false;
  std::optional<oracle::Pictures> explanation;   ///< if it was asked for
};

enum class CaseOutcome : uint8_t {
  pass,
  skipped,  // unsupported or timeout, and that was expected: neither a pass nor a failure, and counted by itself
  failure,  // refuted, or another verdict than the expected one
  error,    // not decided, not readable, or a bug of ours: never a pass
};
CaseOutcome outcome(const Judged& judged);

/// The verdict in a word, "bad-input" where there is no report.
std::string verdict_word(const Judged& judged);

/// One line: "refuted: value (TP001)", "unsupported: ...", "bad-input: a.tile:1:2: error: ..."; and what was expected instead, if
/// that was more than a pass.
std::string message(const Judged& judged);

}  // namespace tileproof::tool
