#include "compiler/penguin/p_compute_cutting.h"

#include "compiler/penguin/apply_cut.h"
#include "compiler/penguin/divisor.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/transform/split.h"

#include <algorithm>

namespace tileproof::penguin {
namespace {

using transform::FreshNames;

/// Bytes of one partition of the space that tiles lie in; nullopt: not limited.
std::optional<int64_t> partition_bytes(const machine::Machine& machine) {
  const machine::Space* sbuf = machine.space("sbuf");
  return sbuf == nullptr ? std::nullopt : sbuf->bytes;
}

class PartitionCutting {
 public:
  PartitionCutting(const CutRules& rules, const machine::Machine& machine, const ComputeCutParams& params, const Extents& extents,
                   const Tensors& tensors, const Remarks& remarks, FreshNames& names)
      : rules_(rules),
        machine_(machine),
        params_(params),
        extents_(extents),
        tensors_(tensors),
        remarks_(remarks),
        names_(names) {}

  /// `before` is the statement in the program that the pass was given.
  void cut(ir::Statement& s, const ir::Statement& before) {
    const auto operation = operation_of(s, tensors_, machine_);
    if (!operation) return;   // the annotation has said why
    if (!is_classified(s)) {
      remarks_.add(before, "not-annotated", "an axis has no class; par-axes-annotation gives it one");
      return;
    }
    if (operation->kind == OperationKind::contraction) {
      ComputeCutParams rows = params_;
      rows.par_axes_cut_size = machine_.constant("pe_rows").value_or(params_.par_axes_cut_size);
      list(
          s, before, true, {AxisClass::partition, AxisClass::block, false},
          [&](std::span<const int64_t> extents) { return rules_.partition(extents, rows); }, of_partitions(rows));
      list(s, before, false, {AxisClass::partition, AxisClass::block, true},
           [&](std::span<const int64_t> extents) { return rules_.stationary(extents, params_); },
           {{}, params_.stationary_free_cut_size, {.uniform = params_.uniform_tile, .multiple = 1}, {}});
      return;
    }
    const bool has_free = !axes_of(s, AxisClass::free, false).empty() || !axes_of(s, AxisClass::free, true).empty() ||
                          !axes_of(s, AxisClass::partition, true).empty();
    if (!has_free && delinearized(s, before)) return;
    const AxisClass rest = has_free || is_huge(s) ? AxisClass::block : AxisClass::free;
    int64_t lanes = 1;
    list(
        s, before, false, {AxisClass::partition, rest, true},
        [&](std::span<const int64_t> extents) {
          const auto cut = rules_.partition(extents, params_);
          if (cut) lanes = tile_elements(extents, *cut);
          return cut;
        },
        of_partitions(params_));
    ComputeCutParams beside = params_;
    beside.par_axes_cut_size = std::max<int64_t>(1, params_.par_axes_cut_size / lanes);
    list(
        s, before, true, {AxisClass::partition, AxisClass::free, true},
        [&](std::span<const int64_t> extents) { return rules_.partition(extents, beside); }, of_partitions(beside));
  }

 private:
  const CutRules& rules_;
  const machine::Machine& machine_;
  const ComputeCutParams& params_;
  const Extents& extents_;
  const Tensors& tensors_;
  const Remarks& remarks_;
  FreshNames& names_;

  /// The question that partition_cut answers, but for the extents.
  static CutStatement of_partitions(const ComputeCutParams& params) {
    return {{}, params.par_axes_cut_size, {.uniform = params.uniform_tile, .multiple = params.partition_multiple}, {}};
  }

  template <class Cut>
  void list(ir::Statement& s, const ir::Statement& before, bool reduced, PartClasses classes, const Cut& cut,
            CutStatement question) {
    const std::vector<size_t> positions = axes_of(s, AxisClass::partition, reduced);
    if (positions.empty()) return;
    const PriorityOrder<CutAxis> axes = priority_list(s, positions, extents_);
    const auto dim_cut = cut(extents_of(axes));
    if (!dim_cut) return remarks_.add(before, "no-cut", std::string(text(dim_cut.error())));
    const auto axis_cut = rules_.axes(axes, *dim_cut);
    if (!axis_cut) return remarks_.add(before, "no-cut", std::string(text(axis_cut.error())));
    if (const auto done = apply_cut(s, *axis_cut, classes, names_); !done)
      return remarks_.add(before, "no-cut", done.error().text);
    question.extents = extents_of(axes);
    question.cut = *dim_cut;
    remarks_.oblige(before, question);
    if (!dim_cut->dim) return;
    remarks_.add(before, "cut", describe(*axis_cut));
    if (classes.rest == AxisClass::free) remarks_.add(before, "overflow-to-free", describe(*axis_cut));
    if (dim_cut->unaligned) remarks_.add(before, "unaligned", describe(*axis_cut));
    if (dim_cut->degenerate) remarks_.add(before, "degenerate", describe(*axis_cut));
  }

