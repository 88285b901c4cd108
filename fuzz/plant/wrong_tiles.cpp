// Extents, dtypes, spaces and addresses of tiles.
#include "fuzz/plant/addresses.h"
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>

namespace tileproof::plant {
namespace {

using fuzz::constant;
using fuzz::number;
using ir::Op;

void each_tile(ir::Program& program, const std::string& space, const std::function<void(ir::Buffer&)>& f) {
  fuzz::each<ir::Buffer>(program, [&](ir::Buffer& buffer) {
    if (buffer.partition_rank && buffer.space == space) f(buffer);
  });
}

/// The tails of the axes that run along a dim of the tile that a statement fills: f(tile, dim, tail).
void each_ragged_dim(ir::Program& program, const std::function<void(ir::Buffer&, size_t, const Tail&)>& f) {
  each_place(
      program, [](const ir::Statement& s) { return !is_store(s); },
      [&](const Place& place) {
        const ir::Statement& s = place.statement();
        ir::Buffer* tile = buffer_named(program, s.destination);
        if (tile == nullptr || !tile->partition_rank) return;
        for (const size_t i : tails_of(s)) {
          const Tail tail = *tail_of(s.where[i]);
          for (size_t dim = 0; dim < s.indices.size(); ++dim)
            if (s.indices[dim].op == Op::variable && s.indices[dim].name == tail.inner) f(*tile, dim, tail);
        }
      });
}

void sized_by_the_tail(ir::Program& program, const machine::Machine&) {
  each_ragged_dim(program, [](ir::Buffer& tile, size_t dim, const Tail& tail) {
    if (tail.last() >= 1) tile.extents[dim] = number(tail.last());
  });
}

void sized_by_the_tensor(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [&](const Place& place) {
    const ir::Statement& s = place.statement();
    ir::Buffer *tile = buffer_named(program, s.destination),
               *tensor = s.value.op == Op::read ? buffer_named(program, s.value.name) : nullptr;
    if (tile == nullptr || tensor == nullptr || tile->extents.empty() || tensor->extents.empty()) return;
    int64_t most = 1;
    for (const ir::Expression& extent : tensor->extents) most *= constant(extent).value_or(1);
    ir::Expression& last = tile->extents.back();
    if (tile->extents.size() > *tile->partition_rank) last = number(std::max(most, constant(last).value_or(1)));
  });
}

/// Products begin at the last column of a bank.
void across_banks(ir::Program& program, const machine::Machine& machine) {
  const int64_t shift = machine.constant("psum_bank_f32").value_or(512) - 1;
  each_tile(program, "psum", [&](ir::Buffer& tile) {
    if (tile.extents.size() != *tile.partition_rank + 1) return;
    tile.extents.back() = number(constant(tile.extents.back()).value_or(1) + shift);
    const std::string name = tile.name;
    each_place(
        program, [](const ir::Statement&) { return true; },
        [&](const Place& place) {
          ir::Statement& s = place.statement();
          if (s.destination == name) s.indices.back() = fuzz::plus(s.indices.back(), shift);
          fuzz::each_read(s.value, [&](ir::Expression& read) {
            if (read.name == name) read.operands.back() = fuzz::plus(read.operands.back(), shift);
          });
        });
  });
}

void one_partition_more(ir::Program& program, const machine::Machine& machine) {
  const int64_t most = machine.constant("pmax").value_or(128);
  each_tile(program, "sbuf", [&](ir::Buffer& tile) {
    if (tile.partition_rank == 1 && constant(tile.extents[0]) == most) tile.extents[0] = number(most + 1);
  });
}

void product_in_sbuf(ir::Program& program, const machine::Machine&) {
  each_tile(program, "psum", [](ir::Buffer& tile) { tile.space = "sbuf"; });
}

void operand_in_dram(ir::Program& program, const machine::Machine&) {
  // The first operand of what computes is read where the load would have read it.
  for (const Place& place : places(program)) {
    ir::Statement& s = place.statement();
    if (!is_load(s) || s.value.op != Op::read || !s.where.empty()) continue;
    for (size_t i = place.index + 1; i < place.block->size(); ++i) {
      auto* user = std::get_if<ir::Statement>(&(*place.block)[i].node);
      if (user == nullptr || !computes(*user)) continue;
      fuzz::each_read(user->value, [&](ir::Expression& read) {
        if (read.name == s.destination && read.operands == s.indices) read = s.value;
      });
      break;
    }
  }
}

void narrow_operands(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [&](const Place& place) {
    ir::Buffer* tile = buffer_named(program, place.statement().destination);
    if (tile != nullptr && tile->dtype == ir::Dtype::f32) tile->dtype = ir::Dtype::bf16;
  });
}

/// A result that is kept for one element of the innermost free axis only.
void no_free_dim(ir::Program& program, const machine::Machine&) {
  each_place(program, computes, [&](const Place& place) {
    ir::Statement& s = place.statement();
    ir::Buffer* tile = buffer_named(program, s.destination);
    if (tile == nullptr || !tile->partition_rank || tile->extents.size() <= *tile->partition_rank) return;
    const size_t dim = tile->extents.size() - 1;
    if (constant(tile->extents[dim]).value_or(1) < 2) return;
    tile->extents[dim] = number(1);
    const std::string name = tile->name;
    each_place(
        program, [](const ir::Statement&) { return true; },
        [&](const Place& other) {
          ir::Statement& user = other.statement();
          if (user.destination == name) user.indices[dim] = number(0);
          fuzz::each_read(user.value, [&](ir::Expression& read) {
            if (read.name == name) read.operands[dim] = number(0);
          });
        });
  });
}

