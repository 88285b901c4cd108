// Statistics of tiles, gradients of norms, and MX blocks: instructions with several outputs.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"

#include "compiler/penguin/axis_class.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tileproof::plant {
namespace {

using fuzz::constant;
using fuzz::number;
using ir::Op;

bool is_statistic(const ir::Statement& s) { return s.opcode == "bn_stats"; }
bool aggregates(const ir::Statement& s) { return s.opcode == "bn_aggr"; }
/// A moment is the last index of its statement: the mean is 0, the variance 1.
bool makes_variance(const ir::Statement& s) { return aggregates(s) && constant(s.indices.back()) == 1; }

template <class F>
void each_node(ir::Expression& e, const F& f) {
  for (ir::Expression& operand : e.operands) each_node(operand, f);
  f(e);
}

/// As if all parts had one size: the count is that of all elements by the number of parts.
void equal_weights(ir::Program& program, const machine::Machine&) {
  each_place(program, aggregates, [](const Place& place) {
    ir::Statement& s = place.statement();
    int64_t parts = 1;
    for (const ir::Axis& axis : s.axes)
      if (axis.kind == ir::AxisKind::reduce) parts *= constant(axis.extent).value_or(1);
    const ir::Expression all = s.value.operands[1];
    fuzz::each_read(s.value, [&](ir::Expression& read) {
      const ir::Expression& which = read.operands.back();
      if (which.op == Op::multiply) read = fuzz::binary(Op::divide, all, number(parts));  // 3*half; other statistics add to it
    });
  });
}

void tail_counted_full(ir::Program& program, const machine::Machine&) {
  each_place(program, is_statistic, [](const Place& place) {
    each_node(place.statement().value, [](ir::Expression& e) {
      if (e.op == Op::min) e = ir::Expression(e.operands[0]);
    });
  });
}

/// So that the axis of the aggregation is not the loop that it is in.
void rename_axis(ir::Group& group, const std::string& name) {
  for (ir::Item& item : group.body) {
    auto* s = std::get_if<ir::Statement>(&item.node);
    ir::Axis* axis = s == nullptr ? nullptr : axis_named(*s, name);
    if (axis == nullptr) continue;
    axis->name = name + "_all";
    fuzz::substitute(s->value, {{name, ir::variable(axis->name)}});
  }
}

/// The aggregation goes to the end of the innermost loop before it, of which no iteration waits for another one.
void merged_in_the_loop(ir::Block& block) {
  for (size_t i = 0; i + 2 < block.size(); ++i) {
    auto* loop = std::get_if<ir::Loop>(&block[i].node);
    const auto* group = std::get_if<ir::Group>(&block[i + 2].node);
    if (loop == nullptr || group == nullptr || group->opcode != "bn_aggr") continue;
    ir::Item aggregation = std::move(block[i + 2]);
    const auto enter = [&](const ir::Loop& each) { rename_axis(std::get<ir::Group>(aggregation.node), each.name); };
    enter(*loop);
    while (auto* inner = std::get_if<ir::Loop>(&loop->body.back().node)) enter(*(loop = inner));
    loop->body.push_back(std::move(aggregation));
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    std::swap(block[i], block[i + 1]);  // the moments are declared before the loop
    return;
  }
  for (ir::Item& item : block) {
    if (auto* loop = std::get_if<ir::Loop>(&item.node)) merged_in_the_loop(loop->body);
    if (auto* group = std::get_if<ir::Group>(&item.node)) merged_in_the_loop(group->body);
  }
}
void merged_in_each_loop(ir::Program& program, const machine::Machine&) { merged_in_the_loop(program.body); }

void sample_variance(ir::Program& program, const machine::Machine&) {
  each_place(program, makes_variance, [](const Place& place) {
    ir::Expression& count = place.statement().value.operands[1];
    count = number(*constant(count) - 1);
  });
}

void distance_of_means_forgotten(ir::Program& program, const machine::Machine&) {
  each_place(program, makes_variance, [](const Place& place) {
    ir::Expression& squares = place.statement().value.operands[0];
    squares = ir::Expression(squares.operands[0]);
  });
}

void even_elements_only(ir::Program& program, const machine::Machine&) {
  each_place(program, aggregates, [](const Place& place) { place.statement().axes.back().extent = number(1); });
}

/// What reads a sum is computed in the loop that adds it up, from what there is of it.
void fused_with_the_sum(ir::Program& program, const machine::Machine&) {
  std::vector<Place> all = places(program);
  std::ranges::reverse(all);  // the last sum: those before it are complete
  for (const Place& store : all) {
    if (!is_store(store.statement()) || store.index == 0) continue;
    auto* sums = std::get_if<ir::Loop>(&(*store.block)[store.index - 1].node);
    if (sums == nullptr || sums->kind != ir::LoopKind::seq) continue;
    for (const Place& load : all) {
      const ir::Statement& s = load.statement();
      if (!is_load(s) || s.value.name != store.statement().destination || load.loops.size() != store.loops.size() + 1) continue;
      fuzz::Bindings renamed{{load.loops.back()->name, ir::variable(sums->name)}};
      bool fits = trips(*load.loops.back()) == trips(*sums);
      for (size_t i = 0; i < store.loops.size(); ++i) {
        fits = fits && store.loops[i] != load.loops[i] && trips(*store.loops[i]) == trips(*load.loops[i]);
        renamed.emplace(load.loops[i]->name, ir::variable(store.loops[i]->name));
      }
      if (!fits) continue;
      ir::Block body = std::move(load.loops.back()->body);
      load.loops.back()->body.clear();
      for (ir::Item& item : body)
        if (auto* statement = std::get_if<ir::Statement>(&item.node)) {
          fuzz::substitute(statement->value, renamed);
          for (auto* list : {&statement->indices, &statement->where})
            for (ir::Expression& e : *list) fuzz::substitute(e, renamed);
        }
      sums->body.push_back((*store.block)[store.index]);
      std::ranges::move(body, std::back_inserter(sums->body));
      return;
    }
  }
}

/// The count of a mean is that of a tile.
void count_of_a_tile(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement& s) { return s.opcode == "map"; },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        int64_t tile = 1;
        for (const ir::Axis& axis : s.axes)
          if (penguin::find_tag(axis.tags, "from") != nullptr && penguin::class_of(axis) != penguin::AxisClass::block)
            tile = std::max(tile, constant(axis.extent).value_or(1));
        each_node(s.value, [&](ir::Expression& e) {
          if (e.op == Op::divide && tile > 1 && constant(e.operands[1]).value_or(0) > 1) e.operands[1] = number(tile);
        });
      });
}

