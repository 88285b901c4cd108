#include "oracle/domain/field.h"
#include "oracle/equivalence/tier_run.h"

namespace tileproof::oracle {

TierRun run_field(const LoweredProgram& program, const Signature& signature, const Projection& projection,
                  const RunOptions& options, Observer* observer) {
  Field field(signature, projection, options.key);
  return run_in(field, program, options, observer);
}

}  // namespace tileproof::oracle
