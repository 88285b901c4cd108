// A pipeline of ours as the tiler of a hunt.
#pragma once

#include "compiler/pipeline/pipeline.h"
#include "fuzz/hunt/tiler.h"

namespace tileproof::fuzz {

/// Only the end of the pipeline is checked. To name the pass that made a failure, the passes are run one by one: it is the first one
/// after which the meaning is refuted; where that never happens, as with the limits of a machine, the first one after which every
/// check gives the finding of the end.
Tiler pipeline_tiler(pipeline::Pipeline pipeline);

}  // namespace tileproof::fuzz
