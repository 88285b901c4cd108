// How tight each operator binds; the parser and the printer agree because both ask here.
#pragma once

#include "compiler/ir/expression.h"

namespace tileproof::ir {

/// Loosest first. Operators of one level group to the left; comparisons do not group at all.
enum Level : int { level_or = 1, level_and, level_not, level_comparison, level_sum, level_product, level_unary, level_primary };

Level level_of(Op op);

}  // namespace tileproof::ir
