// Where partial results begin, how they are carried from block to block, and when they are taken.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"

#include <algorithm>
#include <cstddef>
#include <ranges>

namespace tileproof::plant {
namespace {

using fuzz::compare;
using fuzz::number;
using ir::Op;

/// Sums that go on over blocks: `start` in their first.
void each_carried_sum(ir::Program& program, const std::function<void(const Place&)>& f) {
  each_place(program, [](const ir::Statement& s) { return computes(s) && s.start && !s.start->conditions.empty(); }, f);
}

void never_begins(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement& s) { return computes(s) && s.start; },
      [](const Place& place) { place.statement().start.reset(); });
}

void begins_in_every_block(ir::Program& program, const machine::Machine&) {
  each_carried_sum(program, [](const Place& place) { place.statement().start->conditions.clear(); });
}

void begins_with_the_outer_loop(ir::Program& program, const machine::Machine&) {
  each_carried_sum(program, [](const Place& place) {
    if (const ir::Loop* outer = place.innermost(ir::LoopKind::par))
      place.statement().start->conditions = {compare(Op::equal, ir::variable(outer->name), number(0))};
  });
}

void begins_in_the_last_block(ir::Program& program, const machine::Machine&) {
  each_carried_sum(program, [](const Place& place) {
    const ir::Loop* sums = place.innermost(ir::LoopKind::seq);
    const auto blocks = sums == nullptr ? std::nullopt : trips(*sums);
    if (blocks) place.statement().start->conditions = {compare(Op::equal, ir::variable(sums->name), number(*blocks - 1))};
  });
}

void begins_in_the_second_block(ir::Program& program, const machine::Machine&) {
  each_carried_sum(program, [](const Place& place) {
    for (ir::Expression& condition : place.statement().start->conditions)
      if (condition.op == Op::equal) condition.operands[1] = number(1);
  });
}

/// 0 in front of the blocks, whatever is accumulated.
void zero_for_every_identity(ir::Program& program, const machine::Machine&) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Place& place : places(program)) {
      ir::Statement& s = place.statement();
      if (!computes(s) || !s.start || !s.start->conditions.empty() || s.update == ir::Update::add) continue;
      ir::Statement fill = s;
      s.start.reset();
      fill.opcode = "memset";
      fill.update = ir::Update::assign;
      fill.value = number(0);
      fill.start.reset();
      fill.accumulate.reset();
      std::erase_if(fill.axes, [](const ir::Axis& axis) { return axis.kind == ir::AxisKind::reduce; });
      std::erase_if(fill.where, [&](const ir::Expression& condition) {
        return std::ranges::any_of(
            s.axes, [&](const ir::Axis& axis) { return axis.kind == ir::AxisKind::reduce && names(condition, axis.name); });
      });
      place.block->insert(place.block->begin() + static_cast<std::ptrdiff_t>(place.index), ir::Item{std::move(fill)});
      changed = true;
      break;
    }
  }
}

/// Tiles that are accumulated into over blocks.
void narrow_partials(ir::Program& program, const machine::Machine&) {
  each_carried_sum(program, [&](const Place& place) {
    ir::Buffer* tile = buffer_named(program, place.statement().destination);
    if (tile != nullptr && tile->dtype == ir::Dtype::f32) tile->dtype = ir::Dtype::bf16;
  });
}

void blocks_in_any_order(ir::Program& program, const machine::Machine&) {
  each_carried_sum(program, [](const Place& place) {
    if (ir::Loop* sums = place.innermost(ir::LoopKind::seq)) sums->kind = ir::LoopKind::par;
  });
}

