// What a pass states about a cut that it made, so that it can be proved (docs/proofs.md, "Obligations").
#pragma once

#include "compiler/penguin/dim_cut.h"
#include "compiler/pipeline/pass.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tileproof::penguin {

/// A cut and the question that it answers.
struct CutStatement {
  std::vector<int64_t> extents;   ///< elements, highest priority first
  int64_t cut_size = 1;
  CutOptions options;
  DimCut cut;
  bool operator==(const CutStatement&) const = default;
};

/// The obligation `cut` of the statement of that label.
pipeline::Obligation cut_obligation(std::string label, const CutStatement& cut);
/// Its inverse; nullopt: another kind of obligation, or one that no cut can be read from.
std::optional<CutStatement> cut_statement(const pipeline::Obligation& obligation);

}  // namespace tileproof::penguin
