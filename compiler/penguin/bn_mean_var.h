// The pass `bn-mean-var`: mean and variance by statistics of tiles.
#pragma once

#include "compiler/penguin/cut_rules.h"
#include "compiler/pipeline/pass.h"

namespace tileproof::penguin {

/// Four statements that are a mean and a variance (mean_variance.h) become one nest, which loads each element once: a bn_stats for each tile of
/// at most the machine's `stats_free` elements in a partition, and one bn_aggr for all tiles (statistics_nest.h). The kept axes that
/// par-axes-annotation would choose lie on the partitions, the others and the tiles of the reduced axes are loops.
///
/// It is done where the nest has no more trips than what the other passes make of the four statements, or always by the option. Other
/// statements stay as they are, for the passes behind this one, and a remark says why. Source: spec passes 3.5; the choice by trips is ours.
pipeline::Pass bn_mean_var(CutRules rules = {});

}  // namespace tileproof::penguin
