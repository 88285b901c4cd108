// Whether statements that do not stand side by side may be executed in one place.
#pragma once

#include "compiler/transform/environment.h"

#include <set>
#include <span>
#include <string>

namespace tileproof::penguin {

/// The buffers that an item names, blocks inside of it included, by the names that it uses.
std::set<std::string> buffers_named(const ir::Item& item);

/// Whether the statements `block[i]`, i of `positions` (ascending), may all be executed in place of the first, in this order. Nothing among them
/// writes what they read or write, and nothing names what one of them writes before it does. Buffers that share their bytes, and views, are
/// not followed: they may not. `environment` has entered the block.
bool may_move_up(const ir::Block& block, std::span<const size_t> positions, const transform::Environment& environment);

}  // namespace tileproof::penguin
