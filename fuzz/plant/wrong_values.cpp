// Values by number, values from the step before, and old values: gathers, scans, and statements in place.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tileproof::plant {
namespace {

using fuzz::number;
using ir::Op;

bool gathers(const ir::Statement& s) { return s.opcode == "gather"; }
bool scans(const ir::Statement& s) { return s.opcode == "scan"; }

/// Calls f(read) on the reads of row numbers inside of the indices of each gather.
template <class F>
void each_number(const Place& place, const F& f) {
  for (ir::Expression& index : place.statement().value.operands) fuzz::each_read(index, [&](ir::Expression& read) { f(read); });
}

void one_row_for_all(ir::Program& program, const machine::Machine&) {
  each_place(program, gathers, [](const Place& place) {
    each_number(place, [](ir::Expression& read) {
      for (ir::Expression& index : read.operands) index = number(0);
    });
  });
}

void numbers_of_the_first_tile(ir::Program& program, const machine::Machine&) {
  each_place(program, gathers, [](const Place& place) {
    for (ir::Item& item : *place.block) {
      auto* load = std::get_if<ir::Statement>(&item.node);
      if (load == nullptr || !is_load(*load)) continue;
      bool is_of_numbers = false;
      each_number(place, [&](ir::Expression& read) { is_of_numbers |= read.name == load->destination; });
      if (!is_of_numbers) continue;
      for (const ir::Loop* loop : place.loops)
        for (ir::Expression& index : load->value.operands)
          if (ir::Expression* term = summand(index, loop->name)) *term = number(0);
    }
  });
}

/// The tile's own offset is added to the number of the row.
void numbers_within_a_tile(ir::Program& program, const machine::Machine&) {
  each_place(program, gathers, [](const Place& place) {
    if (place.loops.empty()) return;
    for (ir::Expression& index : place.statement().value.operands)
      if (index.op == Op::read) {
        index = fuzz::plus(std::move(index), ir::variable(place.loops.front()->name));
        return;
      }
  });
}

void gathered_whole(ir::Program& program, const machine::Machine&) {
  each_place(program, gathers, [](const Place& place) {
    const std::vector<size_t> tails = tails_of(place.statement());
    for (size_t i = tails.size(); i-- > 0;)
      place.statement().where.erase(place.statement().where.begin() + static_cast<std::ptrdiff_t>(tails[i]));
  });
}

/// Numbers of rows in tiles of eight bits.
void numbers_in_eight_bits(ir::Program& program, const machine::Machine&) {
  each_place(program, gathers, [&](const Place& place) {
    each_number(place, [&](ir::Expression& read) {
      if (ir::Buffer* tile = buffer_named(program, read.name); tile != nullptr && tile->space != "dram")
        tile->dtype = ir::Dtype::i8;
    });
  });
}

template <class F>
void each_select(ir::Expression& e, const F& f) {
  for (ir::Expression& operand : e.operands) each_select(operand, f);
  if (e.op == Op::select) f(e);
}

void begins_a_step_late(ir::Program& program, const machine::Machine&) {
  each_place(program, scans, [](const Place& place) {
    each_select(place.statement().value, [](ir::Expression& choice) {
      if (choice.operands[0].op == Op::greater) choice.operands[0].operands[1] = number(1);
    });
  });
}

/// What every step reads is what was loaded, not what the step before made of it.
void steps_at_once(ir::Program& program, const machine::Machine&) {
  each_place(program, scans, [](const Place& place) {
    ir::Statement& s = place.statement();
    std::string loaded;
    fuzz::each_read(s.value, [&](ir::Expression& read) {
      if (read.name != s.destination && read.operands.size() == s.indices.size() && loaded.empty()) loaded = read.name;
    });
    if (loaded.empty()) return;
    fuzz::each_read(s.value, [&](ir::Expression& read) {
      if (read.name == s.destination) read.name = loaded;
    });
    for (ir::Axis& axis : s.axes) axis.kind = ir::AxisKind::parallel;
  });
}

/// The recurrence goes on from row to row: what it begins with in each is never asked.
void never_begins(ir::Program& program, const machine::Machine&) {
  each_place(program, scans, [](const Place& place) {
    each_select(place.statement().value, [](ir::Expression& choice) { choice = ir::Expression(choice.operands[2]); });
  });
}

/// The recurrence begins anew halfway, as if its axis were cut.
void scan_in_two_blocks(ir::Program& program, const machine::Machine&) {
  each_place(program, scans, [](const Place& place) {
    ir::Statement& s = place.statement();
    const auto axis = std::ranges::find(s.axes, ir::AxisKind::seq, &ir::Axis::kind);
    const int64_t steps = axis == s.axes.end() ? 0 : fuzz::constant(axis->extent).value_or(0);
    if (steps < 4) return;
    each_select(s.value, [&](ir::Expression& choice) {
      ir::Expression& step = choice.operands[0].operands[0];
      if (choice.operands[0].op == Op::greater) step = fuzz::binary(Op::mod, std::move(step), number(steps / 2));
    });
  });
}

/// Of the blocks in which a tensor is loaded and stored again.
template <class F>
void each_in_place(ir::Program& program, const F& f) {
  each_place(program, is_store, [&](const Place& place) {
    for (size_t i = 0; i < place.index; ++i) {
      const auto* load = std::get_if<ir::Statement>(&(*place.block)[i].node);
      if (load == nullptr || !is_load(*load) || load->value.op != Op::read) continue;
      if (load->value.name != place.statement().destination) continue;
      f(place, i);
      return;
    }
  });
}

/// A store of the old values, which are still what was loaded.
void old_values_stored(ir::Program& program, const machine::Machine&) {
  each_in_place(program, [](const Place& place, size_t load) {
    place.statement().value = ir::read(std::get<ir::Statement>((*place.block)[load].node).destination,
                                       std::get<ir::Statement>((*place.block)[load].node).indices);
  });
}

/// Old values are those of the first tile in every tile.
void old_values_of_the_first_tile(ir::Program& program, const machine::Machine&) {
  each_in_place(program, [](const Place& place, size_t load) {
    for (ir::Expression& index : std::get<ir::Statement>((*place.block)[load].node).value.operands)
      for (const ir::Loop* loop : place.loops)
        if (ir::Expression* term = summand(index, loop->name)) *term = number(0);
  });
}

void old_values_without_a_tail(ir::Program& program, const machine::Machine&) {
  each_in_place(program, [](const Place& place, size_t load) {
    ir::Statement& s = std::get<ir::Statement>((*place.block)[load].node);
    if (const std::vector<size_t> tails = tails_of(s); !tails.empty())
      s.where.erase(s.where.begin() + static_cast<std::ptrdiff_t>(tails.front()));
  });
}

}  // namespace

