// What the tiles of a statement take of one partition of SBUF.
#pragma once

#include "compiler/penguin/cut_params.h"
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

}  // namespace tileproof::penguin
