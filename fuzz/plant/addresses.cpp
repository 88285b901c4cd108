#include "fuzz/plant/addresses.h"

#include "fuzz/plant/tiled.h"

namespace tileproof::plant {
namespace {

void place(ir::Block& block, int64_t first, const AddressPlan& plan) {
  int64_t next = first;
  for (ir::Item& item : block) {
    if (auto* buffer = std::get_if<ir::Buffer>(&item.node); buffer != nullptr && buffer->space == "sbuf") {
      buffer->address = ir::Address{ir::integer(0), ir::integer(next)};
      next += plan.size(*buffer);
    }
    if (const auto* s = std::get_if<ir::Statement>(&item.node); s != nullptr && is_store(*s)) next = first;
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