/// What stands behind the loop over blocks goes to the end of its body.
void taken_in_the_first_block(ir::Program& program, const machine::Machine&) {
  std::vector<ir::Block*> blocks{&program.body};
  for (size_t k = 0; k < blocks.size(); ++k) {
    ir::Block& block = *blocks[k];
    for (size_t i = 0; i < block.size(); ++i) {
      auto* loop = std::get_if<ir::Loop>(&block[i].node);
      if (loop == nullptr) continue;
      if (loop->kind != ir::LoopKind::seq) {
        blocks.push_back(&loop->body);
        continue;
      }
      size_t end = i + 1;
      for (bool stored = false; end < block.size() && !stored; ++end) {
        auto* s = std::get_if<ir::Statement>(&block[end].node);
        if (s == nullptr) continue;
        stored = is_store(*s);
        s->where.push_back(compare(Op::equal, ir::variable(loop->name), number(0)));
      }
      const auto first = block.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                 last = block.begin() + static_cast<std::ptrdiff_t>(end);
      loop->body.insert(loop->body.end(), std::make_move_iterator(first), std::make_move_iterator(last));
      block.erase(first, last);
    }
  }
}

void taken_before_the_sum(ir::Program& program, const machine::Machine&) {
  std::vector<ir::Block*> blocks{&program.body};
  for (size_t k = 0; k < blocks.size(); ++k) {
    ir::Block& block = *blocks[k];
    for (size_t i = 0; i < block.size(); ++i) {
      auto* loop = std::get_if<ir::Loop>(&block[i].node);
      if (loop == nullptr) continue;
      if (loop->kind != ir::LoopKind::seq) {
        blocks.push_back(&loop->body);
        continue;
      }
      for (size_t j = i + 1; j < block.size(); ++j) {
        const auto* s = std::get_if<ir::Statement>(&block[j].node);
        if (s != nullptr && is_store(*s)) {
          // The loop goes behind what takes its sum.
          std::rotate(block.begin() + static_cast<std::ptrdiff_t>(i), block.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      block.begin() + static_cast<std::ptrdiff_t>(j) + 1);
          i = j;
          break;
        }
      }
      blocks.push_back(&std::get<ir::Loop>(block[i].node).body);   // where it is by now
      break;
    }
  }
}

/// The load of what an `inout` tensor held, and the statement that goes on from it.
void each_old_value(ir::Program& program, const std::function<void(ir::Block&, size_t load, size_t behind)>& f) {
  std::vector<ir::Block*> blocks;
  for (const Place& place : places(program))
    if (std::ranges::find(blocks, place.block) == blocks.end()) blocks.push_back(place.block);
  for (ir::Block* block : blocks | std::views::reverse) {   // inner ones first
    for (size_t i = 0; i + 1 < block->size(); ++i) {
      const auto* load = std::get_if<ir::Statement>(&(*block)[i].node);
      if (load == nullptr || !is_load(*load)) continue;
      std::optional<size_t> behind;
      for (size_t j = i + 1; j < block->size() && !behind; ++j) {
        const auto* store = std::get_if<ir::Statement>(&(*block)[j].node);
        if (store != nullptr && is_store(*store) && store->value.op == Op::read && store->value.name == load->destination)
          behind = i + 1;
      }
      if (behind) f(*block, i, *behind);
    }
  }
}

void old_value_lost(ir::Program& program, const machine::Machine&) {
  each_old_value(program, [](ir::Block& block, size_t load, size_t) {
    auto& s = std::get<ir::Statement>(block[load].node);
    s.opcode = "memset";
    s.value = number(0);
  });
}

void old_value_in_every_block(ir::Program& program, const machine::Machine&) {
  each_old_value(program, [](ir::Block& block, size_t load, size_t behind) {
    for (size_t i = behind; i < block.size(); ++i) {
      auto* loop = std::get_if<ir::Loop>(&block[i].node);
      if (loop == nullptr || loop->kind != ir::LoopKind::seq) continue;
      loop->body.insert(loop->body.begin(), block[load]);
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(load));
      return;
    }
  });
}

