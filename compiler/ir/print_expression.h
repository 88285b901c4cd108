// The part of the printer that writes expressions, with no more parentheses than they need.
#pragma once

#include "compiler/ir/expression.h"

namespace tileproof::ir {

void append(std::string& text, const Expression& expression);
/// As one of several comparisons that `and` joins.
void append_condition(std::string& text, const Expression& condition);

}  // namespace tileproof::ir
