#include "compiler/penguin/bf_compute_cutting.h"

#include "compiler/penguin/apply_cut.h"
#include "compiler/penguin/tiling_pass.h"

#include <algorithm>
#include <map>
#include <set>

namespace tileproof::penguin {
namespace {

using transform::FreshNames;

/// The cut of the parallel free axes of one statement, before it is carried out.
struct FreeCut {
  size_t statement = 0;   ///< position in the list of the pass
  PriorityOrder<CutAxis> axes;
  DimCut cut;
};

/// The axis groups of a list, by priority; nullopt: one has none or is a part of an axis only, or they do not ascend.
std::optional<std::vector<size_t>> ascending_groups(const ir::Statement& s, const PriorityOrder<CutAxis>& axes) {
  std::vector<size_t> groups;
  for (const CutAxis& axis : axes) {
    const auto found = std::ranges::find(s.axes, axis.name, &ir::Axis::name);
    const std::optional<int64_t> group = axis_group(*found);
    if (!group || *group < 0 || find_tag(found->tags, "from") != nullptr ||
        (!groups.empty() && groups.back() >= static_cast<size_t>(*group)))
      return std::nullopt;
    groups.push_back(static_cast<size_t>(*group));
  }
  return groups;
}

class FreeCutting {
 public:
  FreeCutting(const CutRules& rules, const machine::Machine& machine, const ComputeCutParams& params, const Extents& extents,
              const Tensors& tensors, const Remarks& remarks, FreshNames& names)
      : rules_(rules),
        machine_(machine),
        params_(params),
        extents_(extents),
        tensors_(tensors),
        remarks_(remarks),
        names_(names) {}

  /// Cuts protected axes where they are over the budget, and returns the cut of the others. nullopt: nothing is to be cut.
  std::optional<FreeCut> cut_of(ir::Statement& s, const ir::Statement& before) {
    const auto operation = operation_of(s, tensors_, machine_);
    if (!operation || !is_classified(s))
      return std::nullopt;
    FreeCut result;
    result.axes = priority_list(s, axes_of(s, AxisClass::free, false), extents_);
    const std::vector<int64_t> extents = extents_of(result.axes);
    auto cut = operation->kind == OperationKind::contraction ? rules_.moving(extents, params_)
                                                             : rules_.free(extents, protected_extents(s), params_);
    if (!cut && cut.error() == CutError::needs_cascade) {
      if (!cut_reduction(s, before)) return std::nullopt;
      cut = rules_.free(extents, protected_extents(s), params_);
    }
    if (!cut) {
      remarks_.add(before, "no-cut", std::string(text(cut.error())));
      return std::nullopt;
    }
    result.cut = *cut;
    const bool contracts = operation->kind == OperationKind::contraction;
    remarks_.oblige(before, {extents,
                             contracts ? params_.moving_free_cut_size : budget_beside(s),
                             {.uniform = contracts ? params_.uniform_tile_moving_free : params_.uniform_tile, .multiple = 1},
                             *cut});
    return result;
  }

  void carry_out(ir::Statement& s, const ir::Statement& before, const FreeCut& cut) {
    const auto axis_cut = rules_.axes(cut.axes, cut.cut);
    if (!axis_cut) return remarks_.add(before, "no-cut", std::string(text(axis_cut.error())));
    if (const auto done = apply_cut(s, *axis_cut, {AxisClass::free, AxisClass::block, false}, names_); !done)
      return remarks_.add(before, "no-cut", done.error().text);
    if (!cut.cut.dim) return;
    remarks_.add(before, "cut", describe(*axis_cut));
    if (cut.cut.degenerate) remarks_.add(before, "degenerate", describe(*axis_cut));
  }

 private:
  const CutRules& rules_;
  const machine::Machine& machine_;
  const ComputeCutParams& params_;
  const Extents& extents_;
  const Tensors& tensors_;
  const Remarks& remarks_;
  FreshNames& names_;

  std::vector<int64_t> protected_extents(const ir::Statement& s) const {
    return extents_of(priority_list(s, axes_of(s, AxisClass::free, true), extents_));
  }

  /// What the protected axes leave of the budget.
  int64_t budget_beside(const ir::Statement& s) const {
    int64_t charged = 1;
    for (const int64_t extent : protected_extents(s)) charged = ir::multiply_saturating(charged, extent);
    return charged == 0 ? free_budget(params_) : free_budget(params_) / charged;
  }

