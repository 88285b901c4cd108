// How much of a space a buffer takes.
#pragma once

#include "compiler/machine/machine.h"

#include <cstdint>
#include <span>

namespace tileproof::machine {

/// Partitions that a buffer spans: the product of its partition dims; 1 where it has none. Saturates far above every machine.
int64_t spanned_partitions(const ir::Buffer& buffer, std::span<const int64_t> extents);
/// Bytes that a buffer takes, in each partition where its space has them; as stored, without rounding.
int64_t stored_bytes(const ir::Buffer& buffer, std::span<const int64_t> extents);
/// ... and as an allocator without addresses counts them: whole banks where the space has banks, else rounded up to its alignment.
int64_t allocated_bytes(const ir::Buffer& buffer, std::span<const int64_t> extents, const Space& space);

}  // namespace tileproof::machine
