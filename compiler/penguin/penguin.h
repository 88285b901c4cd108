// The passes of the Penguin tiler, and the pipeline `penguin` of them. docs/penguin.md follows a program through it.
#pragma once

#include "compiler/penguin/cut_rules.h"
#include "compiler/pipeline/registry.h"

namespace tileproof::penguin {

/// All passes in the order of the pipeline; those that cut decide by `rules`.
std::vector<pipeline::Pass> passes(CutRules rules = {});
pipeline::NamedPipeline penguin_pipeline();

}  // namespace tileproof::penguin
