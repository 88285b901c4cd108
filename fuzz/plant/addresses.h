// Addresses for the tiles of a program: those that an allocator would give, and what wrong ones would.
#pragma once

#include "compiler/ir/program.h"

#include <functional>

namespace tileproof::plant {

struct AddressPlan {
  /// Bytes of one partition that are set aside for a tile.
  std::function<int64_t(const ir::Buffer&)> size;
  bool carried_tiles_live_on = true;   ///< false: what is declared in front of a loop over blocks is free inside of it
};

/// Bytes of one partition that a tile takes.
int64_t bytes_of(const ir::Buffer& tile);

/// Every tile in `sbuf` gets an address from partition 0 on, one behind the other as they are declared; behind a store, what its block
/// declared and does not use any more is free again. With bytes_of, tiles of one nest do not overlap.
void give_addresses(ir::Program& program, const AddressPlan& plan);

}  // namespace tileproof::plant
