// What the tiles of a statement take of one partition of SBUF.
#pragma once

#include "compiler/penguin/cut_params.h"
#include "compiler/penguin/extents.h"
#include "compiler/penguin/operation.h"

#include <cstdint>
#include <optional>

namespace tileproof::penguin {

/// Bytes of one partition of the space that tiles lie in; nullopt: not limited.
std::optional<int64_t> partition_bytes(const machine::Machine& machine);

/// The most free elements of a tile with which all tiles of the statement fit into a partition at the same time; nullopt: not limited.
/// Below 1: not even one. Each tile counts as if it had all free axes, and the stationary tile of a matmul as if it were full (our choice).
std::optional<int64_t> sbuf_budget(const ir::Statement& statement, const Operation& operation, const Tensors& tensors,
                                   const machine::Machine& machine, const ComputeCutParams& params);

/// Bytes of one partition that the tiles of a cut statement take at most, all at one time. Each counts as if it had all free axes, and a
/// transposed one as if it were square (our choice).
int64_t tile_bytes(const ir::Statement& statement, const Operation& operation, const Tensors& tensors,
                   const machine::Machine& machine, const Extents& extents);

/// Bytes of one partition that a buffer of so many elements in each may take, with what its beginning and its rows are rounded to.
int64_t buffer_bytes(int64_t elements, ir::Dtype dtype, const machine::Space& space);

}  // namespace tileproof::penguin
