#include "compiler/penguin/p_compute_cutting.h"

#include "compiler/penguin/apply_cut.h"
#include "compiler/penguin/divisor.h"
#include "compiler/penguin/sbuf_budget.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/transform/split.h"

#include <algorithm>
#include <map>
#include <set>

namespace tileproof::penguin {
namespace {

class PartitionCutting {
 public:
  PartitionCutting(CuttingRun& run, bool reverses) : run_(run) {
    if (reverses) find_reversible();
  }

  void cut(size_t index) {
    ir::Statement& s = *run_.statements[index];
    const Tensors& tensors = run_.tensors[index];
    const auto operation = operation_of(s, tensors, run_.machine);
    if (!operation) return;   // the annotation has said why
    if (!is_classified(s)) {
      run_.remarks.add(s, "not-annotated", "an axis has no class; par-axes-annotation gives it one");
      return;
    }
    if (operation->kind == OperationKind::contraction) {
      ComputeCutParams rows = run_.params;
      rows.par_axes_cut_size = run_.machine.constant("pe_rows").value_or(run_.params.par_axes_cut_size);
      list(
          index, true, {AxisClass::partition, AxisClass::block, false},
          [&](std::span<const int64_t> extents) { return run_.rules.partition(extents, rows); }, of_partitions(rows));
      list(index, false, {AxisClass::partition, AxisClass::block, true},
           [&](std::span<const int64_t> extents) { return run_.rules.stationary(extents, run_.params); },
           {{}, run_.params.stationary_free_cut_size, {.uniform = run_.params.uniform_tile, .multiple = 1}, {}});
      return;
    }
    const bool has_free = has_free_axis(s);
    if (!has_free && delinearized(s, tensors)) return;
    const AxisClass rest = has_free || is_huge(s, tensors) ? AxisClass::block : AxisClass::free;
    int64_t lanes = 1;
    list(
        index, false, {AxisClass::partition, rest, true},
        [&](std::span<const int64_t> extents) {
          const auto cut = run_.rules.partition(extents, run_.params);
          if (cut) lanes = tile_elements(extents, *cut);
          return cut;
        },
        of_partitions(run_.params));
    ComputeCutParams beside = run_.params;
    beside.par_axes_cut_size = std::max<int64_t>(1, run_.params.par_axes_cut_size / lanes);
    list(
        index, true, {AxisClass::partition, AxisClass::free, true},
        [&](std::span<const int64_t> extents) { return run_.rules.partition(extents, beside); }, of_partitions(beside));
  }

 private:
  CuttingRun& run_;
  std::set<int64_t> reversible_;   // axis groups whose tiles take every so many-th element

  /// The axis groups that lie alone on the partitions wherever they lie there, and that one tile divides in all these statements: what is
  /// in which lane stays the same for producers and consumers.
  void find_reversible() {
    std::map<int64_t, int64_t> tiles;
    std::set<int64_t> others;
    for (size_t i = 0; i < run_.statements.size(); ++i) {
      const ir::Statement& s = *run_.statements[i];
      const auto operation = operation_of(s, run_.tensors[i], run_.machine);
      const std::vector<size_t> positions = axes_of(s, AxisClass::partition, false);
      const bool is_alone = operation && operation->kind != OperationKind::contraction && positions.size() == 1 &&
                            axes_of(s, AxisClass::partition, true).empty() && has_free_axis(s);
      for (const bool reduced : {false, true})
        for (const size_t at : axes_of(s, AxisClass::partition, reduced)) {
          const auto group = axis_group(s.axes[at]);
          if (!group) continue;
          const auto tile = is_alone ? reversible_tile(s, at) : std::nullopt;
          if (tile && tiles.emplace(*group, *tile).first->second == *tile) continue;
          others.insert(*group);
        }
    }
    for (const auto& [group, tile] : tiles)
      if (!others.contains(group)) reversible_.insert(group);
  }

  /// nullopt: the axis fits, is cut already, or the tile does not divide it.
  std::optional<int64_t> reversible_tile(const ir::Statement& s, size_t at) const {
    const ir::Axis& axis = s.axes[at];
    if (find_tag(axis.tags, "from") != nullptr || axis.extent.op != ir::Op::literal) return std::nullopt;
    const std::vector<int64_t> extents{run_.extents.largest(axis.extent)};
    const auto cut = run_.rules.partition(extents, run_.params);
    if (!cut || !cut->dim || !cut->tile || extents[0] % *cut->tile != 0) return std::nullopt;
    return *cut->tile;
  }

  bool is_reversed(const ir::Statement& s, const std::vector<size_t>& positions) const {
    const auto group = positions.size() == 1 ? axis_group(s.axes[positions[0]]) : std::nullopt;
    return group && reversible_.contains(*group);
  }

  /// Those of the axes that may have more than one element: the others give no tile a width.
  std::vector<size_t> wide(const ir::Statement& s, std::vector<size_t> axes) const {
    std::erase_if(axes, [&](size_t i) { return run_.extents.largest(s.axes[i].extent) <= 1; });
    return axes;
  }

  /// Whether something lies along the free dimension of its tiles, or will once the reduced axes have been cut.
  bool has_free_axis(const ir::Statement& s) const {
    return !wide(s, axes_of(s, AxisClass::free, false)).empty() || !wide(s, axes_of(s, AxisClass::free, true)).empty() ||
           !wide(s, axes_of(s, AxisClass::partition, true)).empty();
  }

  /// The question that partition_cut answers, but for the extents.
  static CutStatement of_partitions(const ComputeCutParams& params) {
    return {{}, params.par_axes_cut_size, {.uniform = params.uniform_tile, .multiple = params.partition_multiple}, {}};
  }

