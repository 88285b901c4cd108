// Statements that a pass left as they were, and said so.
#pragma once

#include "compiler/pipeline/run_pipeline.h"
#include "oracle/equivalence/check.h"

#include <optional>
#include <span>
#include <vector>

namespace tileproof::oracle {

struct Declined {
  pipeline::Remark remark;
  ir::Statement statement;
};

/// What the pass that made `stage` of `before` declined, in the order of its remarks. A remark on no statement is none.
std::vector<Declined> declined_statements(const ir::Program& before, const pipeline::Stage& stage);

/// Why a pipeline is not at fault for what `report` says of its end: all findings are limits of the machine, and of each the statement
/// stands there as some pass declined it, whatever its tags. The one of the first finding. nullopt: the pipeline is at fault, or
/// nothing is refuted. Our choice: a statement that was left whole means what it did, so it is neither wrong nor tiled.
std::optional<Declined> declined_for(const CheckReport& report, const ir::Program& end, std::span<const Declined> declined);

}  // namespace tileproof::oracle
