// Tensors that stay on chip: which do, how they are transposed, and where their elements lie.
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/infer_nonlocal.h"
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace tileproof::plant {
namespace {

using fuzz::constant;
using fuzz::number;
using ir::Op;

bool is_tagged_local(const ir::Buffer& tensor) { return penguin::local_layout(tensor).has_value(); }

/// A transposed copy of a tensor that stays on chip.
bool is_bridge(const ir::Statement& s) {
  return penguin::find_tag(s.tags, "pf") != nullptr && s.value.op == Op::read &&
         s.destination.starts_with(s.value.name + "_turned");
}

int64_t all_elements(const ir::Buffer& tensor) {
  int64_t product = 1;
  for (const ir::Expression& extent : tensor.extents) product *= constant(extent).value_or(1);
  return product;
}

/// Tags tensors for which there is no room as well, the smallest first, as long as what `amount` says of them and of those that stay, all together or
/// `alone`, is at most `capacity`.
void keep_more(ir::Program& program, const machine::Machine& machine, int64_t capacity, bool alone,
               int64_t (*amount)(const ir::Buffer&, int64_t bytes)) {
  const std::vector<penguin::TensorUse> uses = penguin::tensor_uses(program, machine);
  const auto decided = penguin::residences(program, uses, machine, std::numeric_limits<int64_t>::max());
  std::vector<std::pair<int64_t, size_t>> more;
  for (size_t i = 0; i < uses.size(); ++i) {
    if (decided[i].reason) continue;
    const int64_t taken = amount(*uses[i].tensor, decided[i].bytes);
    if (is_tagged_local(*uses[i].tensor))
      capacity -= alone ? 0 : taken;
    else if (decided[i].bridges.empty())
      more.emplace_back(taken, i);
  }
  std::ranges::sort(more);
  std::vector<std::pair<std::string, penguin::LocalLayout>> kept;
  for (const auto& [taken, i] : more) {
    if (taken > capacity) break;
    capacity -= alone ? 0 : taken;
    kept.emplace_back(uses[i].tensor->name, decided[i].layout);
  }
  for (const auto& [name, layout] : kept) penguin::set_local_layout(*buffer_named(program, name), layout);
}

void total_for_a_partition(ir::Program& program, const machine::Machine& machine) {
  const int64_t lanes = machine.constant("pmax").value_or(1);
  keep_more(program, machine, penguin::local_budget(program, machine) * lanes, false,
            [](const ir::Buffer& tensor, int64_t) { return all_elements(tensor) * ir::bits(tensor.dtype) / 8; });
}

void elements_for_bytes(ir::Program& program, const machine::Machine& machine) {
  keep_more(program, machine, penguin::local_budget(program, machine), false,
            [](const ir::Buffer& tensor, int64_t bytes) { return bytes / std::max<int64_t>(1, ir::bits(tensor.dtype) / 8); });
}

void each_tensor_alone(ir::Program& program, const machine::Machine& machine) {
  keep_more(program, machine, penguin::local_budget(program, machine), true,
            [](const ir::Buffer&, int64_t bytes) { return bytes; });
}

void kept_in_bf16(ir::Program& program, const machine::Machine&) {
  fuzz::each<ir::Buffer>(program, [](ir::Buffer& buffer) {
    if (is_tagged_local(buffer) && buffer.dtype == ir::Dtype::f32) buffer.dtype = ir::Dtype::bf16;
  });
}

/// The writer becomes two, of its first block and of the others, and the transposed copy is made between them.
void behind_the_first_writer(ir::Program& program, const machine::Machine&) {
  std::vector<Place> all = places(program);
  for (size_t at = all.size(); at-- > 0;) {  // from the end, so that what is inserted moves no place that is still to be visited
    ir::Block& block = *all[at].block;
    const size_t index = all[at].index;
    const auto* writer = index == 0 ? nullptr : std::get_if<ir::Statement>(&block[index - 1].node);
    if (writer == nullptr || !is_bridge(all[at].statement()) || writer->destination != all[at].statement().value.name) continue;
    const auto loops = [](const ir::Axis& axis) {
      return penguin::class_of(axis) == penguin::AxisClass::block && axis.kind == ir::AxisKind::parallel &&
             constant(axis.extent).value_or(1) > 1;
    };
    const auto axis = std::ranges::find_if(writer->axes, loops);
    if (axis == writer->axes.end()) continue;
    const ir::Expression block_number = ir::variable(axis->name);
    ir::Statement first = *writer, others = *writer;
    first.where.push_back(fuzz::compare(Op::less, block_number, number(1)));
    others.where.push_back(fuzz::compare(Op::greater_equal, block_number, number(1)));
    block[index - 1] = {std::move(first)};
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(index) + 1, {std::move(others)});
  }
}

void copied_whole(ir::Program& program, const machine::Machine&) {
  each_place(program, is_bridge, [](const Place& place) {
    std::erase_if(place.statement().where, [](const ir::Expression& condition) { return tail_of(condition).has_value(); });
  });
}

/// By position: the indices stay those of the copy.
void one_reader_forgotten(ir::Program& program, const machine::Machine&) {
  std::set<std::string> copies;
  fuzz::each<ir::Buffer>(program, [&](const ir::Buffer& buffer) {
    const size_t end = buffer.name.find("_turned");
    if (buffer.space == "sbuf" && end != std::string::npos && buffer_named(program, buffer.name.substr(0, end)) != nullptr)
      copies.insert(buffer.name);
  });
  for (const std::string& copy : copies) {
    ir::Expression* last = nullptr;
    each_place(
        program, [](const ir::Statement&) { return true; },
        [&](const Place& place) {
          fuzz::each_read(place.statement().value, [&](ir::Expression& read) {
            if (read.name == copy) last = &read;
          });
        });
    if (last != nullptr) last->name = copy.substr(0, copy.find("_turned"));
  }
}

/// Dims behind the bar change places, in the declaration and in the reads, but not in the writes.
void written_in_the_old_order(ir::Program& program, const machine::Machine&) {
  std::vector<std::pair<std::string, std::pair<size_t, size_t>>> exchanged;
  fuzz::each<ir::Buffer>(program, [&](ir::Buffer& buffer) {
    const auto layout = penguin::local_layout(buffer);
    if (!layout) return;
    std::vector<size_t> free;
    for (size_t i = 0; i < buffer.extents.size(); ++i)
      if (std::ranges::find(layout->lanes, i, &penguin::LaneDim::dim) == layout->lanes.end()) free.push_back(i);
    if (free.size() < 2) return;
    exchanged.emplace_back(buffer.name, std::pair(free[free.size() - 2], free.back()));
    std::swap(buffer.extents[free[free.size() - 2]], buffer.extents[free.back()]);
  });
  for (const auto& [name, dims] : exchanged)
    each_place(
        program, [](const ir::Statement&) { return true; },
        [&](const Place& place) {
          fuzz::each_read(place.statement().value, [&](ir::Expression& read) {
            if (read.name == name) std::swap(read.operands[dims.first], read.operands[dims.second]);
          });
        });
}

/// Calls f(index, loop) on each index of a buffer in SBUF that is a loop alone: the block of a tensor on chip.
template <class F>
void each_block_index(const Place& place, ir::Program& program, bool of_writes, const F& f) {
  const auto visit = [&](const std::string& name, std::vector<ir::Expression>& indices) {
    ir::Buffer* buffer = buffer_named(program, name);
    if (buffer == nullptr || buffer->space != "sbuf") return;
    for (size_t dim = 0; dim < indices.size(); ++dim)
      for (ir::Loop* loop : place.loops)
        if (indices[dim] == ir::variable(loop->name)) f(*buffer, dim, indices[dim], *loop);
  };
  fuzz::each_read(place.statement().value, [&](ir::Expression& read) { visit(read.name, read.operands); });
  if (of_writes) visit(place.statement().destination, place.statement().indices);
}

void one_block_for_all(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement&) { return true; },
      [&](const Place& place) {
        each_block_index(place, program, true,
                         [](ir::Buffer&, size_t, ir::Expression& index, const ir::Loop&) { index = number(0); });
      });
}

