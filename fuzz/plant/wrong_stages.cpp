// Reductions along the partitions: the stages that they become, and what they hand on.
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/tiled.h"

#include "compiler/penguin/axis_class.h"

#include <algorithm>
#include <utility>

namespace tileproof::plant {
namespace {

using fuzz::number;
using ir::Op;
using penguin::AxisClass;

/// Buffers of partial results, as loop-splitting calls them.
bool is_of_parts(const std::string& name) { return name.find("_parts") != std::string::npos; }

/// The stage that reduces along the free dimension, and leaves partial results on the partitions.
bool is_first_stage(const ir::Statement& s) { return is_of_parts(s.destination); }
bool is_transposition(const ir::Statement& s) { return penguin::find_tag(s.tags, "pf") != nullptr; }
/// Whether it combines partial results, transposed or not.
bool is_last_reduction(const ir::Statement& s) {
  return accumulates(s) && s.value.op == Op::read &&
         (is_of_parts(s.value.name) || s.value.name.find("_turned") != std::string::npos);
}
/// Whether partial results pass through it and it writes none.
bool is_behind(const ir::Statement& s) {
  const bool takes_lanes = s.value.op == Op::read && s.value.name.find("_lanes") != std::string::npos;
  return !is_first_stage(s) && (is_last_reduction(s) || (is_transposition(s) && takes_lanes));
}

void drop_tails(ir::Statement& s) {
  std::erase_if(s.where, [](const ir::Expression& condition) { return tail_of(condition).has_value(); });
}

void narrow_parts(ir::Program& program, const machine::Machine&) {
  each_place(program, is_first_stage, [&](const Place& place) {
    ir::Buffer* parts = buffer_named(program, place.statement().destination);
    if (parts != nullptr && parts->dtype == ir::Dtype::f32) parts->dtype = ir::Dtype::bf16;
  });
}

/// Conditions on reduced axes go into the value: 0 takes the place of what they leave out.
void zeros_in_lanes(ir::Program& program, const machine::Machine&) {
  each_place(
      program,
      [](const ir::Statement& s) { return is_first_stage(s) && (s.update == ir::Update::max || s.update == ir::Update::min); },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        for (const size_t i : tails_of(s)) {
          const ir::Axis* axis = axis_named(s, tail_of(s.where[i])->outer);
          if (axis == nullptr || axis->kind != ir::AxisKind::reduce) continue;
          s.value = fuzz::select(s.where[i], std::move(s.value), number(0));
          s.where.erase(s.where.begin() + static_cast<std::ptrdiff_t>(i));
          return;
        }
      });
}

void result_of_whole_blocks(ir::Program& program, const machine::Machine&) {
  each_place(program, is_behind, [](const Place& place) { drop_tails(place.statement()); });
}

void turned_whole(ir::Program& program, const machine::Machine&) {
  each_place(program, is_transposition, [](const Place& place) { drop_tails(place.statement()); });
}

/// Blocks of the first stage: whole ones only.
void stages_in_whole_blocks(ir::Program& program, const machine::Machine&) {
  each_place(program, is_first_stage, [](const Place& place) {
    ir::Statement& s = place.statement();
    for (const size_t i : tails_of(s)) {
      const Tail tail = *tail_of(s.where[i]);
      ir::Axis* axis = axis_named(s, tail.outer);
      if (axis != nullptr && axis->kind == ir::AxisKind::parallel && tail.extent / tail.tile >= 1)
        axis->extent = number(tail.extent / tail.tile);
    }
  });
}

/// The reads are those of a partition with neighbouring elements (p*100 + q), the tail is that of neighbouring lanes (q*128 + p).
void rows_for_columns(ir::Program& program, const machine::Machine&) {
  each_place(program, is_first_stage, [](const Place& place) {
    ir::Statement& s = place.statement();
    for (const size_t i : tails_of(s)) {
      const Tail tail = *tail_of(s.where[i]);
      const ir::Axis* row = axis_named(s, tail.inner);
      const ir::Axis* column = axis_named(s, tail.outer);
      if (row == nullptr || column == nullptr || column->kind != ir::AxisKind::reduce) continue;
      const ir::Expression from = s.where[i].operands[0];
      const ir::Expression to = fuzz::plus(fuzz::times(tail.trips(), ir::variable(tail.inner)), ir::variable(tail.outer));
      fuzz::each_read(s.value, [&](ir::Expression& read) {
        for (ir::Expression& index : read.operands)
          if (index == from) index = to;
      });
    }
  });
}

void stages_never_begin(ir::Program& program, const machine::Machine&) {
  each_place(program, is_last_reduction, [](const Place& place) { place.statement().start.reset(); });
}

void lanes_for_elements(ir::Program& program, const machine::Machine&) {
  each_place(program, is_transposition, [](const Place& place) {
    ir::Statement& s = place.statement();
    std::vector<std::string> lanes, columns;
    for (const ir::Axis& axis : s.axes) {
      if (penguin::class_of(axis) == AxisClass::partition) lanes.push_back(axis.name);
      if (penguin::class_of(axis) == AxisClass::free) columns.push_back(axis.name);
    }
    if (lanes.empty() || columns.empty()) return;
    fuzz::Bindings exchanged{{lanes.front(), ir::variable(columns.front())}, {columns.front(), ir::variable(lanes.front())}};
    fuzz::substitute(s.value, exchanged);
  });
}

void last_lane_left_out(ir::Program& program, const machine::Machine&) {
  each_place(program, is_last_reduction, [](const Place& place) {
    for (ir::Axis& axis : place.statement().axes)
      if (axis.kind == ir::AxisKind::reduce && fuzz::constant(axis.extent).value_or(0) > 1)
        axis.extent = number(*fuzz::constant(axis.extent) - 1);
  });
}

void stages_combined_as_a_sum(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement& s) { return is_last_reduction(s) && s.update == ir::Update::max; },
      [](const Place& place) { place.statement().update = ir::Update::add; });
}

