// What a machine asks of a buffer when it comes to life: its space, its partitions, its address.
#pragma once

#include "compiler/machine/machine.h"
#include "oracle/legality/report.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace tileproof::oracle {

/// TP201 (alone too large, or beyond the end), TP202, TP205, TP210, TP211. `address`: partition and byte.
void judge_buffer(const ir::Buffer& buffer, std::span<const int64_t> extents, std::optional<std::pair<int64_t, int64_t>> address,
                  const machine::Machine& machine, Report& report);

}  // namespace tileproof::oracle
