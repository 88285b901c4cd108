// The passes of the Penguin tiler, and the pipeline `penguin` of them. docs/penguin.md follows a program through it.
#pragma once

#include "compiler/penguin/cut_rules.h"
#include "compiler/pipeline/registry.h"

namespace tileproof::penguin {

/// par-axes-annotation, p-compute-cutting, bf-compute-cutting, loop-splitting, infer-nonlocal, static-transpose, macro-generation; those that cut decide by `rules`.
std::vector<pipeline::Pass> passes(CutRules rules = {});
pipeline::NamedPipeline penguin_pipeline();

}  // namespace tileproof::penguin