/// All blocks leave their partial results in one place.
void parts_of_one_block(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement&) { return true; },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        std::vector<std::string> loops;
        for (const ir::Axis& axis : s.axes)
          if (penguin::class_of(axis) == AxisClass::block && axis.kind == ir::AxisKind::parallel) loops.push_back(axis.name);
        const auto share = [&](std::vector<ir::Expression>& indices) {
          for (ir::Expression& index : indices)
            if (index.op == Op::variable && std::ranges::find(loops, index.name) != loops.end()) index = number(0);
        };
        if (is_first_stage(s)) share(s.indices);
        fuzz::each_read(s.value, [&](ir::Expression& read) {
          if (is_of_parts(read.name)) share(read.operands);
        });
      });
}

/// Of the column that a matmul sums with.
void one_too_few(ir::Program& program, const machine::Machine&) {
  each_place(
      program, [](const ir::Statement& s) { return s.opcode == "memset" && s.destination.starts_with("ones"); },
      [](const Place& place) {
        ir::Statement& s = place.statement();
        if (!s.axes.empty() && fuzz::constant(s.axes[0].extent).value_or(0) > 1)
          s.axes[0].extent = number(*fuzz::constant(s.axes[0].extent) - 1);
      });
}

}  // namespace

std::vector<PlantedBug> wrong_stages() {
  const std::string stages = "loop-splitting", macro = "macro-generation";
  return {
      {"stages-in-bf16", "stages of a reduction hand on partial results in bf16", "passes 2.5(c)",
       WrongPass{stages, narrow_parts}},
      {"zeros-in-lanes-beyond", "lanes beyond the end of a reduced axis hold 0 under a maximum", "passes 2.5(a)",
       WrongPass{stages, zeros_in_lanes}},
      {"result-of-whole-blocks", "the last stage stores a full block of results", "passes 2.5(b)",
       WrongPass{stages, result_of_whole_blocks}},
      {"turned-whole", "a transposition takes the tail block for a full one, with rows that nobody wrote", "passes 2.5(d)",
       WrongPass{stages, turned_whole}},
      {"stages-in-whole-blocks", "trips of the first stage are rounded down", "passes 3.3(b)",
       WrongPass{stages, stages_in_whole_blocks}},
      {"rows-for-columns", "an axis is read by rows, and its tail is that of columns", "ours",
       WrongPass{stages, rows_for_columns}},
      {"stages-never-begin", "the stage that combines partial results goes on from what was there", "ours",
       WrongPass{stages, stages_never_begin}},
      {"lanes-for-elements", "a transposition reads its operand as if it were transposed already", "ours",
       WrongPass{stages, lanes_for_elements}},
      {"last-lane-left-out", "the last partial result is not combined", "ours", WrongPass{stages, last_lane_left_out}},
      {"stages-combined-as-a-sum", "partial maxima are added up", "passes 1.7(b)", WrongPass{stages, stages_combined_as_a_sum}},
      {"parts-of-one-block", "partial results have no dim for the blocks around them", "passes 8.6(b)",
       WrongPass{stages, parts_of_one_block}},
      {"one-too-few", "the column of ones that a matmul sums with is an element short", "ours", WrongPass{macro, one_too_few}},
  };
}

}  // namespace tileproof::plant
