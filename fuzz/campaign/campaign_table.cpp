#include "fuzz/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tileproof::fuzz {

namespace {

using Counts = std::map<std::string, uint64_t>;

uint64_t total(const Counts& counts) {
  uint64_t sum = 0;
  for (const auto& [key, count] : counts) sum += count;
  return sum;
}

uint64_t count_of(const Counts& counts, const std::string& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Most frequent first.
std::string table(const Counts& counts, uint64_t whole) {
  std::vector<std::pair<std::string, uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& each) { return each.second; });
  std::string text;
  for (const auto& [key, count] : sorted) text += fmt::format("  {:10} {:7.3f} %  {}\n", count, percent(count, whole), key);
  return text;
}

}  // namespace

std::string shortcomings(const Tally& tally) {
  std::string text;
  const uint64_t pairs = total(tally.pairs);
  const auto none = [&](uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format("{} {}\n", count, what);
  };
  none(count_of(tally.pairs, "refuted"), "right pairs are refuted");
  none(count_of(tally.pairs, "harness-error"), "right pairs are harness errors");
  none(count_of(tally.pairs, "timeout"), "right pairs time out");
  none(tally.slips_that("told apart, tested"), "slips that the judge tells apart are accepted");
  none(tally.slips_that("told apart, harness-error") + tally.slips_that("not told apart, harness-error"),
       "slips are harness errors");
  const double unsupported = percent(count_of(tally.pairs, "unsupported"), pairs),
               bad = percent(count_of(tally.pairs, "bad-original"), pairs);
  if (unsupported > most_unsupported)
    text += fmt::format("{:.2f} % of the pairs are unsupported, more than {} %\n", unsupported, most_unsupported);
  if (bad > most_bad_originals)
    text += fmt::format("{:.2f} % of the pairs have a bad original, more than {} %\n", bad, most_bad_originals);
  // No share is promised of slips of a dtype, which are slips of rounding; none of them may be accepted either.
  uint64_t promised = 0, of_these = 0;
  for (const auto& [kind, outcomes] : tally.slips) {
    if (kind == "dtype") continue;
    for (const auto& [outcome, count] : outcomes)
      if (outcome.starts_with("told apart")) promised += count;
    of_these += count_of(outcomes, "told apart, refuted");
  }
  const double refuted = percent(of_these, promised);
  if (promised > 0 && refuted < least_refuted)
    text += fmt::format("{:.3f} % of the slips told apart are refuted, less than {} %\n", refuted, least_refuted);
  return text;
}

std::string print(const Tally& tally) {
  const uint64_t pairs = total(tally.pairs), apart = tally.told_apart();
  std::string text;
  if (pairs > 0) {
    text += fmt::format("{} right pairs\n{}", pairs, table(tally.pairs, pairs));
    text += fmt::format("tiers that accepted them\n{}", table(tally.tiers, pairs));
    text += fmt::format("rewritings\n{}", table(tally.rewritings, pairs));
    text += "originals\n" + tally.originals.print();
  }
  if (!tally.slips.empty()) {
    static const std::vector<std::pair<std::string, std::string>> columns{
        {"refuted", "refuted"}, {"ACCEPTED", "tested"},       {"unsupported", "unsupported"},
        {"timeout", "timeout"}, {"harness", "harness-error"}, {"bad-original", "bad-original"}};
    for (const bool is_apart : {true, false}) {
      text += fmt::format("slips {} by the judge\n  {:12}", is_apart ? "told apart" : "not told apart", "kind");
      for (const auto& [title, verdict] : columns)
        text += fmt::format(" {:>12}", is_apart || title != "ACCEPTED" ? title : "accepted");
      text += "\n";
      for (const auto& [kind, outcomes] : tally.slips) {
        text += fmt::format("  {:12}", kind);
        for (const auto& [title, verdict] : columns)
          text += fmt::format(" {:12}", count_of(outcomes, (is_apart ? "told apart, " : "not told apart, ") + verdict));
        text += "\n";
      }
    }
    text += fmt::format("{} slips told apart, {:.3f} % of them refuted\n", apart,
                        percent(tally.slips_that("told apart, refuted"), apart));
  }
  if (!tally.reasons.empty()) text += "reasons\n" + table(tally.reasons, total(tally.reasons));
  if (!tally.left_out.empty()) text += "left out\n" + table(tally.left_out, total(tally.left_out));
  return text;
}

}  // namespace tileproof::fuzz
