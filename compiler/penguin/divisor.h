#pragma once

#include <cstdint>
#include <optional>

namespace tileproof::penguin {

/// The largest divisor of `extent` up to `bound`; nullopt: none among the first max_divisor_candidates that were looked at.
/// At most `bound`, and at most twice the square root of the extent, are candidates. Precondition: both are 1 or more.
std::optional<int64_t> largest_divisor(int64_t extent, int64_t bound);

}  // namespace tileproof::penguin
