#include "compiler/penguin/par_axes_annotation.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/axis_groups.h"
#include "compiler/penguin/cut_params.h"
#include "compiler/penguin/extents.h"
#include "compiler/penguin/tiling_pass.h"

#include <algorithm>
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

  void other(ir::Statement& s) const {
    const bool given = std::ranges::any_of(s.axes, [](const ir::Axis& axis) { return class_of(axis) == AxisClass::partition; });
    if (!given)
      for (const size_t i : widest_run(s)) set_class(s.axes[i], AxisClass::partition);
    for (ir::Axis& axis : s.axes) classify(axis, AxisClass::free);
  }

 private:
  const ComputeCutParams& params_;
  const Extents& extents_;

  static void classify(ir::Axis& axis, AxisClass axis_class) {
    if (!class_of(axis)) set_class(axis, axis_class);
  }

  std::vector<size_t> widest_run(const ir::Statement& s) const {
    const std::vector<size_t> axes = parallel_axes(s);
    std::vector<size_t> best;
    int64_t most = 0;
    for (size_t length = 1; length <= axes.size(); ++length) {
      for (size_t first = 0; first + length <= axes.size(); ++first) {
        std::vector<int64_t> extents;   // by priority: the rightmost first
        bool is_free = true;
        for (size_t i = first + length; i-- > first;) {
          extents.push_back(extents_.largest(s.axes[axes[i]].extent));
          is_free &= !class_of(s.axes[axes[i]]);
        }
        const auto cut = partition_cut(extents, params_);
        if (!is_free || !cut || tile_elements(extents, *cut) <= most) continue;
        most = tile_elements(extents, *cut);
        best.assign(axes.begin() + static_cast<std::ptrdiff_t>(first),
                    axes.begin() + static_cast<std::ptrdiff_t>(first + length));
      }
    }
    return best;
  }
};

std::string classes(const ir::Statement& s) {
  std::string text;
  for (const ir::Axis& axis : s.axes) {
    const char letter = "PFB"[static_cast<size_t>(*class_of(axis))];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name, letter);
  }
  return text.empty() ? "no axes" : text;
}

std::expected<ir::Program, ir::Diagnostics> run(const ir::Program& original, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  const auto params = compute_cut_params(**machine);
  if (!params) return std::unexpected(params.error());
  ir::Program program = original;
  const std::vector<Tensors> tensors = tensors_of(original);
  const Extents extents(original);
  const Remarks remarks(original, context);
  const std::vector<const ir::Statement*> before = whole_tensor_statements(original);
  std::vector<ir::Statement*> statements = whole_tensor_statements(program);
  const std::vector<std::vector<int64_t>> groups = axis_groups(before, tensors);
  const Annotation annotation(*params, extents);
  for (size_t i = 0; i < statements.size(); ++i) {
    ir::Statement& s = *statements[i];
    const auto operation = operation_of(s, tensors[i], **machine);
    if (!operation) {
      remarks.add(*before[i], name(operation.error()), explanation(operation.error(), s, tensors[i], **machine));
      continue;
    }
    if (operation->kind == OperationKind::contraction)
      annotation.contraction(s, operation->contraction);
    else
      annotation.other(s);
    for (size_t axis = 0; axis < s.axes.size(); ++axis)
      if (!axis_group(s.axes[axis])) set_tag(s.axes[axis].tags, "ag", {groups[i][axis]});
    remarks.add(*before[i], "annotated", classes(s));
  }
  const std::set<const ir::Statement*> whole(before.begin(), before.end());
  for (const auto& [statement, label] : ir::labelled_statements(original)) {
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
          "nothing; statements in loops and what the tiler does not know stay as they are",
          "every axis of the other statements has a class and an axis group",
          {},
          vocabulary({{"annotated", pipeline::RemarkKind::applied, "the class of each axis"}}),
          run};
}

}  // namespace tileproof::penguin
