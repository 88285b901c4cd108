#include "fuzz/campaign/campaign.h"

#include "fuzz/campaign/find.h"
#include "fuzz/judge/judge.h"
#include "fuzz/retile/retile.h"
#include "fuzz/slip/slip.h"
#include "oracle/interpret/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace tileproof::fuzz {

namespace {

using oracle::Verdict;

oracle::CheckReport checked(const ir::Program& original, const ir::Program& tiled) {
  oracle::CheckOptions options;
  options.threads = 1;
  auto report = oracle::check(original, tiled, options);
  if (report) return std::move(*report);
  oracle::CheckReport refused;   // interfaces that differ: neither a rewriting nor a slip touches them
  refused.verdict = Verdict::harness_error;
  refused.reason = ir::to_string(report.error().front());
  return refused;
}

/// Without what differs from case to case: numbers, and the statements that are named.
std::string kind_of(std::string reason) {
  if (const size_t unless = reason.find(" unless "); unless != std::string::npos) {
    if (const size_t narrows = reason.find(" narrows "); narrows != std::string::npos)
      reason = reason.substr(0, unless) + " unless a statement" + reason.substr(narrows);
  }
  std::string kind;
  for (const char c : reason) {
    if (c < '0' || c > '9')
      kind += c;
    else if (kind.empty() || kind.back() != 'N')
      kind += 'N';
  }
  return kind;
}

Choices choices_of(const CampaignOptions& options, uint64_t campaign, uint64_t number) {
  return Choices::from_seed(oracle::mix(oracle::mix(options.seed, campaign), number));
}

/// A sample of what there may be much of, the same for any number of jobs.
bool is_sampled(uint64_t number, uint64_t of) { return number < std::max<uint64_t>(2000, of / 50); }

void add(std::map<std::string, uint64_t>& to, const std::map<std::string, uint64_t>& from) {
  for (const auto& [key, count] : from) to[key] += count;
}

}  // namespace

void run_pair(uint64_t number, const CampaignOptions& options, Tally& tally) {
  Choices choices = choices_of(options, 1, number);
  const RetiledPair pair = retile(choices);
  tally.originals.add(pair.original);
  if (pair.rewritings.empty()) ++tally.rewritings["identity"];
  for (const std::string& rewriting : pair.rewritings) ++tally.rewritings[rewriting];
  const oracle::CheckReport report = checked(pair.original, pair.tiled);
  ++tally.pairs[std::string(name(report.verdict))];
  const Find find{pair.original, pair.tiled, report, options.seed, number, {}};
  switch (report.verdict) {
    case Verdict::proved:
    case Verdict::tested: ++tally.tiers[std::string(name(report.tier))]; return;
    case Verdict::refuted: return write_find(options.folder, "false-alarm", find);
    case Verdict::harness_error: return write_find(options.folder, "pair-harness-error", find);
    default: break;
  }
  ++tally.reasons["pair: " + kind_of(report.verdict == Verdict::bad_original ? std::string(name(report.findings.front().id))
                                                                             : report.reason)];
  if (report.verdict == Verdict::bad_original || is_sampled(number, options.pairs))
    write_find(options.folder, "pair-" + std::string(name(report.verdict)), find);
}

void run_slip(uint64_t number, const CampaignOptions& options, Tally& tally) {
  Choices choices = choices_of(options, 2, number);
  RetiledPair pair = retile(choices, {.identity_percent = 0});
  const std::optional<Slip> slip = make_slip(pair.tiled, choices);
  if (!slip) {
    ++tally.left_out["no place for a slip"];
    return;
  }
  tally.left_out["draws that did not verify or changed nothing"] += slip->rejected;
  const Judgement judgement = judge(pair.original, pair.tiled, {.seed = number + 1});
  if (judgement.outcome == Judgement::Outcome::bad_original) {
    ++tally.left_out["bad original: " + judgement.why];
    return;
  }
  const bool apart = judgement.outcome == Judgement::Outcome::told_apart;
  const oracle::CheckReport report = checked(pair.original, pair.tiled);
  const std::string verdict(name(report.verdict));
  ++tally.slips[std::string(name(slip->kind))][fmt::format("{}told apart, {}", apart ? "" : "not ", verdict)];
  const Find find{pair.original,
                  pair.tiled,
                  report,
                  options.seed,
                  number,
                  fmt::format("{}: {}\njudge: {} in {} inputs {}", name(slip->kind), slip->what,
                              apart ? "told apart" : "not told apart", judgement.inputs, judgement.why)};
  if (report.verdict == Verdict::unsupported || report.verdict == Verdict::timeout)
    ++tally.reasons[fmt::format("slip {}told apart: {}", apart ? "" : "not ", kind_of(report.reason))];
  switch (report.verdict) {
    case Verdict::harness_error: return write_find(options.folder, "slip-harness-error", find);
    case Verdict::refuted:
      if (!apart) ++tally.reasons[fmt::format("slip not told apart: refuted: {}", name(report.findings.front().id))];
      if (!apart && is_sampled(number, options.slips)) write_find(options.folder, "refuted-alone", find);
      return;
    default:
      if (apart) write_find(options.folder, report.verdict == Verdict::tested ? "accepted-slip" : "undecided-slip", find);
      return;
  }
}

void Tally::merge(const Tally& other) {
  add(pairs, other.pairs);
  add(tiers, other.tiers);
  add(rewritings, other.rewritings);
  add(reasons, other.reasons);
  add(left_out, other.left_out);
  for (const auto& [kind, outcomes] : other.slips) add(slips[kind], outcomes);
  originals.merge(other.originals);
}

uint64_t Tally::slips_that(const std::string& outcome) const {
  uint64_t count = 0;
  for (const auto& [kind, outcomes] : slips)
    if (const auto found = outcomes.find(outcome); found != outcomes.end()) count += found->second;
  return count;
}

uint64_t Tally::told_apart() const {
  uint64_t count = 0;
  for (const auto& [kind, outcomes] : slips)
    for (const auto& [outcome, each] : outcomes)
      if (outcome.starts_with("told apart")) count += each;
  return count;
}

Tally run_campaign(const CampaignOptions& options, std::atomic<uint64_t>& done) {
  constexpr uint64_t chunk = 16;
  const uint64_t cases = options.pairs + options.slips;
  std::atomic<uint64_t> next{0};
  std::vector<Tally> tallies(std::max(1U, options.jobs));
  {
    std::vector<std::jthread> threads;
    for (Tally& tally : tallies) {
      threads.emplace_back([&] {
        for (uint64_t first = next.fetch_add(chunk); first < cases; first = next.fetch_add(chunk)) {
          for (uint64_t i = first; i < std::min(cases, first + chunk); ++i, ++done) {
            if (i < options.pairs)
              run_pair(i, options, tally);
            else
              run_slip(i - options.pairs, options, tally);
          }
        }
      });
    }
  }
  for (size_t i = 1; i < tallies.size(); ++i) tallies[0].merge(tallies[i]);
  return std::move(tallies[0]);
}

}  // namespace tileproof::fuzz
