#include "oracle/domain/lattice.h"
#include "oracle/equivalence/tier_run.h"

namespace tileproof::oracle {

TierRun run_lattice(const LoweredProgram& program, const Signature& signature, const Projection& projection,
                    const RunOptions& options, Observer* observer) {
  Lattice<Field, false> domain(signature, projection, options.key, options.limits.bytes);
  return run_in(domain, program, options, observer);
}

}  // namespace tileproof::oracle