std::vector<PlantedBug> wrong_values() {
  const std::string macro = "macro-generation";
  return {
      {"one-row-for-all", "a gather takes the row of the first number for each", "ours", WrongPass{macro, one_row_for_all}},
      {"numbers-of-the-first-tile", "row numbers are those of the first tile in every tile", "bugs.tsv B026",
       WrongPass{macro, numbers_of_the_first_tile}},
      {"numbers-within-a-tile", "row numbers are taken for places in a tile, and its number is added", "bugs.tsv B004",
       WrongPass{macro, numbers_within_a_tile}},
      {"gathered-whole", "a gather takes the tail for a whole tile, with numbers that nobody loaded", "passes 2.6(b)",
       WrongPass{macro, gathered_whole}},
      {"numbers-in-eight-bits", "row numbers are kept in eight bits", "bugs.tsv B085", WrongPass{macro, numbers_in_eight_bits}},
      {"scan-in-two-blocks", "a scan is cut, and what it carries does not go from block to block", "bugs.tsv B061",
       WrongPass{macro, scan_in_two_blocks}},
      {"scan-begins-late", "the second step of a scan has none before it", "ours", WrongPass{macro, begins_a_step_late}},
      {"scan-steps-at-once", "the steps of a scan are done at once, from what was loaded", "passes 2.6(d)",
       WrongPass{macro, steps_at_once}},
      {"scan-of-one-step", "no step of a scan sees the one before it", "ours", WrongPass{macro, never_begins}},
      {"old-values-stored", "a statement in place stores what it loaded", "ours", WrongPass{macro, old_values_stored}},
      {"old-values-of-the-first-tile", "a statement in place begins with the values of the first tile", "bugs.tsv B026",
       WrongPass{macro, old_values_of_the_first_tile}},
      {"old-values-without-a-tail", "a statement in place loads beyond the end", "passes 1.9(a)",
       WrongPass{macro, old_values_without_a_tail}},
  };
}

}  // namespace tileproof::plant