/// Calls f(offset, tile) on the multiple of a loop over tiles in each index of the tensors in dram.
template <class F>
void each_offset(ir::Program& program, const F& f) {
  each_place(
      program, [](const ir::Statement& s) { return is_load(s) || is_store(s); },
      [&](const Place& place) {
        ir::Statement& s = place.statement();
        for (const ir::Loop* loop : place.loops) {
          const ir::Tag* tag = penguin::find_tag(loop->tags, "tile");
          if (tag == nullptr) continue;
          for (ir::Expression& index : is_load(s) ? s.value.operands : s.indices) {
            ir::Expression* offset = summand(index, loop->name);
            if (offset != nullptr) f(*offset, std::get<int64_t>(tag->value.value));
          }
        }
      });
}

constexpr int64_t rows_of_a_block = 8, elements_of_a_block = 4;

void packs_parted(ir::Program& program, const machine::Machine&) {
  each_offset(program, [](ir::Expression& offset, int64_t tile) {
    if (factor(offset) == elements_of_a_block * tile) offset.operands[0] = number(elements_of_a_block * tile - 2);  // 510 of 512
  });
}

void rows_parted(ir::Program& program, const machine::Machine&) {
  each_offset(program, [](ir::Expression& offset, int64_t tile) {
    if (factor(offset) == rows_of_a_block * tile) offset.operands[0] = number(rows_of_a_block * tile * 100 / 128);
  });
}

void scales_cut_as_elements(ir::Program& program, const machine::Machine&) {
  each_offset(program, [](ir::Expression& offset, int64_t tile) {
    if (factor(offset) == tile && tile > 1) offset.operands[0] = number(elements_of_a_block * tile);
  });
}

}  // namespace

std::vector<PlantedBug> wrong_norms() {
  const std::string statistics = "bn-mean-var", blocks = "quantize-mx";
  const auto on = [](fuzz::GraphFamily family, std::string name, std::string what, std::string source, WrongPass wrong) {
    return PlantedBug{std::move(name), std::move(what), std::move(source), std::move(wrong), false, family};
  };
  using enum fuzz::GraphFamily;
  return {
      on(mean_variance, "equal-weights", "statistics of a ragged tile weigh as much as those of a full one", "passes 3.5(a)",
         {statistics, equal_weights}),
      on(mean_variance, "tail-counted-full", "the last tile counts as many elements as the others", "passes 3.5(b)",
         {statistics, tail_counted_full}),
      on(mean_variance, "merged-in-the-loop", "statistics are merged by each iteration of the loop that makes them",
         "passes 3.5(c)", {statistics, merged_in_each_loop}),
      on(mean_variance, "sample-variance", "squares are divided by one less than the count", "passes 3.5(d)",
         {statistics, sample_variance}),
      on(mean_variance, "distance-of-means-forgotten", "squares of tiles are added up as if their means were one", "ours",
         {statistics, distance_of_means_forgotten}),
      on(mean_variance, "even-elements-only", "statistics of odd elements are not merged", "ours",
         {statistics, even_elements_only}),
      on(norm_gradient, "fused-with-the-sum", "a gradient is computed in the loop that adds up a sum that it needs",
         "passes 3.6(a)", {"macro-generation", fused_with_the_sum}),
      on(norm_gradient, "count-of-a-tile", "a sum of all elements is divided by those of a tile", "passes 3.6(b)",
         {"bf-compute-cutting", count_of_a_tile}),
      on(mx_blocks, "packs-parted", "tiles of 510 elements of 512 part packs of four", "passes 3.7(a)", {blocks, packs_parted}),
      on(mx_blocks, "rows-parted", "tiles of 100 partitions of 128 part blocks of eight rows", "passes 3.7(b)",
         {blocks, rows_parted}),
      on(mx_blocks, "scales-cut-as-elements", "scales of a tile are stored at the place of its elements", "passes 3.7(c)",
         {blocks, scales_cut_as_elements}),
  };
}

}  // namespace tileproof::plant
