// What earlier passes may have left in a graph: the classes of axes, and fuse groups.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"

#include <vector>

namespace tileproof::fuzz {

/// In three programs of ten, `P` on one axis of each result (seldom two), and `F` on the others and on what `reduce` reduces.
void tag_axes(std::vector<ir::Statement>& statements, Choices& choices);

/// The statements as items: runs of them are fuse groups now and then, as tags on each or as a `group` with the tag, and one statement of
/// a group is its `principal`.
ir::Block grouped(std::vector<ir::Statement> statements, Choices& choices);

}  // namespace tileproof::fuzz
