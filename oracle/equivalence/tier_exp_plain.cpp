#include "oracle/domain/exp_pair.h"
#include "oracle/equivalence/tier_run.h"

namespace tileproof::oracle {

TierRun run_exp_plain(const LoweredProgram& program, const Signature& signature, const Projection& projection,
                      const RunOptions& options, Observer* observer) {
  ExpPair domain(signature, projection, options.key);
  return run_in(domain, program, options, observer);
}

}  // namespace tileproof::oracle
