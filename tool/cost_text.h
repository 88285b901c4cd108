// The cost of a program in a line, and in records.
#pragma once

#include "compiler/analysis/cost.h"
#include "tool/record.h"

#include <string>

namespace tileproof::tool {

/// "147 trips; 294 load, 147 matmul; psum 21 tiles, 128 partitions, 2,048 bytes, 1 bank; dma 14,000 bytes in, 512 out".
std::string cost_text(const analysis::Cost& cost);
Json cost_json(const analysis::Cost& cost);

}  // namespace tileproof::tool