/// The second operand is loaded into the tile of the first, where they are alike.
void one_tile_for_two(ir::Program& program, const machine::Machine&) {
  fuzz::each_block(program.body, [&](ir::Block& block) {
    ir::Statement* first = nullptr;
    for (ir::Item& item : block) {
      auto* s = std::get_if<ir::Statement>(&item.node);
      if (s == nullptr) continue;
      if (!is_load(*s)) {
        first = nullptr;
        continue;
      }
      if (first == nullptr) {
        first = s;
        continue;
      }
      const ir::Buffer *a = buffer_named(program, first->destination), *b = buffer_named(program, s->destination);
      if (a == nullptr || b == nullptr || a->dtype != b->dtype || a->extents != b->extents) continue;
      const std::string from = b->name, to = a->name;
      for (ir::Item& later : block)
        fuzz::each_memory_name(later, [&](std::string& name) {
          if (name == from && !std::holds_alternative<ir::Buffer>(later.node)) name = to;
        });
      break;
    }
  });
}

void not_loaded(ir::Program& program, const machine::Machine&) {
  // A tensor that was loaded before, in another nest, is thought to be there still.
  std::vector<std::string> loaded;
  for (const Place& place : places(program)) {
    ir::Statement& s = place.statement();
    if (!is_load(s) || s.value.op != Op::read) continue;
    if (std::ranges::find(loaded, s.value.name) != loaded.end()) s.axes.empty() ? void() : void(s.axes[0].extent = number(0));
    loaded.push_back(s.value.name);
  }
}

void all_at_one_address(ir::Program& program, const machine::Machine&) {
  give_addresses(program, {[](const ir::Buffer&) { return int64_t{0}; }});
}

void two_bytes_an_element(ir::Program& program, const machine::Machine&) {
  give_addresses(program, {[](const ir::Buffer& tile) { return 2 * free_elements(tile); }});
}

void last_element_shared(ir::Program& program, const machine::Machine&) {
  give_addresses(program, {[](const ir::Buffer& tile) {
                   return bytes_of(tile) - bytes_of(tile) / std::max<int64_t>(1, free_elements(tile));
                 }});
}

void carried_tile_taken(ir::Program& program, const machine::Machine&) { give_addresses(program, {bytes_of, false}); }

void set_aside_by_the_tail(ir::Program& program, const machine::Machine&) {
  std::map<std::string, int64_t> bytes;
  each_ragged_dim(program, [&](ir::Buffer& tile, size_t dim, const Tail& tail) {
    if (dim >= *tile.partition_rank && tail.last() >= 1)
      bytes[tile.name] = bytes_of(tile) / constant(tile.extents[dim]).value_or(1) * tail.last();
  });
  give_addresses(program, {[bytes](const ir::Buffer& tile) {
                   const auto found = bytes.find(tile.name);
                   return found == bytes.end() ? bytes_of(tile) : found->second;
                 }});
}

}  // namespace

std::vector<PlantedBug> wrong_tiles() {
  const std::string macro = "macro-generation";
  return {
      {"sized-by-the-tail", "a ragged tile has room for what the last one holds", "passes 8.10(c)",
       WrongPass{macro, sized_by_the_tail}},
      {"sized-by-the-tensor", "a tile has room for all of the tensor", "bugs.tsv B077", WrongPass{macro, sized_by_the_tensor}},
      {"across-banks", "a product begins at the last column of a bank, and goes on in the next", "ours",
       WrongPass{macro, across_banks}},
      {"one-partition-more", "full tiles take one partition more than there are", "ours", WrongPass{macro, one_partition_more}},
      {"product-in-sbuf", "a product is accumulated outside of PSUM", "ours", WrongPass{macro, product_in_sbuf}},
      {"operand-in-dram", "an operand is read where it lies, without a load", "ours", WrongPass{macro, operand_in_dram}},
      {"narrow-operands", "f32 is loaded into tiles of bf16", "passes 8.2(d)", WrongPass{macro, narrow_operands}},
      {"no-free-dim", "the tile of a result lacks its last free dim", "passes 2.6(a)", WrongPass{macro, no_free_dim}},
      {"one-tile-for-two", "two operands of one shape share a tile", "passes 8.4(b)", WrongPass{macro, one_tile_for_two}},
      {"not-loaded-again", "a tensor that another nest has loaded is not loaded again", "passes 7.4(a)",
       WrongPass{macro, not_loaded}},
      {"all-at-one-address", "tiles that live at the same time have one address", "bugs.tsv B076",
       WrongPass{macro, all_at_one_address}},
      {"two-bytes-an-element", "addresses count two bytes for every element", "passes 7.1(b)",
       WrongPass{macro, two_bytes_an_element}},
      {"last-element-shared", "a tile begins where the last element of the one before it lies", "bugs.tsv B055",
       WrongPass{macro, last_element_shared}},
      {"carried-tile-taken", "what is carried over blocks is free inside of their loop", "bugs.tsv B019",
       WrongPass{macro, carried_tile_taken}},
      {"set-aside-by-the-tail", "addresses count what the last, ragged tile takes", "bugs.tsv B008",
       WrongPass{macro, set_aside_by_the_tail}},
  };
}

}  // namespace tileproof::plant
