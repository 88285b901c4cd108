#pragma once

#include <cstdint>

namespace tileproof::ir {

/// Buffers have fewer bits, whatever the parameters are, so that products of a few sizes with widths and counts cannot overflow
/// 64 bits (our choice).
inline constexpr int64_t most_buffer_bits = int64_t{1} << 62;

}  // namespace tileproof::ir
