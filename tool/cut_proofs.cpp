#include "tool/cut_proofs.h"

#include <vector>

namespace tileproof::tool {
void CutProofs::prove(std::span<const pipeline::Obligation> obligations) {
  std::vector<penguin::CutStatement> cuts;
  for (const pipeline::Obligation& obligation : obligations) {
    const auto statement = penguin::cut_statement(obligation);
    // A cut that contradicts its class is refuted by its numbers; the others are to be proved all the same.
    if (statement && prove::first_broken(*statement).empty()) cuts.push_back(*statement);
  }
  prove::discharge(cuts, proofs_);
}

oracle::Verdict CutProofs::verdict(const pipeline::Obligation& obligation) const {
  const auto statement = penguin::cut_statement(obligation);
  if (!statement) return oracle::Verdict::unsupported;
  if (!prove::first_broken(*statement).empty()) return oracle::Verdict::refuted;
  oracle::Verdict verdict = oracle::Verdict::proved;
  for (const prove::Obligation& each : prove::obligations(*statement)) {
    const auto proof = proofs_.find(each.cls);
    if (proof != proofs_.end() && proof->second.verdict == prove::Verdict::proved) continue;
    const bool is_refuted = proof != proofs_.end() && proof->second.verdict == prove::Verdict::refuted;
    if (is_refuted) return oracle::Verdict::refuted;
    verdict = proof == proofs_.end() ? oracle::Verdict::timeout : oracle::Verdict::unsupported;
  }
  return verdict;
}

prove::Discharge CutProofs::discharge(const penguin::CutStatement& cut) { return prove::discharge({&cut, 1}, proofs_); }

}  // namespace tileproof::tool
