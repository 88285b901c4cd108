// How often loops run, and what stands in which of them.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"
#include "fuzz/reduce/walk.h"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <set>

namespace tileproof::plant {
namespace {

using fuzz::number;
using ir::LoopKind;
using ir::Op;

std::ptrdiff_t at(size_t i) { return static_cast<std::ptrdiff_t>(i); }

void each_loop(ir::Program& program, LoopKind kind, const std::function<void(ir::Loop&)>& f) {
  fuzz::each<ir::Loop>(program, [&](ir::Loop& loop) {
    if (loop.kind == kind) f(loop);
  });
}

void counts_from_one(ir::Program& program, const machine::Machine&) {
  each_loop(program, LoopKind::par, [](ir::Loop& loop) {
    if (trips(loop) > 1) loop.range.low = number(1);
  });
}

void bounds_reversed(ir::Program& program, const machine::Machine&) {
  each_loop(program, LoopKind::seq, [](ir::Loop& loop) { std::swap(loop.range.low, loop.range.high); });
}

void one_trip_more(ir::Program& program, const machine::Machine&) {
  each_loop(program, LoopKind::par, [](ir::Loop& loop) {
    if (const auto count = trips(loop)) loop.range.high = number(*count + 1);
  });
}

/// Nested loops take each other's number of trips.
void trips_of_the_neighbour(ir::Program& program, const machine::Machine&) {
  std::set<const ir::Loop*> done;
  each_loop(program, LoopKind::par, [&](ir::Loop& outer) {
    if (outer.body.size() != 1 || done.contains(&outer)) return;
    auto* inner = std::get_if<ir::Loop>(&outer.body[0].node);
    if (inner == nullptr || inner->kind != LoopKind::par) return;
    std::swap(outer.range, inner->range);
    done.insert(inner);
  });
}

/// What is computed anew in every block stands before their loop, as it is in the first one.
void stale_tile(ir::Program& program, const machine::Machine&) {
  std::vector<ir::Block*> blocks;
  fuzz::each_block(program.body, [&](ir::Block& block) { blocks.push_back(&block); });
  for (ir::Block* block : blocks | std::views::reverse) {   // inner ones first: an edit moves what stands in its block
    for (size_t i = 0; i < block->size(); ++i) {
      auto* loop = std::get_if<ir::Loop>(&(*block)[i].node);
      if (loop == nullptr || loop->kind != LoopKind::seq) continue;
      for (size_t j = 0; j + 1 < loop->body.size(); ++j) {
        const auto* load = std::get_if<ir::Statement>(&loop->body[j + 1].node);
        if (load == nullptr || !is_load(*load) || !std::holds_alternative<ir::Buffer>(loop->body[j].node)) continue;
        ir::Item tile = std::move(loop->body[j]);
        ir::Statement first = *load;
        fuzz::substitute(first, {{loop->name, number(0)}});
        loop->body.erase(loop->body.begin() + at(j), loop->body.begin() + at(j) + 2);
        block->insert(block->begin() + at(i), {std::move(tile), ir::Item{std::move(first)}});
        break;
      }
      break;
    }
  }
}

/// Tiles that every iteration has to itself are declared around their loop.
void shared_tiles(ir::Program& program, const machine::Machine&) {
  std::vector<ir::Block*> blocks;
  fuzz::each_block(program.body, [&](ir::Block& block) { blocks.push_back(&block); });
  for (ir::Block* block : blocks | std::views::reverse) {   // inner ones first: an edit moves what stands in its block
    for (size_t i = 0; i < block->size(); ++i) {
      auto* loop = std::get_if<ir::Loop>(&(*block)[i].node);
      if (loop == nullptr || loop->kind != LoopKind::par || trips(*loop).value_or(0) < 2) continue;
      const auto tile =
          std::ranges::find_if(loop->body, [](const ir::Item& item) { return std::holds_alternative<ir::Buffer>(item.node); });
      if (tile == loop->body.end()) continue;
      ir::Item moved = std::move(*tile);
      loop->body.erase(tile);
      block->insert(block->begin() + at(i), std::move(moved));
      break;
    }
  }
}

void sum_once(ir::Program& program, const machine::Machine&) {
  std::vector<ir::Block*> blocks;
  fuzz::each_block(program.body, [&](ir::Block& block) { blocks.push_back(&block); });
  for (ir::Block* block : blocks | std::views::reverse) {   // inner ones first: an edit moves what stands in its block
    for (size_t i = 0; i < block->size(); ++i) {
      auto* loop = std::get_if<ir::Loop>(&(*block)[i].node);
      if (loop == nullptr || loop->kind != LoopKind::seq) continue;
      ir::Block body = std::move(loop->body);
      const std::string name = loop->name;
      block->erase(block->begin() + at(i));
      for (ir::Item& item : body)
        if (auto* s = std::get_if<ir::Statement>(&item.node)) {
          fuzz::substitute(*s, {{name, number(0)}});
          // Loops inside go on; what named this one holds or does not.
          const auto holds = [](std::vector<ir::Expression>& list) {
            std::erase_if(list, [](const ir::Expression& e) {
              return e.op == Op::equal && fuzz::constant(e.operands[0]) == 0 && fuzz::constant(e.operands[1]) == 0;
            });
          };
          if (s->start) holds(s->start->conditions);
        }
      block->insert(block->begin() + at(i), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
      break;
    }
  }
}

/// A statement in a block that the one behind it needs, and this one, change places.
void exchange(ir::Program& program, bool (*is_first)(const ir::Statement&), bool (*is_second)(const ir::Statement&)) {
  fuzz::each_block(program.body, [&](ir::Block& block) {
    std::optional<size_t> first;
    for (size_t i = 0; i < block.size(); ++i) {
      const auto* s = std::get_if<ir::Statement>(&block[i].node);
      if (s == nullptr) continue;
      if (first && is_second(*s)) {
        std::swap(block[*first], block[i]);
        first.reset();
      } else if (is_first(*s)) {
        first = i;
      }
    }
  });
}

void computed_before_the_load(ir::Program& program, const machine::Machine&) { exchange(program, is_load, computes); }
void stored_before_the_result(ir::Program& program, const machine::Machine&) { exchange(program, computes, is_store); }

/// What a nest reads of dram, and what it writes there.
void traffic(const ir::Item& item, std::set<std::string>& reads, std::set<std::string>& writes) {
  if (const auto* loop = std::get_if<ir::Loop>(&item.node))
    for (const ir::Item& inner : loop->body) traffic(inner, reads, writes);
  const auto* s = std::get_if<ir::Statement>(&item.node);
  if (s == nullptr) return;
  writes.insert(s->destination);
  reads.merge(fuzz::names_in(s->value));
}

void consumer_first(ir::Program& program, const machine::Machine&) {
  std::vector<size_t> nests;
  for (size_t i = 0; i < program.body.size(); ++i)
    if (std::holds_alternative<ir::Loop>(program.body[i].node)) nests.push_back(i);
  for (size_t k = 0; k + 1 < nests.size(); ++k) {
    std::set<std::string> reads, writes, later_reads, later_writes;
    traffic(program.body[nests[k]], reads, writes);
    traffic(program.body[nests[k + 1]], later_reads, later_writes);
    const bool flows = std::ranges::any_of(writes, [&](const std::string& name) { return later_reads.contains(name); });
    if (!flows) continue;
    // Only what both nests see: a tile that was declared between them stays before its nest.
    std::swap(program.body[nests[k]], program.body[nests[k + 1]]);
    return;
  }
}

/// The store stands behind the innermost loop, as if it did not depend on it.
void stored_after_the_loop(ir::Program& program, const machine::Machine&) {
  std::vector<ir::Block*> blocks;
  fuzz::each_block(program.body, [&](ir::Block& block) { blocks.push_back(&block); });
  for (ir::Block* block : blocks | std::views::reverse) {   // inner ones first: an edit moves what stands in its block
    for (size_t i = 0; i < block->size(); ++i) {
      auto* loop = std::get_if<ir::Loop>(&(*block)[i].node);
      if (loop == nullptr || loop->kind != LoopKind::par || loop->body.empty()) continue;
      const auto* store = std::get_if<ir::Statement>(&loop->body.back().node);
      const auto count = trips(*loop);
      if (store == nullptr || !is_store(*store) || store->value.op != Op::read || !count || *count < 2) continue;
      const auto tile = std::ranges::find_if(loop->body, [&](const ir::Item& item) {
        const auto* buffer = std::get_if<ir::Buffer>(&item.node);
        return buffer != nullptr && buffer->name == store->value.name;
      });
      if (tile == loop->body.end()) continue;
      loop->kind = LoopKind::seq;   // the tile is one for all iterations
      ir::Statement moved = *store;
      fuzz::substitute(moved, {{loop->name, number(*count - 1)}});
      ir::Item declaration = std::move(*tile);
      loop->body.pop_back();
      loop->body.erase(tile);
      block->insert(block->begin() + at(i) + 1, ir::Item{std::move(moved)});
      block->insert(block->begin() + at(i), std::move(declaration));
      return;
    }
  }
}

void intermediate_not_stored(ir::Program& program, const machine::Machine&) {
  fuzz::each_block(program.body, [&](ir::Block& block) {
    std::erase_if(block, [&](const ir::Item& item) {
      const auto* s = std::get_if<ir::Statement>(&item.node);
      if (s == nullptr || !is_store(*s)) return false;
      const ir::Buffer* tensor = buffer_named(program, s->destination);
      return tensor != nullptr && tensor->role == ir::Role::none;
    });
  });
}

}  // namespace

std::vector<PlantedBug> wrong_loops() {
  const std::string macro = "macro-generation";
  return {
      {"counts-from-one", "loops over tiles begin with the second one", "ours", WrongPass{macro, counts_from_one}},
      {"bounds-reversed", "the bounds of a loop over blocks are exchanged: it never runs", "ours",
       WrongPass{macro, bounds_reversed}},
      {"one-trip-more", "the end of the loop over tiles counts too", "bugs.tsv B047", WrongPass{macro, one_trip_more}},
      {"trips-of-the-neighbour", "nested loops take each other's number of trips", "bugs.tsv B040",
       WrongPass{macro, trips_of_the_neighbour}},
      {"stale-tile", "a load leaves its loop though its window moves", "passes 8.9(a)", WrongPass{macro, stale_tile}},
      {"shared-tile", "a tile is declared around the parallel loop that uses it", "passes 8.6(b)",
       WrongPass{macro, shared_tiles}},
      {"sum-of-one-block", "the sum leaves its loop", "passes 8.9(c)", WrongPass{macro, sum_once}},
      {"computed-before-the-load", "what computes stands before the last of its loads", "bugs.tsv B089",
       WrongPass{macro, computed_before_the_load}},
      {"stored-before-the-result", "the store stands before what computes its tile", "passes 8.6(c)",
       WrongPass{macro, stored_before_the_result}},
      {"consumer-first", "two nests change places though the second reads what the first writes", "passes 1.10(c)",
       WrongPass{macro, consumer_first}},
      {"stored-after-the-loop", "the store of a tile leaves its loop, so that the last tile is all that is stored", "ours",
       WrongPass{macro, stored_after_the_loop}},
      {"intermediate-not-stored", "a tensor that is not asked for is not stored, though another nest reads it", "passes 8.2(c)",
       WrongPass{macro, intermediate_not_stored}},
  };
}

}  // namespace tileproof::plant
