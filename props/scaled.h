// How many cases a property tries: ci/deep multiplies the counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace tileproof {

/// `count`, times the number in TILEPROOF_SCALE.
inline uint64_t scaled(uint64_t count) {
  const char* scale = std::getenv("TILEPROOF_SCALE");
  return scale == nullptr ? count : count * std::max<uint64_t>(1, std::strtoull(scale, nullptr, 10));
}

}  // namespace tileproof
