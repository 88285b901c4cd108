// The pass `mark-fuse-groups`.
#pragma once

#include "compiler/pipeline/pass.h"

namespace tileproof::torq {

/// Numbers all statements (`fuse_group_id`, from 0 in textual order) and marks the chains that are to be tiled and lowered together: each
/// member gets the number of the statement that the chain is recognized by, its principal, in the list `fuse_group`.
///
///   fill        what fills the tensor that the principal adds to, and reads nothing
///   principal   a statement with a reduced axis: a product, a convolution, a pooling, a reduction
///   epilogue    elementwise statements, each of which reads, point by point, what the one before it wrote; nothing else reads that
///
/// A statement may be in several groups: a fill that two products add to. Statements that are marked already stay as they are.
/// Source: seed 001 for numbers, lists, principal and output; which chains there are is our choice.
pipeline::Pass mark_fuse_groups();

}  // namespace tileproof::torq
