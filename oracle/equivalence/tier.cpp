#include "oracle/equivalence/tier.h"

#include "oracle/equivalence/tier_run.h"

namespace tileproof::oracle {

TierRun run_tier(Tier tier, const LoweredProgram& program, const Signature& signature, const Projection& projection,
                 const RunOptions& options, Observer* observer) {
  switch (tier) {
    case Tier::lattice: return run_lattice(program, signature, projection, options, observer);
    case Tier::exp_plain: return run_exp_plain(program, signature, projection, options, observer);
    case Tier::exp: return run_exp(program, signature, projection, options, observer);
    case Tier::distributing: return run_distributing(program, signature, projection, options, observer);
    case Tier::rank: return run_rank(program, signature, projection, options, observer);
    case Tier::none:
    case Tier::field:
    case Tier::integers: break;
  }
  return run_field(program, signature, projection, options, observer);
}

std::optional<Mismatch> first_mismatch(const TierRun& original, const TierRun& tiled) {
  for (size_t i = 0; i < original.outputs.size() && i < tiled.outputs.size(); ++i) {
    const std::vector<uint64_t>&a = original.outputs[i].values, &b = tiled.outputs[i].values;
    std::optional<Mismatch> mismatch;
    for (size_t element = 0; element < a.size() && element < b.size(); ++element) {
      if (a[element] == b[element]) continue;
      if (!mismatch) mismatch = Mismatch{i, static_cast<int64_t>(element), 0};
      ++mismatch->differing;
    }
    if (mismatch) return mismatch;
  }
  return std::nullopt;
}

std::vector<int64_t> indices_of(int64_t element, const std::vector<int64_t>& extents) {
  std::vector<int64_t> indices(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    indices[i] = extents[i] == 0 ? 0 : element % extents[i];
    element = extents[i] == 0 ? 0 : element / extents[i];
  }
  return indices;
}

}  // namespace tileproof::oracle
