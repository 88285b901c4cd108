// What makes two programs comparable: the same parameters, and the same in, out and inout buffers.
#pragma once

#include "compiler/ir/program.h"

namespace tileproof::oracle {

/// What is not the same; places are in `tiled`. Empty: comparable. The order of the declarations does not matter.
ir::Diagnostics interface_differences(const ir::Program& original, const ir::Program& tiled);

}  // namespace tileproof::oracle
