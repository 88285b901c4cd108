// Runs of a program on real numbers: with rounding (ieee), or without and with chosen inputs (directed).
#pragma once

#include "oracle/domain/real.h"
#include "oracle/interpret/code.h"
#include "oracle/interpret/run.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::oracle {

struct RealRun {
  Run<RealValue> run;                    ///< outputs by name, ascending; index-kind ones are integers without error
  std::vector<bool> changed;             ///< by Site: a narrowing changed a value
  std::map<uint64_t, bool> compared;     ///< by place of a data compare: equal values met there
};

/// `key` seeds the inputs.
RealRun run_real(const LoweredProgram& program, const RealOptions& real, const Plan& plan, uint64_t key,
                 const RunOptions& options);

/// Every output element is an integer, and the same in both.
bool same_integers(const RealRun& a, const RealRun& b);
/// Every output element is the same number in both, whatever is known of its error.
bool same_numbers(const RealRun& a, const RealRun& b);
/// Finite, but so close to the largest finite number of the dtype that another rounding may overflow.
bool near_overflow(ir::Dtype dtype, RealValue v);
std::string describe(RealValue v);
/// "x[0, 3] = 8, the other inputs random (seed 7)"; `planted` says what the plan plants, if it does.
std::string describe(const Plan& plan, uint64_t key, std::string_view planted);

}  // namespace tileproof::oracle
