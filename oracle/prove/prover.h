// Proves goals and lemmas.
#pragma once

#include "oracle/prove/lemma.h"

namespace tileproof::prove {

struct ProverOptions {
  double timeout_seconds = 20;   ///< wall clock for each lemma, after which its process is killed
  int jobs = 0;                  ///< lemmas at the same time; 0: one for each processor
  double patience = 1;           ///< scales the times of the solver's attempts
};

/// Proves all goals in this process: `proved` if all hold, else what became of the first that does not. A goal whose assumption
/// nothing meets is an `error`. Takes as long as it takes.
Proof prove_here(std::span<const Goal> goals, double patience = 1);

/// Proves each list of goals in a child process of its own and tells the proofs in order, each as soon as those before it are told;
/// `tell` returns false to stop. Throws std::system_error where no process can be started.
void prove_apart(std::span<const std::vector<Goal>> lists, const ProverOptions& options,
                 const std::function<bool(size_t index, const Proof& proof)>& tell);

}  // namespace tileproof::prove
