#include "compiler/penguin/loop_splitting.h"

#include "compiler/ir/verify.h"
#include "compiler/penguin/apply_cut.h"
#include "compiler/penguin/instruction_probe.h"
#include "compiler/penguin/partition_reduction.h"
#include "compiler/penguin/sbuf_budget.h"
#include "compiler/penguin/tiling_estimator.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/transform/localize.h"
#include "compiler/transform/rfactor.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <set>

namespace tileproof::penguin {
namespace {

using transform::Outcome;
using transform::Tile;

/// What the stages of one reduction have in common.
struct Reduced {
  std::string axis;       ///< on the partitions
  int64_t lanes = 1;      ///< its extent
  int64_t free = 1;       ///< elements of a partial result in one partition
  ir::Dtype partial = ir::Dtype::f32, result = ir::Dtype::f32;
};

/// Whether it has a reduced axis on the partitions about which nothing is decided.
bool has_rows(const ir::Statement& s) {
  return std::ranges::any_of(s.axes,
                             [](const ir::Axis& axis) {
                               return axis.kind != ir::AxisKind::parallel && class_of(axis) == AxisClass::partition;
                             }) &&
         find_tag(s.tags, "by") == nullptr && find_tag(s.tags, "uncut") == nullptr;
}

/// Whether a statement, which sees `tensors`, is a reduction of such an axis.
bool reduces_rows(const ir::Statement& s, const Tensors& tensors, const machine::Machine& machine) {
  if (!has_rows(s) || !is_classified(s)) return false;
  const auto operation = operation_of(s, tensors, machine);
  return operation && operation->kind == OperationKind::reduction;
}

bool has_work(const ir::Program& program, const machine::Machine& machine) {
  const std::vector<const ir::Statement*> statements = whole_tensor_statements(program);
  if (std::ranges::none_of(statements, [](const ir::Statement* s) { return has_rows(*s); })) return false;
  const std::vector<Tensors> tensors = tensors_of(program);
  for (size_t i = 0; i < statements.size(); ++i)
    if (reduces_rows(*statements[i], tensors[i], machine)) return true;
  return false;
}

class Splitting {
 public:
  Splitting(const CutRules& rules, const ir::Program& program, const pipeline::Context& context, const ComputeCutParams& params)
      : rules_(rules),
        machine_(*context.machine),
        params_(params),
        extents_(program),
        tensors_(tensors_of(program)),
        environment_(program),
        names_(program),
        remarks_(program, context) {}

  /// `program`: the same.
  void run(ir::Program& program) {
    expand_statements(program.body, environment_,
                      [this](const ir::Statement& s, ir::Block& result) { return became_stages(s, result); });
  }

 private:
  const CutRules& rules_;
  const machine::Machine& machine_;
  const ComputeCutParams& params_;
  Extents extents_;
  std::vector<Tensors> tensors_;   ///< of the statements in textual order
  size_t next_ = 0;                ///< of them
  transform::Environment environment_;
  transform::FreshNames names_;
  Remarks remarks_;

  bool became_stages(const ir::Statement& s, ir::Block& result) {
    const Tensors& tensors = tensors_[next_++];
    if (!reduces_rows(s, tensors, machine_)) return false;
    const auto declined = [&](std::string_view id, std::string text) {
      remarks_.add(s, id, std::move(text));
      return false;
    };
    const ir::Axis& row = s.axes[axes_of(s, AxisClass::partition, true).front()];
    if (const auto reason = unsplittable(s, row.name, tensors, environment_, machine_))
      return declined(name(*reason), std::string(meaning(*reason)));
    const PartitionReduction stages = stages_of(s, extents_);
    const Reduced reduced{row.name, extents_.largest(row.extent), stages.free, ir::accumulate_dtype(s, tensors.dtypes()),
                          tensors.find(s.destination)->dtype};
    const Estimates trips = estimates(stages, estimate_limits(machine_));
    const auto way = cheapest(trips, [&](PartitionWay each) { return is_legal(each, s.update, reduced); });
    if (!way) return declined("no-way", fmt::format("{}; none of them is valid and legal", costs(trips)));
    ir::Block block{{s}};
    if (const auto done = split(block, *way, reduced); !done)
      return declined("refused", std::string(transform::name(done.error().id)) + ": " + done.error().text);
    size_t statements = 0;
    for (ir::Item& item : block) {
      if (auto* stage = std::get_if<ir::Statement>(&item.node)) {
        stage->location = s.location;
        ++statements;
      }
      result.push_back(std::move(item));
    }
    remarks_.add(
        s, "split",
        fmt::format("{} stages, by {}: {}{}", statements, spelling(*way), costs(trips),
                    *way == PartitionWay::cascade && reduced.free == 1 ? "; one element needs no transposition back" : ""));
    return true;
  }

