// What a machine asks of a buffer when it comes to life: its space, its partitions, its address.
#pragma once

#include "compiler/machine/machine.h"
#include "oracle/legality/report.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace tileproof::oracle {

/// Bytes that a buffer takes, in each partition where its space has them; as stored, without rounding.
int64_t stored_bytes(const ir::Buffer& buffer, std::span<const int64_t> extents);
/// ... and as an allocator without addresses counts them: whole banks where the space has banks, else rounded up to its alignment.
int64_t allocated_bytes(const ir::Buffer& buffer, std::span<const int64_t> extents, const machine::Space& space);

/// TP201 (alone too large, or beyond the end), TP202, TP205, TP210, TP211. `address`: partition and byte.
void judge_buffer(const ir::Buffer& buffer, std::span<const int64_t> extents, std::optional<std::pair<int64_t, int64_t>> address,
                  const machine::Machine& machine, Report& report);

}  // namespace tileproof::oracle
