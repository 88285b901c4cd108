#include "fuzz/hunt/outcome.h"

#include "fuzz/reduce/walk.h"
#include "oracle/equivalence/report.h"

#include <fmt/format.h>

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
    case Made::Kind::unusable: return Outcome::Kind::unusable;
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

/// "add", "max", ...; of `=` nothing.
std::string_view word(ir::Update update) {
  constexpr std::string_view words[] = {"", "add", "times", "max", "min", "and", "or", "xor"};
  return words[static_cast<size_t>(update)];
}

/// The space of a buffer, wherever it is declared; empty: there is none of this name.
std::string space_of(const ir::Program& program, const std::string& name) {
  std::string space;
  each<ir::Buffer>(program, [&](const ir::Buffer& buffer) {
    if (space.empty() && buffer.name == name) space = buffer.space;
  });
  return space;
}

/// As in a key.
std::string statement_of(const oracle::Finding& finding, const ir::Program& original, const ir::Program& made) {
  const bool is_limit = finding.id >= oracle::FindingId::capacity;
  const ir::Statement* at_fault = nullptr;
  for (const auto& [statement, label] : ir::labelled_statements(made))
    if (label == finding.statement) at_fault = statement;
  const ir::Statement* meant = is_limit ? at_fault : nullptr;
  if (!is_limit)
    for (const auto& [statement, label] : ir::labelled_statements(original))
      if (meant == nullptr && statement->destination == finding.buffer) meant = statement;
  if (meant == nullptr) meant = at_fault;
  std::string kind(at_fault != nullptr ? at_fault->opcode : "");
  const auto add = [&kind](std::string_view more) {
    if (!more.empty()) kind += kind.empty() ? std::string(more) : "." + std::string(more);
  };
  // That a matmul adds goes without saying; that a store takes what was added does not.
  const bool is_plain = at_fault != nullptr && meant->update == ir::Update::add && at_fault->update == ir::Update::add;
  if (meant != nullptr && !is_plain) add(word(meant->update));
  if (is_limit) add(space_of(made, finding.buffer));
  return kind;
}

std::string_view or_dash(std::string_view text) { return text.empty() ? "-" : text; }

}  // namespace

std::string_view name(Outcome::Kind kind) {
  constexpr std::string_view names[] = {"passed",  "refused",      "undecided",     "wrong",    "crash",  "hang",
                                        "garbage", "bad-original", "harness-error", "unusable", "stopped"};
  return names[static_cast<size_t>(kind)];
}

std::string Outcome::key() const {
  std::string_view finding = name(kind);
  if (kind == Kind::wrong && !report->findings.empty()) finding = oracle::name(report->findings.front().id);
  return fmt::format("{} {} {}", finding, or_dash(statement), or_dash(pass));
}

Outcome try_tiler(const Tiler& tiler, const ir::Program& original, const oracle::CheckOptions& options) {
  Outcome outcome;
  try {
    Made made = tiler.make(original, options.machine);
    if (made.kind != Made::Kind::program)
      return {
          .kind = kind_of(made.kind), .why = std::move(made.why), .pass = std::move(made.pass), .errors = std::move(made.errors)};
    outcome.made = std::move(made.program);
  } catch (const std::exception& error) {
    return {.kind = Outcome::Kind::crash, .why = fmt::format("exception: {}", error.what())};
  }
  auto report = oracle::check(original, outcome.made, options);
  if (!report) {
    outcome.kind = Outcome::Kind::garbage;
    outcome.why = report.error().front().message;
    return outcome;
  }
  outcome.kind = kind_of(report->verdict);
  outcome.why = oracle::headline(*report);
  if (outcome.kind == Outcome::Kind::wrong && tiler.excuse) {
    if (std::string excuse = tiler.excuse(original, *report, options); !excuse.empty()) {
      outcome.kind = Outcome::Kind::refused;
      outcome.why = std::move(excuse);
    }
  }
  if (outcome.kind == Outcome::Kind::wrong) {
    if (!report->findings.empty()) outcome.statement = statement_of(report->findings.front(), original, outcome.made);
    if (tiler.blame) outcome.pass = tiler.blame(original, *report, options);
  }
  outcome.report = std::move(*report);
  return outcome;
}

}  // namespace tileproof::fuzz