  static std::string costs(const Estimates& trips) {
    std::string text;
    for (size_t i = 0; i < partition_way_count; ++i)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", spelling(static_cast<PartitionWay>(i)),
                          trips[i] ? fmt::format("{} trips", *trips[i]) : "beyond max_tripcount");
    return text;
  }

  bool is_legal(PartitionWay way, ir::Update update, const Reduced& reduced) const {
    const bool adds = update == ir::Update::add;
    switch (way) {
      case PartitionWay::ones_matmul:
        return adds && reduced.partial == ir::Dtype::f32 && held(0, 2, reduced) >= reduced.free &&
               sums_by_matmul(machine_, reduced.partial, reduced.lanes, reduced.free);
      case PartitionWay::partition_reduce:
        return adds && held(0, 2, reduced) >= reduced.free &&
               reduces_partitions(machine_, update, reduced.partial, reduced.result, reduced.lanes, reduced.free);
      case PartitionWay::cascade:
        return reduced.free <= params_.par_axes_cut_size && held(reduced.free, 2, reduced) >= reduced.lanes;
    }
    return false;
  }

  /// Elements of each of `tiles` tiles that fit into a partition of sbuf beside `others` elements.
  int64_t held(int64_t others, int64_t tiles, const Reduced& reduced) const {
    const std::optional<int64_t> bytes = partition_bytes(machine_);
    if (!bytes) return std::numeric_limits<int64_t>::max();
    const machine::Space& sbuf = *machine_.space("sbuf");
    const int64_t widest = std::max<int64_t>(1, std::max(ir::bits(reduced.partial), ir::bits(reduced.result)) / 8);
    const int64_t rounding = (tiles + 1) * (sbuf.alignment + sbuf.row - 1);
    return (*bytes - rounding - ir::multiply_saturating(others, widest)) / (tiles * widest);
  }

  /// `block`, one statement, becomes its stages.
  Outcome<> split(ir::Block& block, PartitionWay way, const Reduced& reduced) {
    const std::string destination = std::get<ir::Statement>(block[0].node).destination;
    if (auto done = transform::rfactor(block, 0, reduced.axis, {.name = names_.fresh(destination + "_parts")}, environment_);
        !done)
      return done;
    size_t merge = 2;
    if (way != PartitionWay::cascade) {
      set_tag(at(block, merge).tags, "by", {std::string(way == PartitionWay::ones_matmul ? "matmul" : "partition_reduce")});
      return {};
    }
    // What is transposed has its lanes last, and in its result the lanes of a tail lie together.
    const std::set<std::string> masked = masked_columns(at(block, merge));
    std::ranges::stable_sort(at(block, merge).axes, {}, [&](const ir::Axis& axis) {
      return axis.name == reduced.axis ? 3 : class_of(axis) == AxisClass::block ? 0 : masked.contains(axis.name) ? 1 : 2;
    });
    const Tile turned{.name = names_.fresh(destination + "_turned"), .space = "dram", .opcode = "transpose"};
    if (auto done = transform::localize_read(block, merge, {}, turned, environment_); !done)
      return std::unexpected(std::move(done.error()));
    set_tag(at(block, merge + 1).tags, "pf");
    merge += 2;
    for (ir::Axis& axis : at(block, merge).axes)
      if (axis.name == reduced.axis || class_of(axis) == AxisClass::free)
        set_class(axis, axis.name == reduced.axis ? AxisClass::free : AxisClass::partition);
    if (reduced.free > 1) {
      // Narrower results are rounded by the transposition, unless the accumulate dtype must not be stored (transform/localize.h).
      Tile lanes{.name = names_.fresh(destination + "_lanes"), .space = "dram", .opcode = "transpose", .dtype = reduced.partial};
      auto done = transform::localize_result(block, merge, lanes, environment_);
      if (!done && done.error().id == transform::RefusalId::dtype_differs) {
        lanes.dtype.reset();
        done = transform::localize_result(block, merge, lanes, environment_);
      }
      if (!done) return std::unexpected(std::move(done.error()));
      merge += 1;
      set_tag(at(block, merge + 1).tags, "pf");
    }
    return cut_lanes(at(block, merge), reduced);
  }

