#include "compiler/penguin/par_axes_annotation.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/axis_groups.h"
#include "compiler/penguin/cut_params.h"
#include "compiler/penguin/extents.h"
#include "compiler/penguin/partition_reduction.h"
#include "compiler/penguin/tiling_pass.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

namespace tileproof::penguin {
namespace {

class Annotation {
 public:
  Annotation(const ComputeCutParams& params, const Extents& extents) : params_(params), extents_(extents) {}

  void contraction(ir::Statement& s, const Contraction& parts) const {
    const auto all = [&](const std::vector<size_t>& axes, AxisClass axis_class) {
      for (const size_t i : axes) classify(s.axes[i], axis_class);
    };
    all(parts.contracted, AxisClass::partition);
    all(parts.stationary, AxisClass::partition);
    all(parts.moving, AxisClass::free);
    all(parts.batch, AxisClass::block);
  }

  /// `reduces`: asks whether a reduced axis may lie on the partitions.
  void other(ir::Statement& s, const std::function<bool(std::string_view axis)>& reduces) const {
    const bool given = std::ranges::any_of(s.axes, [](const ir::Axis& axis) { return class_of(axis) == AxisClass::partition; });
    if (!given) {
      const Run run = widest_run(s);
      const std::optional<size_t> longest =
          2 * run.lanes < params_.par_axes_cut_size ? longest_reduced(s, run.lanes) : std::nullopt;
      if (longest && reduces(s.axes[*longest].name)) {
        set_class(s.axes[*longest], AxisClass::partition);
        // What the partitions do not hold of it is the last of the reduced axes, and so the first to be in the tile.
        const auto at = s.axes.begin() + static_cast<std::ptrdiff_t>(*longest);
        std::rotate(at, at + 1, s.axes.end());
      } else {
        for (const size_t i : run.axes) set_class(s.axes[i], AxisClass::partition);
      }
    }
    for (ir::Axis& axis : s.axes) classify(axis, AxisClass::free);
  }

 private:
  const ComputeCutParams& params_;
  const Extents& extents_;

  /// Neighbouring axes, and how many partitions their tile fills.
  struct Run {
    std::vector<size_t> axes;
    int64_t lanes = 0;
  };

  /// The longest of the reduced axes that have no class, the last of equals, if it fills more than `lanes` partitions and something is left to
  /// be reduced along the free dimension.
  std::optional<size_t> longest_reduced(const ir::Statement& s, int64_t lanes) const {
    std::optional<size_t> longest;
    int64_t most = 0, others = 0;  // extents; axes of more than one element
    for (size_t i = 0; i < s.axes.size(); ++i) {
      if (s.axes[i].kind != ir::AxisKind::reduce) continue;
      const int64_t extent = extents_.largest(s.axes[i].extent);
      others += extent > 1;
      if (class_of(s.axes[i]) || extent < most) continue;
      longest = i;
      most = extent;
    }
    if (!longest) return std::nullopt;
    const auto cut = partition_cut(std::array{most}, params_);
    const int64_t filled = cut ? tile_elements(std::array{most}, *cut) : 0;
    return filled > lanes && (most > filled || others > 1) ? longest : std::nullopt;
  }

  static void classify(ir::Axis& axis, AxisClass axis_class) {
    if (!class_of(axis)) set_class(axis, axis_class);
  }

  Run widest_run(const ir::Statement& s) const {
    const std::vector<size_t> axes = parallel_axes(s);
    Run best;
    for (size_t length = 1; length <= axes.size(); ++length) {
      for (size_t first = 0; first + length <= axes.size(); ++first) {
        std::vector<int64_t> extents;  // by priority: the rightmost first
        bool is_free = true;
        for (size_t i = first + length; i-- > first;) {
          extents.push_back(extents_.largest(s.axes[axes[i]].extent));
          is_free &= !class_of(s.axes[axes[i]]);
        }
        const auto cut = partition_cut(extents, params_);
        if (!is_free || !cut || tile_elements(extents, *cut) <= best.lanes) continue;
        best.lanes = tile_elements(extents, *cut);
        best.axes.assign(axes.begin() + static_cast<std::ptrdiff_t>(first),
                         axes.begin() + static_cast<std::ptrdiff_t>(first + length));
      }
    }
    return best;
  }
};

std::string classes(const ir::Statement& s) {
  std::string text;
  for (const ir::Axis& axis : s.axes) {
    if (!text.empty()) text += ", ";
    text += axis.name;
    text += ' ';
    text += "PFB"[static_cast<size_t>(*class_of(axis))];
  }
  return text.empty() ? "no axes" : text;
}

std::expected<ir::Program, ir::Diagnostics> run(ir::Program program, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  const auto params = compute_cut_params(**machine);
  if (!params) return std::unexpected(params.error());
  const std::vector<Tensors> tensors = tensors_of(program);
  const Extents extents(program);
  const Remarks remarks(program, context);
  const std::vector<ir::Statement*> statements = whole_tensor_statements(program);
  const std::vector<std::vector<int64_t>> groups = axis_groups(statements, tensors);
  const Annotation annotation(*params, extents);
  std::optional<transform::Environment> environment;  // only some programs have a reduction that asks it
  for (size_t i = 0; i < statements.size(); ++i) {
    ir::Statement& s = *statements[i];
    const auto operation = operation_of(s, tensors[i], **machine);
    if (!operation) {
      remarks.add(s, name(operation.error()), explanation(operation.error(), s, tensors[i], **machine));
      continue;
    }
    for (size_t axis = 0; axis < s.axes.size(); ++axis)
      if (!axis_group(s.axes[axis])) set_tag(s.axes[axis].tags, "ag", {groups[i][axis]});
    if (operation->kind == OperationKind::contraction)
      annotation.contraction(s, operation->contraction);
    else
      annotation.other(s, [&](std::string_view axis) {
        if (!environment) environment.emplace(program);
        const auto reason = unsplittable(s, axis, tensors[i], *environment, **machine);
        if (reason)
          remarks.add(s, "kept-parallel",
                      fmt::format("{} would fill more partitions: {}: {}", axis, name(*reason), meaning(*reason)));
        return !reason;
      });
    remarks.add(s, "annotated", classes(s));
  }
  if (remarks.statement_count() == statements.size()) return program;
  std::set<const ir::Statement*> whole(statements.begin(), statements.end());
  whole.merge(tiled_statements(program));
  for (const auto& [statement, label] : ir::labelled_statements(program)) {
    if (whole.contains(statement)) continue;
    constexpr auto reason = Untileable::inside_of_a_nest;
    remarks.add(*statement, name(reason), std::string(meaning(reason)));
  }
  return program;
}

}  // namespace

pipeline::Pass par_axes_annotation() {
  return {"par-axes-annotation",
          "says which axes lie on partitions, which along the free dimension, and which loop",
          "nothing; what the tiler does not know stays as it is",
          "every axis of the other statements has a class and an axis group",
          {},
          vocabulary({{"annotated", pipeline::RemarkKind::applied, "the class of each axis"},
                      {"kept-parallel", pipeline::RemarkKind::applied,
                       "a reduced axis would fill more partitions, and the reduction is not one for loop-splitting"}}),
          run};
}

}  // namespace tileproof::penguin
