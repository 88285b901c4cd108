#include "fuzz/plant/addresses.h"

#include "compiler/transform/each_body.h"
#include "fuzz/plant/tiled.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tileproof::plant {
namespace {

bool uses(const ir::Item& item, const std::string& name) {
  if (const auto* s = std::get_if<ir::Statement>(&item.node)) return transform::uses_name(*s, name);
  bool found = false;
  transform::each_body(item, [&](const ir::Block& body) {
    found = found || std::ranges::any_of(body, [&](const ir::Item& each) { return uses(each, name); });
  });
  return found;
}

void place(ir::Block& block, int64_t first, const AddressPlan& plan) {
  struct Tile {
    int64_t end = 0;
    size_t last_use = 0;   // item of the block
  };
  std::vector<Tile> tiles;
  int64_t next = first;
  for (size_t i = 0; i < block.size(); ++i) {
    ir::Item& item = block[i];
    if (auto* buffer = std::get_if<ir::Buffer>(&item.node); buffer != nullptr && buffer->space == "sbuf") {
      buffer->address = ir::Address{ir::integer(0), ir::integer(next)};
      next += plan.size(*buffer);
      tiles.push_back({next, i});
      for (size_t later = i + 1; later < block.size(); ++later)
        if (uses(block[later], buffer->name)) tiles.back().last_use = later;
    }
    if (const auto* s = std::get_if<ir::Statement>(&item.node); s != nullptr && is_store(*s)) {
      next = first;
      for (const Tile& tile : tiles)
        if (tile.last_use > i) next = std::max(next, tile.end);
    }
    if (auto* group = std::get_if<ir::Group>(&item.node)) place(group->body, next, plan);
    if (auto* loop = std::get_if<ir::Loop>(&item.node)) {
      const bool forgets = loop->kind == ir::LoopKind::seq && !plan.carried_tiles_live_on;
      place(loop->body, forgets ? first : next, plan);
    }
  }
}

}  // namespace

int64_t bytes_of(const ir::Buffer& tile) { return (free_elements(tile) * ir::bits(tile.dtype) + 7) / 8; }

void give_addresses(ir::Program& program, const AddressPlan& plan) { place(program.body, 0, plan); }

}  // namespace tileproof::plant