  /// The lanes that were transposed, where they are more than the budget of the free axes.
  Outcome<> cut_lanes(ir::Statement& s, const Reduced& reduced) {
    const PriorityOrder<CutAxis> axes = priority_list(s, axes_of(s, AxisClass::free, true), extents_);
    if (reduced.lanes <= free_budget(params_)) return {};
    const auto cut = rules_.reduction(extents_of(axes), free_budget(params_), {.uniform = params_.uniform_tile});
    const auto axis_cut = cut ? rules_.axes(axes, *cut) : std::unexpected(cut.error());
    if (!axis_cut) return transform::refuse(transform::RefusalId::bad_tile, std::string(text(axis_cut.error())));
    return apply_cut(s, *axis_cut, {AxisClass::free, AxisClass::block, false}, names_);
  }

  static ir::Statement& at(ir::Block& block, size_t index) { return std::get<ir::Statement>(block[index].node); }
};

std::expected<ir::Program, ir::Diagnostics> run(const CutRules& rules, ir::Program program, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  auto params = compute_cut_params(**machine);
  if (!params) return std::unexpected(params.error());
  params->override_tile_size = context.options.integer("pg-tile-size");
  params->uniform_tile = context.options.boolean("uniform-tile");
  if (has_work(program, **machine)) Splitting(rules, program, context, *params).run(program);
  return program;
}

}  // namespace

pipeline::Pass loop_splitting(CutRules rules) {
  using enum pipeline::RemarkKind;
  std::vector<pipeline::RemarkDeclaration> words{
      {"split", applied, "a reduction along the partitions became stages, and what each way costs"},
      {"no-way", declined, "the machine has no instruction, or no room, for any way to reduce along the partitions"},
      {"refused", declined, "a primitive refused: the statement stays whole"}};
  for (size_t i = 0; i < unsplittable_count; ++i) {
    const auto reason = static_cast<Unsplittable>(i);
    words.push_back({std::string(name(reason)), declined, std::string(meaning(reason))});
  }
  return {
      "loop-splitting",
      "turns reductions along the partitions into stages along the free dimension, with transpositions between them",
      "every axis has a class, and the tiles are cut; a reduction is turned into stages if it begins anew everywhere, has one "
      "axis on the partitions, extents that are numbers, tails that are upper bounds, and partial results that survive",
      "no reduced axis lies on the partitions, but of sums that one instruction adds up (the tag `by`); a remark says of others "
      "why not",
      {{"pg-tile-size",
        pipeline::MachineConstant{"cut_size"},
        1,
        int64_t{1} << 31,
        {},
        "elements of a tile in one partition, for all but matmuls and transpositions"},
       {"uniform-tile", false, {}, {}, {}, "tiles divide the axes that they are cut from, so that none is ragged"}},
      std::move(words),
      [rules = std::move(rules)](ir::Program program, const pipeline::Context& context) {
        return run(rules, std::move(program), context);
      }};
}

}  // namespace tileproof::penguin
