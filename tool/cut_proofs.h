// Proofs of the cuts that passes made: each class of cuts once, whatever the number of cuts.
#pragma once

#include "compiler/penguin/cut_obligation.h"
#include "oracle/equivalence/report.h"
#include "oracle/prove/obligation.h"

#include <span>
#include <string>

namespace tileproof::tool {

class CutProofs {
 public:
  /// Proves what is not proved yet, in child processes: to be called while there is one thread.
  void prove(std::span<const pipeline::Obligation> obligations);
  /// `proved`, or `refuted` (the numbers contradict a lemma), `timeout` or `unsupported` (not proved). Safe on several threads.
  oracle::Verdict verdict(const pipeline::Obligation& obligation) const;

  /// What became of one cut.
  prove::Discharge discharge(const penguin::CutStatement& cut);

 private:
  prove::ProofCache proofs_;
};

}  // namespace tileproof::tool
