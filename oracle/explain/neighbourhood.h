// The element that differs, and what is around it.
#pragma once

#include "oracle/explain/comparison.h"
#include "oracle/explain/picture.h"

#include <cstdint>
#include <vector>

namespace tileproof::oracle {

/// Two pictures: the whole slice, several elements to a character, where it is larger than the second, which shows each element
/// near `element` with the borders of the tiles.
Pictures neighbourhood(const Written& written, const WrittenBuffer& buffer, const Comparison& comparison,
                       const std::vector<int64_t>& element);

}  // namespace tileproof::oracle