  bool cut_reduction(ir::Statement& s, const ir::Statement& before) {
    const PriorityOrder<CutAxis> axes = priority_list(s, axes_of(s, AxisClass::free, true), extents_);
    const auto dim_cut = rules_.reduction(extents_of(axes), free_budget(params_), {.uniform = params_.uniform_tile});
    const auto axis_cut = dim_cut ? rules_.axes(axes, *dim_cut) : std::unexpected(dim_cut.error());
    if (!axis_cut) {
      remarks_.add(before, "no-cut", std::string(text(axis_cut.error())));
      return false;
    }
    if (const auto done = apply_cut(s, *axis_cut, {AxisClass::free, AxisClass::block, false}, names_); !done) {
      remarks_.add(before, "no-cut", done.error().text);
      return false;
    }
    remarks_.oblige(before, {extents_of(axes), free_budget(params_), {.uniform = params_.uniform_tile, .multiple = 1}, *dim_cut});
    remarks_.add(before, "reduction-in-blocks", describe(*axis_cut));
    return true;
  }
};

/// The axis groups on the partitions of a statement's tiles: what makes statements one partition group.
std::set<int64_t> partition_groups(const ir::Statement& s) {
  std::set<int64_t> groups;
  for (const size_t i : axes_of(s, AxisClass::partition, false))
    if (const auto group = axis_group(s.axes[i])) groups.insert(*group);
  return groups;
}

/// Makes the cuts of each partition group one. Returns which were changed.
std::set<size_t> align(const CutRules& rules, const std::vector<ir::Statement*>& statements, std::vector<FreeCut>& cuts) {
  std::map<std::set<int64_t>, std::vector<size_t>> members;   // positions in `cuts`
  for (size_t i = 0; i < cuts.size(); ++i) {
    const ir::Statement& s = *statements[cuts[i].statement];
    const std::set<int64_t> groups = partition_groups(s);
    if (!groups.empty() && ascending_groups(s, cuts[i].axes)) members[groups].push_back(i);
  }
  std::set<size_t> changed;
  for (const auto& [groups, positions] : members) {
    std::vector<GroupMember> group;
    for (const size_t i : positions)
      group.push_back({*ascending_groups(*statements[cuts[i].statement], cuts[i].axes), cuts[i].cut});
    const auto aligned = rules.group(group);
    if (!aligned) continue;
    for (size_t k = 0; k < positions.size(); ++k) {
      if ((*aligned)[k] == cuts[positions[k]].cut) continue;
      cuts[positions[k]].cut = (*aligned)[k];
      changed.insert(positions[k]);
    }
  }
  return changed;
}

std::expected<ir::Program, ir::Diagnostics> run(const CutRules& rules, const ir::Program& original,
                                                const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  auto params = compute_cut_params(**machine);
  if (!params) return std::unexpected(params.error());
  params->uniform_tile = params->uniform_tile_moving_free = context.options.boolean("uniform-tile");
  params->override_tile_size = context.options.integer("pg-tile-size");
  ir::Program program = original;
  FreshNames names(original);
  const Tensors tensors(original);
  const Extents extents(original);
  const Remarks remarks(original, context);
  FreeCutting cutting(rules, **machine, *params, extents, tensors, remarks, names);
  const std::vector<const ir::Statement*> before = whole_tensor_statements(original);
  const std::vector<ir::Statement*> statements = whole_tensor_statements(program);
  std::vector<FreeCut> cuts;
  for (size_t i = 0; i < statements.size(); ++i) {
    if (auto cut = cutting.cut_of(*statements[i], *before[i])) {
      cut->statement = i;
      cuts.push_back(std::move(*cut));
    }
  }
  std::set<size_t> aligned;
  if (context.options.boolean("align")) aligned = align(rules, statements, cuts);
  for (size_t i = 0; i < cuts.size(); ++i) {
    const size_t at = cuts[i].statement;
    if (aligned.contains(i)) remarks.add(*before[at], "aligned", "cut as its partition group");
    cutting.carry_out(*statements[at], *before[at], cuts[i]);
  }
  return program;
}

}  // namespace

pipeline::Pass bf_compute_cutting(CutRules rules) {
  using enum pipeline::RemarkKind;
  return {"bf-compute-cutting",
          "cuts the free axes so that a tile keeps within its budget",
          "every axis has a class, and the partition axes are cut",
          "the product of the F axes of a tile is at most the budget: one PSUM bank for a matmul, pg-tile-size for all others",
          {{"pg-tile-size",
            pipeline::MachineConstant{"cut_size"},
            1,
            int64_t{1} << 31,
            {},
            "elements of a tile in one partition, for all but matmuls"},
           {"uniform-tile", false, {}, {}, {}, "tiles divide the axes that they are cut from, so that none is ragged"},
           {"align", true, {}, {}, {}, "statements of a partition group are cut at the same place"}},
          vocabulary({{"cut", applied, "axes, their trips, tiles and tails"},
                      {"aligned", applied, "the cut of the partition group took the place of its own"},
                      {"reduction-in-blocks", applied, "reduced axes are over the budget, and were cut too"},
                      {"degenerate", applied, "no uniform tile but that of one element"},
                      {"no-cut", declined, "the arithmetic, or the primitive, has no such cut"}}),
          [rules = std::move(rules)](const ir::Program& program, const pipeline::Context& context) {
            return run(rules, program, context);
          }};
}

}  // namespace tileproof::penguin
