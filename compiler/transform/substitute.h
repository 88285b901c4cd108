// Replacing variables and reads inside of expressions and statements.
#pragma once

#include "compiler/ir/program.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tileproof::transform {

using Bindings = std::map<std::string, ir::Expression>;

/// Every variable that `bindings` names becomes the expression bound to it.
void substitute(ir::Expression& e, const Bindings& bindings);
/// In the indices, the value and the conditions; not in the axes.
void substitute(ir::Statement& statement, const Bindings& bindings);
/// The same, and what has changed in an index or a condition is written as a person would write it (fold.h), as `bindings` are. The
/// value keeps the order of its operations.
void substitute_and_fold(ir::Statement& statement, const Bindings& bindings);

/// Calls `replace` on each read in `e`, innermost first.
void each_read(ir::Expression& e, const std::function<void(ir::Expression&)>& replace);

/// The variables and buffers that occur in `e`.
std::set<std::string> names_in(const ir::Expression& e);
bool uses_name(const ir::Expression& e, std::string_view name);
/// All names that `statement` uses or declares: its axes, its destination, and what occurs in its expressions.
std::set<std::string> names_in(const ir::Statement& statement);
/// Whether `name` is among the latter.
bool uses_name(const ir::Statement& statement, std::string_view name);
bool mentions(const ir::Expression& e, const std::set<std::string>& names);

}  // namespace tileproof::transform
