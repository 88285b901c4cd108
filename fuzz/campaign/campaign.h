// Campaigns that measure the oracle: right pairs that it must not refute, and slips that it must not accept.
#pragma once

#include "fuzz/generate/distribution.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace tileproof::fuzz {

struct CampaignOptions {
  uint64_t pairs = 1000, slips = 1000;
  uint64_t seed = 1;
  unsigned jobs = 1;
  std::string folder;   ///< where finds are written; empty: nowhere
};

/// Counts of cases by what became of them. A case is made of the seed and its number alone, so the counts do not depend on the jobs.
struct Tally {
  std::map<std::string, uint64_t> pairs;  ///< by verdict, as the command line names them
  std::map<std::string, uint64_t> tiers;  ///< of the pairs that passed
  std::map<std::string, uint64_t> rewritings;  ///< pairs in which a rewriting occurs; "identity" where none does
  /// Slips by kind, then by what the judge and the oracle said: "told apart, refuted", "not told apart, tested", ...
  std::map<std::string, std::map<std::string, uint64_t>> slips;
  std::map<std::string, uint64_t> reasons;  ///< why pairs or slips were not decided, and how often, with numbers left out
  std::map<std::string, uint64_t> left_out;  ///< slips drawn again, and cases in which none was found
  Distribution originals;

  void merge(const Tally& other);
  uint64_t slips_that(const std::string& outcome) const;  ///< of all kinds
  uint64_t told_apart() const;
};

/// One pair, or one slip. Finds go to the folder at once: a file each, whole.
void run_pair(uint64_t number, const CampaignOptions& options, Tally& tally);
void run_slip(uint64_t number, const CampaignOptions& options, Tally& tally);

/// All of them; `done` counts finished cases, for whoever watches.
Tally run_campaign(const CampaignOptions& options, std::atomic<uint64_t>& done);

/// What a campaign has to show, in percent; `least_refuted` of the slips that are told apart and not of a dtype.
inline constexpr double most_unsupported = 2, most_bad_originals = 3, least_refuted = 99.5;

/// What is wrong with the result, a line each; empty: nothing.
std::string shortcomings(const Tally& tally);
/// The tables.
std::string print(const Tally& tally);

}  // namespace tileproof::fuzz
