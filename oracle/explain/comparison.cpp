#include "oracle/explain/comparison.h"

#include "oracle/domain/field.h"
#include "oracle/equivalence/tier.h"

#include <algorithm>

namespace tileproof::oracle {
namespace {

const Digests* output_of(const TierRun& run, const std::string& buffer) {
  const auto found = std::ranges::find(run.outputs, buffer, &Digests::buffer);
  return found == run.outputs.end() ? nullptr : &*found;
}

}  // namespace

Comparison compare_elements(const LoweredPair& pair, const WrittenBuffer& written) {
  Comparison comparison;
  const uint64_t poison = Field(pair.signature, {}, pair.options.key).digest(Field::poison());
  std::vector<Tier> tiers{Tier::field};
  if (pair.signature.has_max) tiers.push_back(Tier::lattice);
  if (pair.signature.has_exp) tiers.push_back(pair.signature.has_max ? Tier::exp : Tier::exp_plain);
  for (const Tier tier : tiers) {
    const bool is_first = tier == Tier::field;
    if (!is_first && std::ranges::find(comparison.marks, Mark::different) == comparison.marks.end()) break;
    const TierRun original = run_tier(tier, pair.original_code, pair.signature, {}, pair.options);
    const TierRun tiled = run_tier(tier, pair.tiled_code, pair.signature, {}, pair.options);
    std::string failure = failure_of(original.status, original.reason, pair.options);
    if (failure.empty()) failure = failure_of(tiled.status, tiled.reason, pair.options);
    const Digests *const before = output_of(original, written.buffer), *const after = output_of(tiled, written.buffer);
    if (failure.empty() && (before == nullptr || after == nullptr)) failure = "too many findings end the run";
    if (!failure.empty()) {
      if (is_first) comparison.failure = failure;
      continue;
    }
    comparison.tiers.emplace_back(name(tier));
    if (is_first) comparison.marks.resize(after->values.size(), Mark::equal);
    for (size_t i = 0; i < after->values.size() && i < before->values.size(); ++i) {
      const bool agrees = before->values[i] == after->values[i];
      if (is_first && !agrees) {
        comparison.marks[i] = written.writer[i] == WrittenBuffer::nobody ? Mark::unwritten
                              : after->values[i] == poison               ? Mark::undefined
                                                                         : Mark::different;
      } else if (agrees && comparison.marks[i] == Mark::different) {
        comparison.marks[i] = Mark::equal;
      }
    }
  }
  return comparison;
}

}  // namespace tileproof::oracle
