#include "oracle/domain/rank.h"
#include "oracle/equivalence/tier_run.h"

namespace tileproof::oracle {

TierRun run_rank(const LoweredProgram& program, const Signature& signature, const Projection& projection,
                 const RunOptions& options, Observer* observer) {
  Rank domain(signature, projection, options.key);
  return run_in(domain, program, options, observer);
}

}  // namespace tileproof::oracle
