#include "compiler/ir/suggestion.h"
#include "oracle/prove/catalogue.h"
#include "oracle/prove/prover.h"
#include "tool/commands.h"
#include "tool/record.h"
#include "tool/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tileproof::tool {
namespace {

using prove::Lemma;
using prove::Proof;
using prove::Verdict;

/// The lemmas that the words name, in the order of the catalogue: a name, or a topic ("cut" for "cut.budget" and its like).
/// No words: all.
std::expected<std::vector<const Lemma*>, ir::Diagnostics> named_lemmas(const std::vector<std::string>& words) {
  const auto meant_by = [](const Lemma& lemma, const std::string& word) {
    return lemma.name == word || lemma.name.starts_with(word + ".");
  };
  ir::Diagnostics errors;
  for (const std::string& word : words) {
    if (std::ranges::any_of(prove::catalogue(), [&](const Lemma& lemma) { return meant_by(lemma, word); })) continue;
    std::vector<std::string_view> names;
    for (const Lemma& lemma : prove::catalogue()) names.push_back(lemma.name);
    errors.push_back({"tileproof prove",
                      {},
                      fmt::format("no lemma is called {}", ir::quoted(word)),
                      ir::suggestion(word, names, "`tileproof prove --list` names them all")});
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  std::vector<const Lemma*> lemmas;
  for (const Lemma& lemma : prove::catalogue()) {
    if (words.empty() || std::ranges::any_of(words, [&](const std::string& word) { return meant_by(lemma, word); }))
      lemmas.push_back(&lemma);
  }
  return lemmas;
}

std::string numbers(const prove::Sizes& sizes) {
  std::vector<std::string> words;
  for (const auto& [name, value] : sizes) words.push_back(fmt::format("{} = {}", name, value));
  return fmt::format("{}", fmt::join(words, ", "));
}

bool as_expected(const Lemma& lemma, const Proof& proof) { return proof.verdict == lemma.expected; }

Json lemma_record(const Lemma& lemma) {
  return {{"name", lemma.name},   {"function", lemma.function}, {"statement", lemma.statement},
          {"sizes", lemma.sizes}, {"tie", name(lemma.tie)},     {"expected", name(lemma.expected)}};
}

Json proof_record(const Lemma& lemma, const Proof& proof) {
  Json record = lemma_record(lemma);
  record["verdict"] = name(proof.verdict);
  record["seconds"] = proof.seconds;
  record["case"] = proof.sizes;
  record["reason"] = proof.reason;
  record["claim"] = proof.verdict == Verdict::refuted ? Json(proof.claim) : Json(nullptr);
  record["counterexample"] = proof.verdict == Verdict::refuted ? Json(proof.counterexample) : Json(nullptr);
  return record;
}

std::vector<Column> columns_for(const std::vector<const Lemma*>& lemmas) {
  std::vector<Column> columns{{"lemma", 5}, {"verdict", 8}, {"seconds", 8, true}, {"function", 8}, {"", 0}};
  for (const Lemma* lemma : lemmas) {
    columns[0].width = std::max(columns[0].width, lemma->name.size());
    columns[3].width = std::max(columns[3].width, lemma->function.size());
  }
  return columns;
}

std::string row(const std::vector<Column>& columns, const Lemma& lemma, const Proof& proof) {
  std::string text =
      table_row(columns, {std::string(lemma.name), std::string(name(proof.verdict)), fmt::format("{:.2f}", proof.seconds),
                          std::string(lemma.function), as_expected(lemma, proof) ? "" : "NOT AS EXPECTED"});
  if (proof.verdict == Verdict::proved) return text;
  text += fmt::format("  {}\n", lemma.statement);
  if (!proof.sizes.empty()) text += fmt::format("  case            {}\n", proof.sizes);
  if (proof.verdict != Verdict::refuted) return text + fmt::format("  reason          {}\n", proof.reason);
  return text + fmt::format("  does not hold   {}\n  counterexample  {}\n", proof.claim, numbers(proof.counterexample));
}

std::string list(const std::vector<const Lemma*>& lemmas) {
  std::string text;
  for (const Lemma* lemma : lemmas) {
    text += fmt::format("{}{}\n  {}\n  about  {} ({})\n  sizes  {}\n", lemma->name,
                        lemma->expected == Verdict::refuted ? "  (false)" : "", lemma->statement, lemma->function,
                        name(lemma->tie), lemma->sizes);
  }
  return text;
}

/// What became of all of them: a refuted lemma outweighs an error, and that a timeout.
struct Tally {
  uint64_t all = 0, as_expected = 0, errors = 0, timeouts = 0;

  void count(const Lemma& lemma, const Proof& proof) {
    ++all;
    if (tool::as_expected(lemma, proof)) {
      ++as_expected;
    } else if (proof.verdict == Verdict::timeout) {
      ++timeouts;
    } else if (proof.verdict == Verdict::error) {
      ++errors;
    }
  }
  ExitCode exit() const {
    if (as_expected + errors + timeouts < all) return ExitCode::refuted;
    return errors > 0 ? ExitCode::harness_error : timeouts > 0 ? ExitCode::undecided : ExitCode::passes;
  }
};

}  // namespace

Outcome prove_command(const ProveArguments& arguments, Console& console) {
  const auto lemmas = named_lemmas(arguments.lemmas);
  if (!lemmas) return std::unexpected(lemmas.error());
  const bool json = arguments.format == Format::json;
  Json records = Json::array();
  if (arguments.list) {
    for (const Lemma* lemma : *lemmas) records.push_back(lemma_record(*lemma));
    console.print(json ? record_text(records) : list(*lemmas));
    return ExitCode::passes;
  }
  prove::ProverOptions options;
  options.jobs = arguments.jobs;
  options.timeout_seconds = arguments.timeout_seconds;
  std::vector<std::vector<prove::Goal>> goals;
  for (const Lemma* lemma : *lemmas) goals.push_back(lemma->goals());
  const std::vector<Column> columns = columns_for(*lemmas);
  if (!json) console.print(table_head(columns));
  Tally tally;
  const auto begin = std::chrono::steady_clock::now();
  prove::prove_apart(goals, options, [&](size_t i, const Proof& proof) {
    const Lemma& lemma = *(*lemmas)[i];
    tally.count(lemma, proof);
    if (json) {
      records.push_back(proof_record(lemma, proof));
    } else {
      console.print(row(columns, lemma, proof));
    }
    return !console.closed();
  });
  if (console.closed()) return ExitCode::undecided;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  console.print(json ? record_text(records)
                     : fmt::format("\n{} of {} as expected in {:.1f} s\n", tally.as_expected, tally.all, seconds));
  return tally.exit();
}

}  // namespace tileproof::tool
