// The pass `quantize-mx`: scales of MX blocks and the quotients by them, in tiles that part no block.
#pragma once

#include "compiler/penguin/cut_rules.h"
#include "compiler/pipeline/pass.h"

namespace tileproof::penguin {

/// Two statements that the machine's `quantize_mx` computes become one nest around it (mx_blocks.h). A tile has as many rows of blocks as the
/// partitions take, so that it is a multiple of the quadrant of 32 partitions, and packs of four elements up to the budget of the free axes:
///
///     reduce s[k, f] max= abs(x[8*k + r, 4*f + q]) / 448           over k:12, f:130, r:8 reduce, q:4 reduce start
///     map    y[i, j] = x[i, j] / s[i floordiv 8, j floordiv 4]     over i:96, j:520
///
///     for fb in 0..2 par {
///       load xt[8*k + r, f, q] = x[8*k + r, 512*fb + 4*f + q] over k:12, r:8, f:128, q:4 where 128*fb + f < 130
///       group as quantize_mx { st[k, f], yt[8*k + r, f, q] over k:12, f:128, ... }
///       store y, store s: a scale at the index of its block, that of the elements divided by 8 and by 4
///     }
///
/// Statements that no instruction can do stay as they are, and a remark says why. Source: spec passes 3.7, neuron 4.4; that rows of blocks beyond
/// the tensor are masked lanes, and that loops go over all other axes, is our choice.
pipeline::Pass quantize_mx(CutRules rules = {});

}  // namespace tileproof::penguin
