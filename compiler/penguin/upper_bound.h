// Conditions that leave out the last lanes of a tile and never the first.
#pragma once

#include "compiler/ir/program.h"

#include <functional>
#include <string>

namespace tileproof::penguin {

using NameTest = std::function<bool(const std::string&)>;

/// Whether a condition says that a sum of multiples of names lies below a bound: `128*kb + k < 800`. All names of the sum pass
/// `may_rise`, and no name of the bound `is_varying`.
bool is_upper_bound(const ir::Expression& condition, const NameTest& may_rise, const NameTest& is_varying);

}  // namespace tileproof::penguin
