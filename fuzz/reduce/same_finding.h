// What a find keeps while it is reduced.
#pragma once

#include "compiler/pipeline/registry.h"
#include "fuzz/reduce/reduce.h"
#include "oracle/equivalence/check.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace tileproof::fuzz {

/// What is said of a subject.
struct Judgement {
  std::string
      outcome;  ///< in a word, of whoever judges: "checked"; where there was nothing to check "crash", "hang", "garbage", ...
  std::string why;      ///< ... and why there was nothing to check
  std::string pass;     ///< that is at fault; empty: not known
  std::optional<ir::Program> tiled;           ///< what was compared with the original
  std::optional<oracle::CheckReport> report;  ///< of the decisive check
};
using Judge = std::function<Judgement(const Subject&)>;

/// Checks a pair.
Judge pair_judge(oracle::CheckOptions options);

/// Tiles one program by the pipeline of the subject, and checks after every pass (oracle::verify_pipeline); `options.machine` is that of
/// the passes too. The outcome is "no pipeline" where its text does not parse, and "exception" where a pass threw one.
Judge pipeline_judge(pipeline::Registry passes, oracle::CheckOptions options);

/// The part of a judgement that does not depend on names, places and sizes.
struct FindingTrait {
  std::string outcome, pass;
  std::string reason;  ///< without numbers and names: why there is no finding, or which limit of a machine is broken
  oracle::Verdict verdict = oracle::Verdict::harness_error;
  std::optional<oracle::FindingId> finding;  ///< the decisive one
  std::string opcode;  ///< of its statement, "-" if none
  std::optional<ir::Update> update;  ///< ... and how it writes
  std::optional<ir::Role> role;  ///< of its buffer, or of the buffer under its view; nullopt if none
  std::string space;  ///< ... and where that is
  /// How the inputs that enter the element that differs are not those of the original.
  bool misses = false, has_extra = false, repeats = false;
  bool differs_everywhere = false;  ///< all elements of the buffer differ
  std::set<oracle::FindingId> others;  ///< all that were found

  /// All the same, and nothing found that was not found before.
  bool is_kept_by(const FindingTrait& reduced) const;
};
FindingTrait trait_of(const Judgement& judgement);

/// The judgement of a subject has the trait.
Interesting same_finding(FindingTrait wanted, Judge judge);

/// For ReduceLimits: with a finding about the meaning (value, rounding-only, overflow) an edited program stands for another one
/// only if the oracle accepts that they mean the same; machine limits are left aside. With other findings it always does.
std::function<bool(const ir::Program&, const ir::Program&)> same_meaning(const FindingTrait& wanted,
                                                                         oracle::CheckOptions options);

}  // namespace tileproof::fuzz
