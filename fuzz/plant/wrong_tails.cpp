// Ragged last tiles.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"

#include "compiler/penguin/axis_class.h"

#include <algorithm>
#include <cstddef>

namespace tileproof::plant {
namespace {

using fuzz::constant;
using fuzz::number;
using ir::Op;

void drop_tails(ir::Statement& s) {
  std::erase_if(s.where, [](const ir::Expression& condition) { return tail_of(condition).has_value(); });
}

void each_tail(ir::Program& program, const std::function<void(ir::Expression&, const Tail&)>& f) {
  each_place(
      program, [](const ir::Statement&) { return true; },
      [&](const Place& place) {
        for (ir::Expression& condition : place.statement().where)
          if (const auto tail = tail_of(condition)) f(condition, *tail);
      });
}

void no_tail_on_loads(ir::Program& program, const machine::Machine&) {
  each_place(program, is_load, [](const Place& place) { drop_tails(place.statement()); });
}

void no_tail_on_sums(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement& s) { return computes(s) && accumulates(s); },
      [](const Place& place) { drop_tails(place.statement()); });
}

/// ... where they lie on the partitions.
void no_tail_on_lanes(ir::Program& program, const machine::Machine&) {
  each_place(
      program,
      [](const ir::Statement& s) { return computes(s) && !penguin::axes_of(s, penguin::AxisClass::partition, true).empty(); },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        for (const size_t at : penguin::axes_of(s, penguin::AxisClass::partition, true))
          std::erase_if(s.where, [&](const ir::Expression& condition) {
            const auto tail = tail_of(condition);
            return tail && tail->inner == s.axes[at].name;
          });
      });
}

void no_tail_on_stores(ir::Program& program, const machine::Machine&) {
  each_place(program, is_store, [](const Place& place) { drop_tails(place.statement()); });
}

void one_of_two_tails(ir::Program& program, const machine::Machine&) {
  each_place(program, is_store, [](const Place& place) {
    ir::Statement& s = place.statement();
    if (const auto tails = tails_of(s); tails.size() > 1)
      s.where.erase(s.where.begin() + static_cast<std::ptrdiff_t>(tails.back()));
  });
}

void inclusive(ir::Program& program, const machine::Machine&) {
  each_tail(program, [](ir::Expression& condition, const Tail&) { condition.op = Op::less_equal; });
}

/// As if every trip held the mean of what there is.
void mean_of_the_parts(ir::Program& program, const machine::Machine&) {
  each_tail(program, [](ir::Expression& condition, const Tail& tail) {
    const int64_t each = (tail.extent + tail.trips() - 1) / tail.trips();
    condition = fuzz::compare(Op::less, ir::variable(tail.inner), number(each));
  });
}

void on_the_wrong_axis(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement&) { return true; },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        for (ir::Expression& condition : s.where) {
          const auto tail = tail_of(condition);
          if (!tail) continue;
          const auto other = std::ranges::find_if(
              s.axes, [&](const ir::Axis& axis) { return axis.name != tail->inner && constant(axis.extent) > 1; });
          if (other != s.axes.end()) condition.operands[0].operands[1] = ir::variable(other->name);
        }
      });
}

/// The last tile begins earlier, so that it is full, and what it has in common with the one before it is summed twice.
void last_tile_moved_back(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement& s) { return !is_store(s); },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        const ir::Loop* sums = place.innermost(ir::LoopKind::seq);
        if (sums == nullptr) return;
        for (const size_t i : tails_of(s)) {
          const Tail tail = *tail_of(s.where[i]);
          if (tail.outer != sums->name || tail.extent < tail.tile) continue;
          if (is_load(s)) {
            fuzz::each_read(s.value, [&](ir::Expression& read) {
              for (ir::Expression& index : read.operands) {
                ir::Expression* block = summand(index, tail.outer);
                if (block != nullptr && factor(*block) == tail.tile)
                  *block = fuzz::binary(Op::min, *block, number(tail.extent - tail.tile));
              }
            });
          }
          s.where.erase(s.where.begin() + static_cast<std::ptrdiff_t>(i));
          return;
        }
      });
}

/// Fills the tiles that `wanted` loads with zeros, and lets the sum behind them run over all of them.
void zero_filled(ir::Program& program, bool (*wanted)(const ir::Statement&)) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Place& place : places(program)) {
      ir::Statement& s = place.statement();
      if (!computes(s) || !accumulates(s) || !wanted(s) || tails_of(s).empty()) continue;
      // Only where all that is masked is reduced: what is not goes on being masked.
      std::erase_if(s.where, [&](const ir::Expression& condition) {
        const auto tail = tail_of(condition);
        const ir::Axis* axis = tail ? axis_named(s, tail->inner) : nullptr;
        if (axis == nullptr || axis->kind != ir::AxisKind::reduce) return false;
        changed = true;
        return true;
      });
      if (!changed) continue;
      std::vector<std::string> tiles;
      fuzz::each_read(s.value, [&](ir::Expression& read) { tiles.push_back(read.name); });
      ir::Block& block = *place.block;
      for (size_t i = block.size(); i-- > 0;) {
        const auto* load = std::get_if<ir::Statement>(&block[i].node);
        if (load == nullptr || !is_load(*load) || std::ranges::find(tiles, load->destination) == tiles.end()) continue;
        ir::Statement fill = *load;
        fill.opcode = "memset";
        fill.value = number(0);
        fill.where.clear();
        block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), ir::Item{std::move(fill)});
      }
      break;
    }
  }
}