  template <class Cut>
  void list(size_t index, bool reduced, PartClasses classes, const Cut& cut, CutStatement question) {
    ir::Statement& s = *run_.statements[index];
    const std::vector<size_t> positions = axes_of(s, AxisClass::partition, reduced);
    if (positions.empty()) return;
    const PriorityOrder<CutAxis> axes = priority_list(s, positions, run_.extents);
    const auto dim_cut = cut(extents_of(axes));
    if (!dim_cut) return run_.leave_uncut(index, std::string(text(dim_cut.error())));
    const bool reverses = dim_cut->dim && is_reversed(s, positions);
    const auto axis_cut =
        reverses ? cut_axes(axes, *dim_cut, SwapTile{run_.params.par_axes_cut_size}) : run_.rules.axes(axes, *dim_cut);
    if (!axis_cut) return run_.leave_uncut(index, std::string(text(axis_cut.error())));
    if (const auto done = apply_cut(s, *axis_cut, classes, run_.names()); !done)
      return run_.leave_uncut(index, done.error().text);
    question.extents = extents_of(axes);
    question.cut = *dim_cut;
    run_.remarks.oblige(s, question);
    if (!dim_cut->dim) return;
    const std::string parts = describe(*axis_cut);
    run_.remarks.add(s, "cut", parts);
    if (reverses) run_.remarks.add(s, "reversed", parts);
    if (classes.rest == AxisClass::free) run_.remarks.add(s, "overflow-to-free", parts);
    if (dim_cut->unaligned) run_.remarks.add(s, "unaligned", parts);
    if (dim_cut->degenerate) run_.remarks.add(s, "degenerate", parts);
  }

  /// The largest tensor's row, were the only axis to lie in one partition.
  bool is_huge(const ir::Statement& s, const Tensors& tensors) const {
    const std::vector<size_t> axes = wide(s, parallel_axes(s));
    const std::optional<int64_t> budget = partition_bytes(run_.machine);
    if (axes.size() != 1 || !budget) return false;
    const int64_t bytes = ir::bits(tensors.find(s.destination)->dtype) / 8;
    return ir::multiply_saturating(run_.extents.largest(s.axes[axes[0]].extent), std::max<int64_t>(bytes, 1)) > *budget;
  }

  /// A single long axis as rows, one in each partition. False: nothing was changed.
  bool delinearized(ir::Statement& s, const Tensors& tensors) {
    const std::vector<size_t> axes = wide(s, axes_of(s, AxisClass::partition, false));
    if (axes.size() != 1) return false;
    const std::optional<int64_t> extent =
        s.axes[axes[0]].extent.op == ir::Op::literal ? ir::to_integer(s.axes[axes[0]].extent.value) : std::nullopt;
    if (!extent || *extent <= run_.params.par_axes_cut_size) return false;
    const int64_t rows = largest_divisor(*extent, run_.params.par_axes_cut_size).value_or(1);
    if (rows < 2) {
      if (is_huge(s, tensors))
        run_.remarks.add(s, "nonlocal", fmt::format("{} has no divisor up to {}", *extent, run_.params.par_axes_cut_size));
      return false;
    }
    const std::string name = s.axes[axes[0]].name;
    const transform::SplitNames parts{run_.names().fresh(name + "p"), name};
    ir::Statement result = s;
    if (!transform::split_axis(result, name, *extent / rows, parts)) return false;
    for (ir::Axis& axis : result.axes) {
      if (axis.name != parts.outer && axis.name != parts.inner) continue;
      set_class(axis, axis.name == parts.outer ? AxisClass::partition : AxisClass::free);
      if (find_tag(axis.tags, "from") == nullptr) set_tag(axis.tags, "from", {name});
    }
    s = std::move(result);
    run_.remarks.add(s, "delinearized", fmt::format("{} {} = {} rows of {}", name, *extent, rows, *extent / rows));
    return true;
  }
};

std::expected<ir::Program, ir::Diagnostics> run(const CutRules& rules, ir::Program program, const pipeline::Context& context) {
  auto run = cutting_run(rules, std::move(program), context);
  if (!run) return std::unexpected(std::move(run.error()));
  PartitionCutting cutting(*run, context.options.boolean("reverse-tile"));
  for (size_t i = 0; i < run->statements.size(); ++i) cutting.cut(i);
  return std::move(run->program);
}

}  // namespace

pipeline::Pass p_compute_cutting(CutRules rules) {
  using enum pipeline::RemarkKind;
  return {"p-compute-cutting",
          "cuts the partition axes so that a tile has at most as many lanes as the machine",
          "every axis has a class",
          "the product of the P axes of a tile is at most the machine's pmax (pe_rows and stationary_free for a matmul)",
          {{"uniform-tile", false, {}, {}, {}, "tiles divide the axes that they are cut from, so that none is ragged"},
           {"reverse-tile", false, {}, {}, {}, "where it is legal, a tile takes every so many-th row instead of neighbours"}},
          vocabulary({{"cut", applied, "axes, their trips, tiles and tails"},
                      {"reversed", applied, "a tile takes every so many-th row, in all statements of the axis group"},
                      {"overflow-to-free", applied, "what the partitions do not hold became a free axis"},
                      {"unaligned", applied, "no tile is a multiple of partition_multiple"},
                      {"degenerate", applied, "no uniform tile but that of one element"},
                      {"delinearized", applied, "a long axis became rows, one in each partition"},
                      {"nonlocal", applied, "a huge axis that has no divisor is streamed"},
                      {"not-annotated", declined, "an axis has no class"},
                      {"no-cut", declined, "the arithmetic, or the primitive, has no such cut"}}),
          [rules = std::move(rules)](ir::Program program, const pipeline::Context& context) {
            return run(rules, std::move(program), context);
          }};
}

}  // namespace tileproof::penguin
