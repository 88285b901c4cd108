// The input elements that entered an output element, in the original and in the tiled program.
#pragma once

#include "oracle/explain/comparison.h"
#include "oracle/explain/picture.h"

#include <cstdint>
#include <vector>

namespace tileproof::oracle {

/// A picture of each data-kind input that enters the element in either program; one that says why, if that was not traced.
Pictures origin_maps(const LoweredPair& pair, const WrittenBuffer& output, const std::vector<int64_t>& element);

}  // namespace tileproof::oracle
