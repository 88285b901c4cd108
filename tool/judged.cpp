#include "tool/judged.h"

#include <fmt/format.h>

namespace tileproof::tool {

using oracle::Verdict;

CaseOutcome outcome(const Judged& judged) {
  if (!judged.report) return CaseOutcome::error;
  const Verdict verdict = judged.report->verdict;
  const bool is_undecided = verdict == Verdict::unsupported || verdict == Verdict::timeout;
  if (verdict == Verdict::harness_error) return CaseOutcome::error;
  if (judged.as_expected) return is_undecided ? CaseOutcome::skipped : CaseOutcome::pass;
  return is_undecided || verdict == Verdict::bad_original ? CaseOutcome::error : CaseOutcome::failure;
}

std::string verdict_word(const Judged& judged) { return judged.report ? std::string(name(judged.report->verdict)) : "bad-input"; }

std::string message(const Judged& judged) {
  const std::string first = judged.errors.empty() ? "" : to_string(judged.errors.front());
  std::string text = judged.report ? headline(*judged.report) : fmt::format("bad-input: {}", first);
  if (judged.expected != "passes" && !judged.as_expected) text += fmt::format("; expected: {}", judged.expected);
  return text;
}

}  // namespace tileproof::tool