void executed_twice(ir::Program& program, const machine::Machine&) {
  // A place is good until a block around it is changed; those in front of it keep their numbers.
  for (size_t i = places(program).size(); i-- > 0;) {
    const Place place = places(program)[i];
    ir::Statement again = place.statement();
    if (!computes(again) || again.update != ir::Update::add) continue;
    again.start.reset();
    place.block->insert(place.block->begin() + static_cast<std::ptrdiff_t>(place.index) + 1, ir::Item{std::move(again)});
  }
}

void combined_otherwise(ir::Program& program, const machine::Machine&) {
  each_carried_sum(program, [](const Place& place) {
    ir::Statement& s = place.statement();
    const ir::Loop* sums = place.innermost(ir::LoopKind::seq);
    if (s.update == ir::Update::add && sums != nullptr && s.opcode == "reduce") s.update = ir::Update::max;
  });
}

/// A sum becomes two over a part of an axis each, which have an element in common.
void overlapping_halves(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement& s) { return s.update == ir::Update::add && s.opcode == "reduce"; },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        const auto axis = std::ranges::find_if(s.axes, [](const ir::Axis& each) {
          return each.kind == ir::AxisKind::reduce && fuzz::constant(each.extent).value_or(0) > 2;
        });
        if (axis == s.axes.end()) return;
        const ir::Expression step = ir::variable(axis->name), middle = number(*fuzz::constant(axis->extent) / 2);
        ir::Statement second = s;
        second.start.reset();
        s.where.push_back(fuzz::compare(Op::less_equal, step, middle));
        second.where.push_back(fuzz::compare(Op::greater_equal, step, middle));
        place.block->insert(place.block->begin() + static_cast<std::ptrdiff_t>(place.index) + 1, ir::Item{std::move(second)});
      });
}

}  // namespace

std::vector<PlantedBug> wrong_accumulation() {
  const std::string macro = "macro-generation";
  return {
      {"never-begins", "the first block adds to what the bank held", "passes 3.4(a)", WrongPass{macro, never_begins}},
      {"begins-in-every-block", "every block begins anew, so the last one is all that is left", "bugs.tsv B071",
       WrongPass{macro, begins_in_every_block}},
      {"begins-with-the-outer-loop", "partial sums begin where the loop around the blocks begins", "passes 3.4(b)",
       WrongPass{macro, begins_with_the_outer_loop}},
      {"begins-in-the-last-block", "the flag of the first block is that of the last one, as if their loop ran the other way",
       "passes 8.1(c)", WrongPass{macro, begins_in_the_last_block}},
      {"begins-in-the-second-block", "blocks are counted from 1", "ours", WrongPass{macro, begins_in_the_second_block}},
      {"zero-for-every-identity", "maxima, minima and products begin at 0", "passes 1.9(b)",
       WrongPass{macro, zero_for_every_identity}},
      {"narrow-partials", "partial results are carried in bf16", "passes 2.5(c)", WrongPass{macro, narrow_partials}},
      {"blocks-in-any-order", "the loop over blocks of one sum is parallel", "ours", WrongPass{macro, blocks_in_any_order}},
      {"taken-in-the-first-block", "the result is taken when the first block was added", "bugs.tsv B046",
       WrongPass{macro, taken_in_the_first_block}},
      {"taken-before-the-sum", "the result is taken before its loop", "passes 2.6(c)", WrongPass{macro, taken_before_the_sum}},
      {"old-value-lost", "a sum into a tensor begins at 0", "passes 8.3(a)", WrongPass{macro, old_value_lost}},
      {"old-value-in-every-block", "what the tensor held is loaded again before every block", "bugs.tsv B022",
       WrongPass{macro, old_value_in_every_block}},
      {"overlapping-halves", "a sum in two parts that have an element in common", "passes 1.9(d)",
       WrongPass{macro, overlapping_halves}},
      {"executed-twice", "an accumulating statement is computed again", "bugs.tsv B058", WrongPass{macro, executed_twice}},
      {"combined-by-another-operation", "partial sums are combined by the maximum", "passes 1.7(b)",
       WrongPass{macro, combined_otherwise}},
  };
}

}  // namespace tileproof::plant