void first_block_read(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement&) { return true; },
      [&](const Place& place) {
        each_block_index(place, program, false,
                         [](ir::Buffer&, size_t, ir::Expression& index, const ir::Loop&) { index = number(0); });
      });
}

void room_for_whole_blocks(ir::Program& program, const machine::Machine&) {
  std::set<std::pair<std::string, size_t>> ragged;
  each_place(
      program, [](const ir::Statement&) { return true; },
      [&](const Place& place) {
        each_block_index(place, program, true, [&](ir::Buffer& buffer, size_t dim, ir::Expression&, const ir::Loop& loop) {
          for (const size_t i : tails_of(place.statement()))
            if (tail_of(place.statement().where[i])->outer == loop.name) ragged.emplace(buffer.name, dim);
        });
      });
  for (const auto& [name, dim] : ragged) {
    ir::Buffer& buffer = *buffer_named(program, name);
    if (const int64_t blocks = constant(buffer.extents[dim]).value_or(1); blocks > 1) buffer.extents[dim] = number(blocks - 1);
  }
}

}  // namespace

std::vector<PlantedBug> wrong_locals() {
  const std::string rule = "infer-nonlocal", order = "static-transpose", macro = "macro-generation";
  return {
      {"total-for-a-partition", "tensors stay on chip where all their bytes fit into all partitions", "passes 1.4(a)",
       WrongPass{rule, total_for_a_partition}},
      {"tensors-by-elements", "tensors stay on chip by their elements, not their bytes", "passes 1.4(c)",
       WrongPass{rule, elements_for_bytes}},
      {"each-tensor-alone", "each tensor that stays on chip is budgeted alone", "bugs.tsv B007",
       WrongPass{rule, each_tensor_alone}},
      {"kept-in-bf16", "what stays on chip is bf16", "ours", WrongPass{rule, kept_in_bf16}},
      {"behind-the-first-writer", "the transposed copy is made behind the first of two writers", "passes 1.6(a)",
       WrongPass{rule, behind_the_first_writer}},
      {"copied-whole", "the transposed copy takes the tail block for a full one", "passes 1.6(b)", WrongPass{rule, copied_whole}},
      {"one-reader-forgotten", "a reader of a transposed copy still reads the tensor, as if it were the copy", "passes 1.6(c)",
       WrongPass{macro, one_reader_forgotten}},
      {"written-in-the-old-order", "the dims of a tensor on chip change places for who reads it only", "passes 2.2(a)",
       WrongPass{order, written_in_the_old_order}},
      {"one-block-for-all", "all blocks of a tensor on chip lie in one place", "ours", WrongPass{macro, one_block_for_all}},
      {"first-block-read", "who reads a tensor on chip reads its first block in every iteration", "ours",
       WrongPass{macro, first_block_read}},
      {"room-for-whole-blocks", "a tensor on chip has no room for the block of the tail", "ours",
       WrongPass{macro, room_for_whole_blocks}},
  };
}

}  // namespace tileproof::plant
