// Fuse groups: chains of operations that are tiled and lowered together, as the tags of a program say.
// Source: seed 001, fuse groups. Tags: docs/language.md.
#pragma once

#include "compiler/ir/program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tileproof::torq {

/// Statements are their positions in penguin::whole_tensor_statements(program), ascending.
struct FuseGroup {
  std::vector<size_t> members;
  std::optional<size_t>
      principal;   ///< whose policy the tiles follow: `fuse_group_id` is the group's number, or it is tagged `principal`
  std::vector<size_t> outputs;       ///< members that no member reads; tiling starts from them
};

/// The numbers of the groups that a statement belongs to by its own tag, in their order there.
std::vector<int64_t> groups_of(const ir::Statement& statement);

/// By number. A statement belongs to the groups of its tag `fuse_group`, and to those of the `group`s that it stands in.
std::map<int64_t, FuseGroup> fuse_groups(const ir::Program& program);

}  // namespace tileproof::torq
