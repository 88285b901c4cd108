// Which elements are loaded, computed on and stored.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>
#include <set>

namespace tileproof::plant {
namespace {

using fuzz::constant;
using fuzz::number;
using fuzz::plus;
using ir::Op;

void each_index_loaded(ir::Program& program, const std::function<void(const Place&, ir::Expression&)>& f) {
  each_place(program, is_load, [&](const Place& place) {
    if (place.statement().value.op != Op::read) return;
    for (ir::Expression& index : place.statement().value.operands) f(place, index);
  });
}

void transposed(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) {
    std::vector<ir::Expression>& indices = place.statement().value.operands;
    if (indices.size() > 1) std::swap(indices[0], indices[1]);
  });
}

void next_block(ir::Program& program, const machine::Machine&) {
  each_index_loaded(program, [](const Place& place, ir::Expression& index) {
    for (const ir::Loop* loop : place.loops)
      if (ir::Expression* block = summand(index, loop->name); block != nullptr && trips(*loop) > 1) {
        const int64_t tile = factor(*block);
        *block = plus(*block, tile);
        return;
      }
  });
}

/// The advance from tile to tile is lost.
void always_the_first_tile(ir::Program& program, const machine::Machine&) {
  each_place(program, is_store, [](const Place& place) {
    for (ir::Expression& index : place.statement().indices)
      for (const ir::Loop* loop : place.loops)
        if (ir::Expression* block = summand(index, loop->name)) *block = number(0);
  });
}

void one_tile_further(ir::Program& program, const machine::Machine&) {
  each_place(program, is_store, [](const Place& place) {
    ir::Statement& s = place.statement();
    for (ir::Expression& index : s.indices)
      for (const ir::Loop* loop : place.loops) {
        const auto count = trips(*loop);
        ir::Expression* block = summand(index, loop->name);
        if (block == nullptr || !count || *count < 2) continue;
        *block = fuzz::times(factor(*block), fuzz::binary(Op::mod, plus(ir::variable(loop->name), 1), number(*count)));
        return;
      }
  });
}

void loop_of_the_neighbour(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) {
    if (place.loops.size() < 2) return;
    const std::string outer = place.loops[0]->name, inner = place.loops[1]->name;
    for (ir::Expression& index : place.statement().value.operands)
      if (ir::Expression* block = summand(index, outer)) *block = fuzz::times(factor(*block), ir::variable(inner));
  });
}

/// The window begins where tiles of another length would: that of the last one.
void stride_of_the_tail(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) {
    ir::Statement& s = place.statement();
    for (const size_t i : tails_of(s)) {
      const Tail tail = *tail_of(s.where[i]);
      if (tail.last() < 1) continue;
      for (ir::Expression& index : s.value.operands)
        if (ir::Expression* block = summand(index, tail.outer)) *block = fuzz::times(tail.last(), ir::variable(tail.outer));
    }
  });
}

/// The load walks with the stride that a reversed tile has; the store does not.
void reversed_for_the_load(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) {
    ir::Statement& s = place.statement();
    for (const ir::Loop* loop : place.loops) {
      const auto count = trips(*loop);
      if (!count || *count < 2) continue;
      for (ir::Expression& index : s.value.operands) {
        ir::Expression* block = summand(index, loop->name);
        if (block == nullptr) continue;
        const int64_t tile = factor(*block);
        for (const ir::Axis& axis : s.axes) {
          ir::Expression* lane = summand(index, axis.name);
          if (lane == nullptr || factor(*lane) != 1 || constant(axis.extent) != tile || tile < 2) continue;
          *lane = fuzz::times(*count, ir::variable(axis.name));
          *summand(index, loop->name) = ir::variable(loop->name);
          break;
        }
      }
    }
  });
}

/// After the cut: a long axis that was made rows is walked by columns.
void rows_by_columns(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) {
    ir::Statement& s = place.statement();
    for (ir::Expression& index : s.value.operands)
      for (const ir::Axis& outer : s.axes)
        for (const ir::Axis& inner : s.axes) {
          ir::Expression *high = summand(index, outer.name), *low = summand(index, inner.name);
          const auto rows = constant(outer.extent), row = constant(inner.extent);
          if (high == nullptr || low == nullptr || &outer == &inner || !rows || !row || *rows < 2 || factor(*high) != *row ||
              factor(*low) != 1)
            continue;
          *low = fuzz::times(*rows, ir::variable(inner.name));
          *summand(index, outer.name) = ir::variable(outer.name);
          return;
        }
  });
}

/// Terms of one index that both run: a window that slides.
void no_window(ir::Program& program, const machine::Machine&) {
  each_index_loaded(program, [](const Place& place, ir::Expression& index) {
    std::vector<std::string> axes;
    for (const ir::Axis& axis : place.statement().axes)
      if (constant(axis.extent) > 1 && names(index, axis.name) &&
          std::ranges::none_of(place.statement().where, [&](const ir::Expression& c) { return names(c, axis.name); }))
        axes.push_back(axis.name);
    if (axes.size() > 1)
      if (ir::Expression* term = summand(index, axes.back())) *term = number(0);
  });
}

void no_stride(ir::Program& program, const machine::Machine&) {
  each_index_loaded(program, [](const Place& place, ir::Expression& index) {
    bool blocked = false;
    for (const ir::Loop* loop : place.loops) blocked |= names(index, loop->name);
    if (blocked) return;
    for (const ir::Axis& axis : place.statement().axes) {
      ir::Expression* term = summand(index, axis.name);
      if (term == nullptr || factor(*term) < 2) continue;
      *term = ir::variable(axis.name);
      return;
    }
  });
}

