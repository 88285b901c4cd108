#include "fuzz/hunt/outcome.h"

#include "oracle/equivalence/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace tileproof::fuzz {

using oracle::Verdict;

namespace {

Outcome::Kind kind_of(Made::Kind kind) {
  switch (kind) {
    case Made::Kind::refused: return Outcome::Kind::refused;
    case Made::Kind::garbage: return Outcome::Kind::garbage;
    case Made::Kind::crash: return Outcome::Kind::crash;
    case Made::Kind::hang: return Outcome::Kind::hang;
    default: return Outcome::Kind::stopped;
  }
}

Outcome::Kind kind_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved:
    case Verdict::tested: return Outcome::Kind::passed;
    case Verdict::refuted: return Outcome::Kind::wrong;
    case Verdict::bad_original: return Outcome::Kind::bad_original;
    case Verdict::unsupported:
    case Verdict::timeout: return Outcome::Kind::undecided;
    default: return Outcome::Kind::harness_error;
  }
}

/// Refuted for limits of the machine alone.
bool breaks_limits_only(const oracle::CheckReport& report) {
  return report.verdict == Verdict::refuted && !report.findings.empty() &&
         std::ranges::all_of(report.findings,
                             [](const oracle::Finding& finding) { return finding.id >= oracle::FindingId::capacity; });
}

std::string_view or_dash(std::string_view text) { return text.empty() ? "-" : text; }

}  // namespace

std::string_view name(Outcome::Kind kind) {
  constexpr std::string_view names[] = {"passed", "refused", "undecided",    "wrong",         "crash",
                                        "hang",   "garbage", "bad-original", "harness-error", "stopped"};
  return names[static_cast<size_t>(kind)];
}

std::string Outcome::key() const {
  std::string_view finding = name(kind), opcode;
  if (kind == Kind::wrong && !report->findings.empty()) {
    const oracle::Finding& decisive = report->findings.front();
    finding = oracle::name(decisive.id);
    opcode = std::string_view(decisive.statement).substr(0, decisive.statement.find('#'));
  }
  return fmt::format("{} {} {}", finding, or_dash(opcode), or_dash(pass));
}

Outcome try_tiler(const Tiler& tiler, const ir::Program& original, const oracle::CheckOptions& options) {
  Outcome outcome;
  std::string declined;
  try {
    Made made = tiler.make(original, options.machine);
    if (made.kind != Made::Kind::program)
      return {.kind = kind_of(made.kind), .why = std::move(made.why), .pass = std::move(made.pass), .made = {}, .report = {}};
    outcome.made = std::move(made.program);
    declined = std::move(made.declined);
  } catch (const std::exception& error) {
    return {
        .kind = Outcome::Kind::crash, .why = fmt::format("exception: {}", error.what()), .pass = {}, .made = {}, .report = {}};
  }
  auto report = oracle::check(original, outcome.made, options);
  if (!report) {
    outcome.kind = Outcome::Kind::garbage;
    outcome.why = report.error().front().message;
    return outcome;
  }
  outcome.kind = kind_of(report->verdict);
  outcome.why = oracle::headline(*report);
  // A statement that was left whole means what it did, and computes on tensors that are not on the chip.
  if (!declined.empty() && breaks_limits_only(*report)) {
    outcome.kind = Outcome::Kind::refused;
    outcome.why = "declined: " + declined;
  }
  if (outcome.kind == Outcome::Kind::wrong && tiler.blame) outcome.pass = tiler.blame(original, *report, options);
  outcome.report = std::move(*report);
  return outcome;
}

}  // namespace tileproof::fuzz