  /// The largest tensor's row, were the only axis to lie in one partition.
  bool is_huge(const ir::Statement& s) const {
    const std::vector<size_t> axes = parallel_axes(s);
    const std::optional<int64_t> budget = partition_bytes(machine_);
    if (axes.size() != 1 || !budget) return false;
    const int64_t bytes = ir::bits(tensors_.find(s.destination)->dtype) / 8;
    return ir::multiply_saturating(extents_.largest(s.axes[axes[0]].extent), std::max<int64_t>(bytes, 1)) > *budget;
  }

  /// A single long axis as rows, one in each partition. False: nothing was changed.
  bool delinearized(ir::Statement& s, const ir::Statement& before) {
    const std::vector<size_t> axes = axes_of(s, AxisClass::partition, false);
    if (axes.size() != 1) return false;
    const std::optional<int64_t> extent =
        s.axes[axes[0]].extent.op == ir::Op::literal ? ir::to_integer(s.axes[axes[0]].extent.value) : std::nullopt;
    if (!extent || *extent <= params_.par_axes_cut_size) return false;
    const int64_t rows = largest_divisor(*extent, params_.par_axes_cut_size).value_or(1);
    if (rows < 2) {
      if (is_huge(s))
        remarks_.add(before, "nonlocal", fmt::format("{} has no divisor up to {}", *extent, params_.par_axes_cut_size));
      return false;
    }
    const std::string name = s.axes[axes[0]].name;
    const transform::SplitNames parts{names_.fresh(name + "p"), name};
    ir::Statement result = s;
    if (!transform::split_axis(result, name, *extent / rows, parts)) return false;
    for (ir::Axis& axis : result.axes) {
      if (axis.name != parts.outer && axis.name != parts.inner) continue;
      set_class(axis, axis.name == parts.outer ? AxisClass::partition : AxisClass::free);
      if (find_tag(axis.tags, "from") == nullptr) set_tag(axis.tags, "from", {name});
    }
    s = std::move(result);
    remarks_.add(before, "delinearized", fmt::format("{} {} = {} rows of {}", name, *extent, rows, *extent / rows));
    return true;
  }
};

std::expected<ir::Program, ir::Diagnostics> run(const CutRules& rules, const ir::Program& original,
                                                const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  auto params = compute_cut_params(**machine);
  if (!params) return std::unexpected(params.error());
  params->uniform_tile = context.options.boolean("uniform-tile");
  ir::Program program = original;
  FreshNames names(original);
  const Tensors tensors(original);
  const Extents extents(original);
  const Remarks remarks(original, context);
  PartitionCutting cutting(rules, **machine, *params, extents, tensors, remarks, names);
  const std::vector<const ir::Statement*> before = whole_tensor_statements(original);
  const std::vector<ir::Statement*> statements = whole_tensor_statements(program);
  for (size_t i = 0; i < statements.size(); ++i) cutting.cut(*statements[i], *before[i]);
  return program;
}

}  // namespace

pipeline::Pass p_compute_cutting(CutRules rules) {
  using enum pipeline::RemarkKind;
  return {"p-compute-cutting",
          "cuts the partition axes so that a tile has at most as many lanes as the machine",
          "every axis has a class",
          "the product of the P axes of a tile is at most the machine's pmax (pe_rows and stationary_free for a matmul)",
          {{"uniform-tile", false, {}, {}, {}, "tiles divide the axes that they are cut from, so that none is ragged"}},
          vocabulary({{"cut", applied, "axes, their trips, tiles and tails"},
                      {"overflow-to-free", applied, "what the partitions do not hold became a free axis"},
                      {"unaligned", applied, "no tile is a multiple of partition_multiple"},
                      {"degenerate", applied, "no uniform tile but that of one element"},
                      {"delinearized", applied, "a long axis became rows, one in each partition"},
                      {"nonlocal", applied, "a huge axis that has no divisor is streamed"},
                      {"not-annotated", declined, "an axis has no class"},
                      {"no-cut", declined, "the arithmetic, or the primitive, has no such cut"}}),
          [rules = std::move(rules)](const ir::Program& program, const pipeline::Context& context) {
            return run(rules, program, context);
          }};
}

}  // namespace tileproof::penguin