void zeros_under_maxima(ir::Program& program, const machine::Machine&) {
  zero_filled(program, [](const ir::Statement& s) { return s.update == ir::Update::max || s.update == ir::Update::min; });
}

void zeros_before_the_map(ir::Program& program, const machine::Machine&) {
  zero_filled(program, [](const ir::Statement& s) {
    return s.update == ir::Update::add && s.opcode == "reduce" && s.value.op != Op::read;
  });
}

/// After the cut: the axis gets the extent of the last tile, and needs no condition then.
void extent_of_the_last(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement&) { return true; },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        for (const size_t i : tails_of(s)) {
          const Tail tail = *tail_of(s.where[i]);
          ir::Axis* axis = axis_named(s, tail.inner);
          if (axis == nullptr || tail.last() < 1 || penguin::class_of(*axis) != penguin::AxisClass::free) continue;
          axis->extent = number(tail.last());
          s.where.erase(s.where.begin() + static_cast<std::ptrdiff_t>(i));
          return;
        }
      });
}

/// After the cut: whole tiles only.
void floor_of_trips(ir::Program& program, bool reduced) {
  each_place(
      program, [](const ir::Statement&) { return true; },
      [reduced](const Place& place) {
        ir::Statement& s = place.statement();
        for (const size_t i : tails_of(s)) {
          const Tail tail = *tail_of(s.where[i]);
          ir::Axis* axis = axis_named(s, tail.outer);
          if (axis == nullptr || (axis->kind == ir::AxisKind::reduce) != reduced || tail.extent / tail.tile < 1) continue;
          axis->extent = number(tail.extent / tail.tile);
        }
      });
}

void floor_of_lanes(ir::Program& program, const machine::Machine&) { floor_of_trips(program, false); }
void floor_of_reduced_blocks(ir::Program& program, const machine::Machine&) { floor_of_trips(program, true); }

void conditions_forgotten(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement&) { return true; },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        if (!accumulates(s)) drop_tails(s);
      });
}

/// The first tile is the ragged one for the store, the last one for everything else.
void ragged_at_the_front(ir::Program& program, const machine::Machine&) {
  each_place(program, is_store, [](const Place& place) {
    for (ir::Expression& condition : place.statement().where) {
      const auto tail = tail_of(condition);
      if (!tail || tail->last() < 1 || tail->last() == tail->tile) continue;
      condition = fuzz::compare(Op::greater_equal, condition.operands[0], number(tail->tile - tail->last()));
    }
  });
}

}  // namespace

std::vector<PlantedBug> wrong_tails() {
  const std::string macro = "macro-generation", rows = "p-compute-cutting", columns = "bf-compute-cutting";
  return {
      {"no-tail-on-loads", "loads take full tiles whatever is left", "bugs.tsv B070", WrongPass{macro, no_tail_on_loads}},
      {"no-tail-on-sums", "only loads and stores know of the tail: the sum takes lanes that nobody loaded", "passes 3.4(d)",
       WrongPass{macro, no_tail_on_sums}},
      {"no-tail-on-reduced-lanes", "all partitions are summed whatever was loaded into them", "passes 2.3(c)",
       WrongPass{macro, no_tail_on_lanes}},
      {"no-tail-on-stores", "full tiles are stored", "passes 2.5(b)", WrongPass{macro, no_tail_on_stores}},
      {"one-of-two-tails", "a store that is ragged both ways knows of one", "passes 2.4(d)", WrongPass{macro, one_of_two_tails}},
      {"inclusive-tail", "a tail ends at its extent instead of before it", "passes 1.9(a)", WrongPass{macro, inclusive}},
      {"mean-of-the-parts", "every tile is as ragged as the mean of all", "bugs.tsv B002", WrongPass{macro, mean_of_the_parts}},
      {"tail-on-the-wrong-axis", "the tail of one axis holds back another", "passes 1.9(c)", WrongPass{macro, on_the_wrong_axis}},
      {"last-tile-moved-back", "the last block of a sum is moved back until it is full", "bugs.tsv B049",
       WrongPass{macro, last_tile_moved_back}},
      {"zeros-under-maxima", "lanes beyond the end hold 0 under a maximum", "passes 2.5(a)",
       WrongPass{macro, zeros_under_maxima}},
      {"zeros-before-the-map", "lanes beyond the end hold 0 before something is applied to them, and then a sum", "bugs.tsv B013",
       WrongPass{macro, zeros_before_the_map}},
      {"extent-of-the-last-tile", "all tiles are as long as the last one", "ours", WrongPass{columns, extent_of_the_last}},
      {"lanes-in-whole-tiles", "trips over partitions are rounded down", "passes 2.3(a)", WrongPass{rows, floor_of_lanes}},
      {"sums-in-whole-blocks", "trips over reduced blocks are rounded down", "bugs.tsv B023",
       WrongPass{columns, floor_of_reduced_blocks}},
      {"conditions-forgotten", "the cut of free axes writes the domain again, without what bounded it", "passes 8.5(b)",
       WrongPass{columns, conditions_forgotten}},
      {"ragged-at-the-front", "stores take the first tile for the ragged one", "ours", WrongPass{macro, ragged_at_the_front}},
  };
}

}  // namespace tileproof::plant
