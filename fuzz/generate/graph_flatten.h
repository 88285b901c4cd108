// Tensors of a graph whose neighbouring dimensions are one.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"

namespace tileproof::fuzz {

/// Of each buffer of the program that statements alone name, with a chance of `percent`, two neighbouring dimensions become one, in the declaration and in all
/// accesses: `z[a, b]` of a tensor [3, 5] is `z[5*a + b]` then. Once more now and then. The meaning stays, if each access is within the
/// extents of each dimension.
void flatten_dims(ir::Program& program, Choices& choices, unsigned percent);

}  // namespace tileproof::fuzz
