// How one tier's domain is run: included by the file of each tier, so that each is compiled by itself.
#pragma once

#include "oracle/equivalence/tier.h"
#include "oracle/interpret/run_program.h"

#include <algorithm>

namespace tileproof::oracle {

TierRun run_field(const LoweredProgram&, const Signature&, const Projection&, const RunOptions&, Observer*);
TierRun run_lattice(const LoweredProgram&, const Signature&, const Projection&, const RunOptions&, Observer*);
TierRun run_exp(const LoweredProgram&, const Signature&, const Projection&, const RunOptions&, Observer*);
TierRun run_exp_plain(const LoweredProgram&, const Signature&, const Projection&, const RunOptions&, Observer*);
TierRun run_distributing(const LoweredProgram&, const Signature&, const Projection&, const RunOptions&, Observer*);
TierRun run_rank(const LoweredProgram&, const Signature&, const Projection&, const RunOptions&, Observer*);

template <Domain D>
TierRun run_in(D& domain, const LoweredProgram& program, const RunOptions& options, Observer* observer) {
  Run<typename D::Value> run = run_program(program, domain, options, observer);
  TierRun result{run.status, std::move(run.reason), std::move(run.findings),  {},
                 run.points, run.overwritten,       std::move(run.overwrites)};
  for (auto& output : run.outputs) {
    Digests digests{output.buffer, output.extents, {}, std::move(output.writers)};
    if (output.is_index) {
      for (const int64_t v : output.integers)
        digests.values.push_back(domain.digest(v == integer_poison ? D::poison() : domain.integer(v)));
    } else {
      if (wraps_when_read(output.dtype)) {
        for (auto& v : output.values) v = domain.narrow(v, {output.dtype, output.dtype, false, no_site});
      }
      if constexpr (requires { requires D::value_is_digest; }) {
        digests.values = std::move(output.values);
      } else {
        digests.values.reserve(output.values.size());
        for (const auto& v : output.values) digests.values.push_back(domain.digest(v));
      }
    }
    result.outputs.push_back(std::move(digests));
  }
  // Only now: a digest may need more of a tier than the run did.
  if (domain.exceeded() && result.status == RunStatus::done) {
    result.status = RunStatus::unsupported;
    result.reason = domain.reason();
  }
  std::ranges::sort(result.outputs, {}, &Digests::buffer);
  return result;
}

}  // namespace tileproof::oracle