void offset_twice(ir::Program& program, const machine::Machine&) {
  each_index_loaded(program, [](const Place&, ir::Expression& index) {
    if (index.op != Op::add) return;
    if (const auto offset = constant(index.operands[1]); offset && *offset > 0) index.operands[1] = number(2 * *offset);
  });
}

void first_element_for_all(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) {
    ir::Statement& s = place.statement();
    if (s.value.op != Op::read) return;
    for (const ir::Axis& axis : s.axes) {
      if (constant(axis.extent).value_or(0) < 2) continue;
      for (ir::Expression& index : s.value.operands)
        if (index.op == Op::variable && index.name == axis.name) {
          index = number(0);
          return;
        }
    }
  });
}

void operands_exchanged(ir::Program& program, const machine::Machine&) {
  each_place(program, computes, [](const Place& place) {
    fuzz::each_node(place.statement().value, fuzz::Use::value, [](ir::Expression& e, fuzz::Use use) {
      if (use == fuzz::Use::value && (e.op == Op::subtract || e.op == Op::divide)) std::swap(e.operands[0], e.operands[1]);
    });
  });
}

/// As if the moving operand were the stationary one.
void result_transposed(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement& s) { return s.opcode == "matmul" && s.value.operands.size() == 2; },
      [&](const Place& place) {
        ir::Statement& s = place.statement();
        if (s.indices.size() == 2) std::swap(s.indices[0], s.indices[1]);
      });
}

/// The tensor of the same shape that was made before it.
void another_version(ir::Program& program, const machine::Machine&) {
  std::vector<const ir::Buffer*> tensors;
  for (const ir::Item& item : program.body) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    if (buffer != nullptr && !buffer->partition_rank) tensors.push_back(buffer);
  }
  each_place(program, is_load, [&](const Place& place) {
    ir::Expression& read = place.statement().value;
    if (read.op != Op::read) return;
    const ir::Buffer* own = nullptr;
    for (const ir::Buffer* tensor : tensors)
      if (tensor->name == read.name) own = tensor;
    if (own == nullptr || own->role == ir::Role::in) return;
    for (const ir::Buffer* tensor : tensors)
      if (tensor != own && tensor->role == ir::Role::in && tensor->extents == own->extents) {
        read.name = tensor->name;
        return;
      }
  });
}

/// Outer dims of a window do not move: what remains is its last two.
void last_two_dims_only(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) {
    ir::Statement& s = place.statement();
    if (s.value.op != Op::read || s.value.operands.size() < 3) return;
    for (size_t i = 0; i + 2 < s.value.operands.size(); ++i) s.value.operands[i] = number(0);
  });
}

void stored_transposed(ir::Program& program, const machine::Machine&) {
  each_place(program, is_store, [](const Place& place) {
    std::vector<ir::Expression>& indices = place.statement().indices;
    if (indices.size() > 1) std::swap(indices[indices.size() - 2], indices[indices.size() - 1]);
  });
}

void function_dropped(ir::Program& program, const machine::Machine&) {
  each_place(program, computes, [](const Place& place) {
    ir::Expression& value = place.statement().value;
    if (value.op != Op::read && value.operands.size() == 1) {
      const ir::Expression kept = value.operands[0];
      value = kept;
    }
  });
}

}  // namespace

std::vector<PlantedBug> wrong_accesses() {
  const std::string macro = "macro-generation";
  return {
      {"transposed-load", "the first two dims of a load change places", "passes 5.1(a)", WrongPass{macro, transposed}},
      {"transposed-store", "the last two dims of a store change places", "passes 5.1(b)", WrongPass{macro, stored_transposed}},
      {"next-block-loaded", "a load is one block ahead of what uses it", "passes 8.4(d)", WrongPass{macro, next_block}},
      {"always-the-first-tile", "stores do not advance with their loops", "bugs.tsv B026",
       WrongPass{macro, always_the_first_tile}},
      {"one-tile-further", "stores go to the next tile, the last one to the first", "passes 8.4(a)",
       WrongPass{macro, one_tile_further}},
      {"loop-of-the-neighbour", "a load moves with the loop beside its own", "bugs.tsv B073",
       WrongPass{macro, loop_of_the_neighbour}},
      {"stride-of-the-tail", "loads advance by the length of the last tile", "bugs.tsv B064",
       WrongPass{macro, stride_of_the_tail}},
      {"reversed-for-the-load", "the tile is reversed for loads, but not for stores", "passes 2.3(d)",
       WrongPass{macro, reversed_for_the_load}},
      {"rows-by-columns", "a long axis that was made rows is loaded by columns", "ours", WrongPass{macro, rows_by_columns}},
      {"no-window", "a window does not slide", "ours", WrongPass{macro, no_window}},
      {"no-stride", "a strided axis is loaded without its stride", "passes 6.1(b)", WrongPass{macro, no_stride}},
      {"offset-twice", "the offset of a window is added to where its tile begins, and again inside", "bugs.tsv B004",
       WrongPass{macro, offset_twice}},
      {"first-element-for-all", "an axis of a load is lost, as if the tensor were the same along it", "ours",
       WrongPass{macro, first_element_for_all}},
      {"operands-exchanged", "what is subtracted and what it is subtracted from change places", "ours",
       WrongPass{macro, operands_exchanged}},
      {"result-transposed", "a product is written as if the moving operand were the stationary one", "bugs.tsv B016",
       WrongPass{macro, result_transposed}},
      {"another-version", "a load takes an input of the same shape for the tensor that was made of it", "bugs.tsv B091",
       WrongPass{macro, another_version}},
      {"last-two-dims-only", "of a window of more than two dims only the last two move", "bugs.tsv B082",
       WrongPass{macro, last_two_dims_only}},
      {"function-dropped", "the outermost function of a value is taken for a copy", "passes 1.10(b)",
       WrongPass{macro, function_dropped}},
  };
}

}  // namespace tileproof::plant
