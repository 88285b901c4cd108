// Dimensions that become several.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/tensor_tile_delinearizer.h"
#include "fuzz/reduce/walk.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::plant {
namespace {

using Names = std::set<std::string>;

std::map<std::string, size_t> ranks(const ir::Program& program) {
  std::map<std::string, size_t> ranks;
  fuzz::each<ir::Buffer>(program, [&](const ir::Buffer& buffer) { ranks[buffer.name] = buffer.extents.size(); });
  return ranks;
}

/// The right pass, and then an edit that knows which tensors it has split.
pipeline::Pass delinearizer_and(void (*edit)(ir::Program&, const Names& split)) {
  pipeline::Pass pass = penguin::tensor_tile_delinearizer();
  pass.run = [right = pass.run, edit](ir::Program program, const pipeline::Context& context) {
    const std::map<std::string, size_t> before = ranks(program);
    auto result = right(std::move(program), context);
    if (!result) return result;
    Names split;
    for (const auto& [name, rank] : ranks(*result))
      if (before.at(name) != rank) split.insert(name);
    if (!split.empty()) edit(*result, split);
    return result;
  };
  return pass;
}

void extents_exchanged(ir::Program& program, const Names& split) {
  fuzz::each<ir::Buffer>(program, [&](ir::Buffer& buffer) {
    if (split.contains(buffer.name)) std::swap(buffer.extents.front(), buffer.extents.back());
  });
}

/// Reads of split tensors, in textual order.
std::vector<ir::Expression*> reads_of_split(ir::Program& program, const Names& split) {
  std::vector<ir::Expression*> reads;
  fuzz::each<ir::Statement>(program, [&](ir::Statement& s) {
    fuzz::each_read(s.value, [&](ir::Expression& read) {
      if (split.contains(read.name)) reads.push_back(&read);
    });
  });
  return reads;
}

/// As if it had not been rewritten with the others: its place in the row says which row.
void last_read_left_behind(ir::Program& program, const Names& split) {
  if (const auto reads = reads_of_split(program, split); !reads.empty())
    std::swap(reads.back()->operands.front(), reads.back()->operands.back());
}

void offsets_lost(ir::Program& program, const Names& split) {
  for (ir::Expression* read : reads_of_split(program, split))
    for (ir::Expression& index : read->operands)
      if (index.op == ir::Op::add && index.operands[1].op == ir::Op::literal) index = ir::Expression(index.operands[0]);
}

/// Calls f(statement, rows, elements of a row) for each axis of which one factor lies on the partitions and the other one is free.
template <class F>
void each_row_of_an_axis(ir::Program& program, const F& f) {
  fuzz::each<ir::Statement>(program, [&](ir::Statement& s) {
    for (ir::Axis& rows : s.axes) {
      const ir::Tag* from = penguin::find_tag(rows.tags, "from");
      if (from == nullptr || penguin::class_of(rows) != penguin::AxisClass::partition || rows.kind != ir::AxisKind::parallel)
        continue;
      for (ir::Axis& row : s.axes) {
        const ir::Tag* same = penguin::find_tag(row.tags, "from");
        if (same != nullptr && same->value == from->value && penguin::class_of(row) == penguin::AxisClass::free)
          return f(s, rows, row);
      }
    }
  });
}

void rows_rounded_up(ir::Program& program, const machine::Machine&) {
  each_row_of_an_axis(program, [](ir::Statement&, ir::Axis& rows, ir::Axis&) {
    rows.extent = fuzz::number(fuzz::constant(rows.extent).value_or(0) + 1);
  });
}

void rows_that_overlap(ir::Program& program, const machine::Machine&) {
  each_row_of_an_axis(program, [](ir::Statement& s, ir::Axis& rows, ir::Axis&) {
    const auto shorten = [&](ir::Expression& index) {
      ir::Expression* term = summand(index, rows.name);
      if (term != nullptr && factor(*term) > 1) *term = fuzz::times(factor(*term) - 1, ir::variable(rows.name));
    };
    for (ir::Expression& index : s.indices) shorten(index);
  });
}

/// The part of an axis that the partitions did not hold is in no tile.
void overflow_not_in_the_tile(ir::Program& program, const machine::Machine&) {
  each_row_of_an_axis(program, [&](ir::Statement& s, ir::Axis&, ir::Axis& row) {
    const ir::Buffer* tile = buffer_named(program, s.destination);
    if (!computes(s) || tile == nullptr || tile->space == "dram") return;
    for (ir::Expression& index : s.indices)
      if (index == ir::variable(row.name)) index = fuzz::number(0);
  });
}

}  // namespace

std::vector<PlantedBug> wrong_dimensions() {
  return {
      {"offset-into-the-next-row", "a dimension is split though an access goes on into the next row", "passes 3.1(a)",
       penguin::tensor_tile_delinearizer([](ir::Interval, int64_t) { return true; })},
      {"last-read-left-behind", "of a tensor that is split, one read is not rewritten with the others", "passes 3.1(b)",
       delinearizer_and(last_read_left_behind)},
      {"split-extents-exchanged", "a split dimension has as many tiles as a tile has elements", "ours",
       delinearizer_and(extents_exchanged)},
      {"rows-rounded-up", "an axis that no number of rows divides has one row more", "passes 3.2(c)",
       WrongPass{"p-compute-cutting", rows_rounded_up}},
      {"rows-that-overlap", "rows of a long axis begin an element early", "bugs.tsv B029",
       WrongPass{"p-compute-cutting", rows_that_overlap}},
      {"overflow-not-in-the-tile", "what the partitions did not hold of an axis is free, and the tile has no room for it",
       "passes 2.3(b)", WrongPass{"macro-generation", overflow_not_in_the_tile}},
      {"offset-lost-in-a-split", "reads of a split dimension lose their offset", "bugs.tsv B004", delinearizer_and(offsets_lost)},
  };
}

}  // namespace tileproof::plant
