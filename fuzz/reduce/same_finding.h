// What a find of the oracle keeps while it is reduced.
#pragma once

#include "fuzz/reduce/reduce.h"
#include "oracle/equivalence/check.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace tileproof::fuzz {

/// The part of a report that does not depend on names, places and sizes.
struct FindingTrait {
  oracle::Verdict verdict = oracle::Verdict::harness_error;
  std::string reason;                           ///< unsupported, timeout, harness-error: without numbers and names
  std::optional<oracle::FindingId> finding;     ///< the decisive one
  std::string opcode;                           ///< of its statement, "-" if none
  std::optional<ir::Role> role;                 ///< of its buffer, or of the buffer under its view; nullopt if none
  /// How the inputs that enter the element that differs are not those of the original.
  bool misses = false, has_extra = false, repeats = false;
  std::set<oracle::FindingId> others;           ///< all that were found

  /// All the same, and nothing found that was not found before.
  bool is_kept_by(const FindingTrait& reduced) const;
};
FindingTrait trait_of(const oracle::CheckReport& report, const ir::Program& tiled);

/// The check of a pair has the trait. What is no pair, or has no check, is not interesting.
Interesting same_finding(FindingTrait wanted, oracle::CheckOptions options);

/// What a pipeline makes of a program; nullopt: it refuses it, or there is no such pipeline.
using Compile = std::function<std::optional<ir::Program>(const ir::Program& program, const std::string& pipeline)>;

/// ... of one program and what `compile` makes of it.
Interesting same_finding(FindingTrait wanted, oracle::CheckOptions options, Compile compile);

/// For ReduceLimits: with a finding about the meaning (value, rounding-only, overflow) an edited program stands for another one
/// only if the oracle accepts that they mean the same; machine limits are left aside. With other findings it always does.
std::function<bool(const ir::Program&, const ir::Program&)> same_meaning(const FindingTrait& wanted,
                                                                         oracle::CheckOptions options);

}  // namespace tileproof::fuzz
