// The verdict on two programs: do they mean the same, and is the second one legal on its machine?
#pragma once

#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"
#include "oracle/finding.h"
#include "oracle/interpret/run.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::oracle {

enum class Verdict : uint8_t {
  proved,         // for all sizes
  tested,         // the programs agree on every run made
  refuted,        // they differ, or the second is not legal
  bad_original,   // the first program has no single meaning
  unsupported,    // the oracle cannot decide
  timeout,        // a limit that the user set was reached
  harness_error,  // the oracle contradicts itself: a bug of ours
};
std::string_view name(Verdict verdict);
/// 0 proved and tested; 1 refuted; 2 bad original (and bad input or usage); 3 unsupported and timeout; 4 harness error.
int exit_code(Verdict verdict);

/// Three; more where both programs' narrow dtypes are so many that a run sees each misplaced rounding less surely, so that it is
/// missed with a probability of 2^-39 at most over all of them.
int sufficient_keys(const Signature& signature);

/// The exact tiers, in the order tried (spec: docs/verdicts.md).
/// `exp_plain` is `exp` without the lattice: cheaper, and without a limit on the elements of a maximum.
enum class Tier : uint8_t { none, field, lattice, exp_plain, exp, distributing, rank, integers };
std::string_view name(Tier tier);

enum class Rounding : uint8_t { strict, relaxed };

struct CheckOptions {
  const machine::Machine* machine = nullptr;   ///< nullptr: no machine limits are judged
  Rounding rounding = Rounding::strict;
  uint64_t seed = 1;
  int keys = 0;                                ///< keyed runs that must agree, each in an order of its own; 0: sufficient_keys
  bool ieee = true;  ///< false: no real run looks for overflows, nor whether the exact tiers are right
  uint64_t max_points = Limits{}.points;  ///< statement points of one run, and steps of loops without one
  uint64_t max_memory = Limits{}.bytes;  ///< bytes of one run
  int threads = 2;  ///< 1: the two programs run one after the other; the report is the same
  std::chrono::milliseconds timeout{0};  ///< of the whole check; 0: none
  std::function<void(const std::string&)> progress;  ///< called now and then with what is being done; may be empty
};

/// One element of a counterexample, as people read it.
struct Difference {
  std::string buffer;
  std::vector<int64_t> element;  ///< the smallest index that differs
  std::string original, tiled;  ///< what each program has there
  std::string input;  ///< which input shows it: "x[0, 3] = 8, the others random (seed 1)"
  uint64_t differing = 0, compared = 0;  ///< elements of that buffer
  std::vector<std::string> missing;  ///< input elements that enter the original's element only: "x[1, 65536..99999]"
  std::vector<std::string> extra;  ///< ... the tiled program's only
  std::vector<std::string> repeated;  ///< input elements counted more often than in the original
  std::string writer;  ///< label of the statement of the tiled program that wrote it last, "-" if none
  ir::Location writer_location;
};

struct CheckReport {
  Verdict verdict = Verdict::harness_error;
  Tier tier = Tier::none;  ///< which tier decided `tested` or `rounding-only`
  std::string reason;  ///< unsupported, timeout, harness-error, bad-original: why
  std::vector<Finding> findings;  ///< what refutes (or what is wrong with the original), the decisive one first
  std::vector<Finding> warnings;  ///< e.g. overwritten, one a statement
  std::optional<Difference> difference;
  std::map<std::string, uint64_t>
      counted;  ///< everything skipped, exempt or warned of: "overwritten elements", "narrowings exempt", "ieee not judged", ...
  uint64_t points = 0;  ///< statement points evaluated, both programs, all runs
  uint64_t compared = 0;  ///< output elements compared in one run
  int keys = 0;
  std::vector<std::string> patterns;  ///< index patterns that were run; empty: the programs have no index-kind inputs
  std::vector<Parameters> parameters;  ///< the values that were run; empty: no parameters
  Parameters failing_parameters;  ///< where it was refuted
  Pattern failing_pattern = Pattern::random;  ///< of the index-kind inputs, where it was refuted
  int64_t failing_level = 0;  ///< of Pattern::level
  bool pattern_matters = false;  ///< it was refuted, and there are index-kind inputs
};

/// `original` and `tiled` are well formed (ir::verify). Their in, out and inout buffers and their parameters must agree; where
/// they do not, the result is the diagnostics instead (a usage error).
std::expected<CheckReport, ir::Diagnostics> check(const ir::Program& original, const ir::Program& tiled,
                                                  const CheckOptions& options);

}  // namespace tileproof::oracle
