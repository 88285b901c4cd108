// The pass that turns a reduction along the partitions into stages that engines can do.
#pragma once

#include "compiler/penguin/cut_rules.h"
#include "compiler/pipeline/pass.h"

namespace tileproof::penguin {

/// A reduction with a reduced axis on the partitions becomes statements that hand on partial results, in the accumulate dtype, in dram:
///
///     reduce m[f] max= x[f, 128*q + p]               [12 B, 128 P, 5 F, 100 F]
///
///     reduce    t[p, b, f] max= x[5*b + f, 128*q + p]   [12 B, 128 P, 5 F, 100 F]   along the free dimension
///     transpose u[b, f, p] = t[p, b, f]                 [12 B, 128 P, 5 F]
///     reduce    v[b, f] max= u[b, f, p]                 [12 B, 5 P, 128 F]
///     transpose m[5*b + f] = v[b, f]                    [12 B, 5 P]
///
/// Of a sum the last three are one, a reduction along the partitions by a matmul with ones, or by the machine's partition_reduce (the
/// tag `by`), where that is legal and cheaper (tiling_estimator.h). A transposition has the tag `pf`: the classes of its axes are those of
/// what it reads, and in its result P and F change places. It is left out behind a reduction that leaves one element.
/// Source: seed 003 for the stages, seed 000 for the choice by cost; the tags, dram, and what is declined (partition_reduction.h) are our
/// choice.
pipeline::Pass loop_splitting(CutRules rules = {});

}  // namespace tileproof::penguin
