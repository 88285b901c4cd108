// Replacing variables and reads inside of expressions and statements.
#pragma once

#include "compiler/ir/program.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace tileproof::fuzz {

using Bindings = std::map<std::string, ir::Expression>;

/// Every variable that `bindings` names becomes the expression bound to it.
void substitute(ir::Expression& e, const Bindings& bindings);
/// In the indices, the value and the conditions; not in the axes.
void substitute(ir::Statement& statement, const Bindings& bindings);

/// Calls `replace` on each read in `e`, innermost first.
void each_read(ir::Expression& e, const std::function<void(ir::Expression&)>& replace);

/// The variables and buffers that occur in `e`.
std::set<std::string> names_in(const ir::Expression& e);
bool mentions(const ir::Expression& e, const std::set<std::string>& names);

}  // namespace tileproof::fuzz
