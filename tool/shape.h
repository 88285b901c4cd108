#pragma once

#include "compiler/ir/program.h"

#include <string>

namespace tileproof::tool {

/// What goes in and what comes out, for a table: "300x800 800x3200 -> 300x3200". An inout buffer stands on both sides; what is
/// longer than `width` ends in "...".
std::string shape(const ir::Program& program, size_t width);

}  // namespace tileproof::tool
