#include "tool/cut_proofs.h"

#include <vector>

namespace tileproof::tool {
namespace {

prove::ConcreteCut concrete(const penguin::CutStatement& s) { return {s.extents, s.cut_size, s.options, s.cut}; }

}  // namespace

void CutProofs::prove(std::span<const pipeline::Obligation> obligations) {
  std::vector<prove::ConcreteCut> cuts;
  for (const pipeline::Obligation& obligation : obligations) {
    const auto statement = penguin::cut_statement(obligation);
    // A cut that contradicts its class is refuted by its numbers; the others are to be proved all the same.
    if (statement && prove::first_broken(concrete(*statement)).empty()) cuts.push_back(concrete(*statement));
  }
  prove::discharge(cuts, proofs_);
}

oracle::Verdict CutProofs::verdict(const pipeline::Obligation& obligation) const {
  const auto statement = penguin::cut_statement(obligation);
  if (!statement) return oracle::Verdict::unsupported;
  const prove::ConcreteCut cut = concrete(*statement);
  if (!prove::first_broken(cut).empty()) return oracle::Verdict::refuted;
  oracle::Verdict verdict = oracle::Verdict::proved;
  for (const prove::Obligation& each : prove::obligations(cut)) {
    const auto proof = proofs_.find(each.cls);
    if (proof != proofs_.end() && proof->second.verdict == prove::Verdict::proved) continue;
    const bool is_refuted = proof != proofs_.end() && proof->second.verdict == prove::Verdict::refuted;
    if (is_refuted) return oracle::Verdict::refuted;
    verdict = proof == proofs_.end() ? oracle::Verdict::timeout : oracle::Verdict::unsupported;
  }
  return verdict;
}

prove::Discharge CutProofs::discharge(const penguin::CutStatement& cut) {
  const std::vector<prove::ConcreteCut> cuts{concrete(cut)};
  return prove::discharge(cuts, proofs_);
}

}  // namespace tileproof::tool
