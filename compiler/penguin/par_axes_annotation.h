// The pass `par-axes-annotation`: which axes of each statement lie on partitions, which along the free dimension, which loop.
#pragma once

#include "compiler/pipeline/pass.h"

namespace tileproof::penguin {

/// Tags every axis of the statements with its class (`P`, `F`, `B`) and its axis group (`ag=N`). Classes that
/// are tagged already are kept. The rule is our choice (the layout search of the source is another pass):
///
///   contraction          contracted and stationary axes on partitions (of the operands, and of the result), moving axes free,
///                        batch axes loop
///   anything else        of the neighbouring dimensions of the result those that fill most partitions, the fewest of them and
///                        the leftmost; reduced axes and all others free
pipeline::Pass par_axes_annotation();

}  // namespace tileproof::penguin
