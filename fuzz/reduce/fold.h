// Integer expressions and conditions in a shorter form of the same meaning.
#pragma once

#include "compiler/ir/expression.h"

#include <string>

namespace tileproof::fuzz {

/// 16*0 + i becomes i. Nothing that overflows is computed, and no read is dropped.
void fold(ir::Expression& e);

/// A comparison of integers that holds whatever the variables are, after `fold`.
bool always_holds(const ir::Expression& condition);

/// Every variable of that name becomes `value`.
void substitute(ir::Expression& e, const std::string& name, const ir::Expression& value);

}  // namespace tileproof::fuzz
