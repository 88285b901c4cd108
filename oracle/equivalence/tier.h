// Runs of a program in the exact tiers, with results that two programs can be compared by, whatever the tier.
#pragma once

#include "oracle/domain/domain.h"
#include "oracle/equivalence/check.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/observer.h"
#include "oracle/interpret/run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::oracle {

/// An output as digests: equal digests, equal elements (in the same tier, with the same key).
struct Digests {
  std::string buffer;
  std::vector<int64_t> extents;
  std::vector<uint64_t> values;
  std::vector<uint32_t> writers;         ///< as in Output
};

struct TierRun {
  RunStatus status = RunStatus::done;
  std::string reason;                    ///< where the status is not done
  std::vector<Finding> findings;
  std::vector<Digests> outputs;          ///< by name, ascending
  uint64_t points = 0;
  uint64_t overwritten = 0;
  std::vector<Finding> overwrites;
};

/// One run; the key of `options` is the tier's key too. A cap of the tier that is exceeded is status unsupported.
TierRun run_tier(Tier tier, const LoweredProgram& program, const Signature& signature, const Projection& projection,
                 const RunOptions& options, Observer* observer = nullptr);

/// Where two runs of one tier first differ, in the order of the buffers' names and their elements.
struct Mismatch {
  size_t output = 0;
  int64_t element = 0;
  uint64_t differing = 0;                ///< in that buffer
};
std::optional<Mismatch> first_mismatch(const TierRun& original, const TierRun& tiled);

/// The indices of a row-major element.
std::vector<int64_t> indices_of(int64_t element, const std::vector<int64_t>& extents);

}  // namespace tileproof::oracle
