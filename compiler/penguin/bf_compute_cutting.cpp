#include "compiler/penguin/bf_compute_cutting.h"

#include "compiler/penguin/apply_cut.h"
#include "compiler/penguin/partition_groups.h"
#include "compiler/penguin/sbuf_budget.h"
#include "compiler/penguin/tiling_pass.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tileproof::penguin {
namespace {

/// The cut of the parallel free axes of one statement, before it is carried out.
struct FreeCut {
  size_t statement = 0;   ///< position in the list of the pass
  PriorityOrder<CutAxis> axes;
  DimCut cut;
};

/// The places of the axis groups of a list, from high to low priority; nullopt: one has none or is a part of an axis only, or they do not ascend.
std::optional<std::vector<size_t>> ascending_groups(const ir::Statement& s, const PriorityOrder<CutAxis>& axes) {
  std::vector<size_t> groups;
  for (const CutAxis& axis : axes) {
    const auto found = std::ranges::find(s.axes, axis.name, &ir::Axis::name);
    const std::optional<int64_t> group = axis_group(*found);
    if (!group || *group < 0 || find_tag(found->tags, "from") != nullptr) return std::nullopt;
    const size_t place = std::numeric_limits<size_t>::max() - static_cast<size_t>(*group);
    if (!groups.empty() && groups.back() >= place) return std::nullopt;
    groups.push_back(place);
  }
  return groups;
}

class FreeCutting {
 public:
  explicit FreeCutting(CuttingRun& run) : run_(run) {}

  /// Cuts protected axes where they are over the budget, and returns the cut of the others. nullopt: nothing is to be cut.
  std::optional<FreeCut> cut_of(size_t index) {
    ir::Statement& s = *run_.statements[index];
    const auto operation = operation_of(s, run_.tensors[index], run_.machine);
    if (!operation || !is_classified(s)) return std::nullopt;
    const auto params = budgets(index, *operation);
    if (!params) return std::nullopt;
    FreeCut result;
    result.statement = index;
    result.axes = priority_list(s, axes_of(s, AxisClass::free, false), run_.extents);
    const std::vector<int64_t> extents = extents_of(result.axes);
    const bool contracts = operation->kind == OperationKind::contraction;
    auto cut = contracts ? run_.rules.moving(extents, *params) : run_.rules.free(extents, protected_extents(s), *params);
    if (!cut && cut.error() == CutError::needs_cascade && operation->kind == OperationKind::reduction) {
      if (!cut_reduction(index, *params)) return std::nullopt;
      cut = run_.rules.free(extents, protected_extents(s), *params);
    }
    if (!cut) {
      run_.leave_uncut(index, std::string(text(cut.error())));
      return std::nullopt;
    }
    result.cut = *cut;
    run_.remarks.oblige(s, {extents,
                            contracts ? params->moving_free_cut_size : budget_beside(s, *params),
                            {.uniform = contracts ? params->uniform_tile_moving_free : params->uniform_tile, .multiple = 1},
                            *cut});
    return result;
  }

  void carry_out(const FreeCut& cut) {
    const size_t index = cut.statement;
    ir::Statement& s = *run_.statements[index];
    const auto axis_cut = run_.rules.axes(cut.axes, cut.cut);
    if (!axis_cut) return run_.leave_uncut(index, std::string(text(axis_cut.error())));
    if (const auto done = apply_cut(s, *axis_cut, {AxisClass::free, AxisClass::block, false}, run_.names()); !done)
      return run_.leave_uncut(index, done.error().text);
    if (!cut.cut.dim) return;
    run_.remarks.add(s, "cut", describe(*axis_cut));
    if (cut.cut.degenerate) run_.remarks.add(s, "degenerate", describe(*axis_cut));
  }

 private:
  CuttingRun& run_;

  /// The parameters of the run, with the budget of the statement's free axes no larger than what SBUF holds. nullopt: that is nothing.
  std::optional<ComputeCutParams> budgets(size_t index, const Operation& operation) {
    const ir::Statement& s = *run_.statements[index];
    ComputeCutParams params = run_.params;
    const bool contracts = operation.kind == OperationKind::contraction;
    const int64_t budget = contracts ? params.moving_free_cut_size : free_budget(params);
    const auto held = sbuf_budget(s, operation, run_.tensors[index], run_.machine, params);
    if (operation.kind == OperationKind::scan) return budget_of_scan(index, held.value_or(budget));
    if (!held || *held >= budget) return params;
    if (*held < 1) {
      run_.leave_uncut(index, "a partition of sbuf does not hold one element of each of its tiles");
      return std::nullopt;
    }
    (contracts ? params.moving_free_cut_size : params.override_tile_size.emplace()) = *held;
    run_.remarks.add(
        *run_.statements[index], "capacity",
        fmt::format("{} elements are the most of which all tiles fit into a partition of sbuf; the budget is {}", *held, budget));
    return params;
  }

  /// A seq axis stays whole, though it is longer than the budget, as far as an instruction and SBUF take it.
  std::optional<ComputeCutParams> budget_of_scan(size_t index, int64_t held) {
    ComputeCutParams params = run_.params;
    const int64_t length = product(protected_extents(*run_.statements[index]));
    const int64_t most = std::min(held, run_.machine.constant("engine_free").value_or(held));
    if (length > most) {
      run_.leave_uncut(index, fmt::format("a scan of {} elements; an instruction takes {} with all its tiles", length, most));
      return std::nullopt;
    }
    params.override_tile_size = std::max(length, std::min(free_budget(params), most));
    return params;
  }

  static int64_t product(const std::vector<int64_t>& extents) {
    int64_t all = 1;
    for (const int64_t extent : extents) all = ir::multiply_saturating(all, extent);
    return all;
  }

  std::vector<int64_t> protected_extents(const ir::Statement& s) const {
    return extents_of(priority_list(s, axes_of(s, AxisClass::free, true), run_.extents));
  }

  /// What the protected axes leave of the budget.
  int64_t budget_beside(const ir::Statement& s, const ComputeCutParams& params) const {
    const int64_t charged = product(protected_extents(s));
    return charged == 0 ? free_budget(params) : free_budget(params) / charged;
  }

  bool cut_reduction(size_t index, const ComputeCutParams& params) {
    ir::Statement& s = *run_.statements[index];
    const PriorityOrder<CutAxis> axes = priority_list(s, axes_of(s, AxisClass::free, true), run_.extents);
    const auto dim_cut = run_.rules.reduction(extents_of(axes), free_budget(params), {.uniform = params.uniform_tile});
    const auto axis_cut = dim_cut ? run_.rules.axes(axes, *dim_cut) : std::unexpected(dim_cut.error());
    if (!axis_cut) {
      run_.leave_uncut(index, std::string(text(axis_cut.error())));
      return false;
    }
    if (const auto done = apply_cut(s, *axis_cut, {AxisClass::free, AxisClass::block, false}, run_.names()); !done) {
      run_.leave_uncut(index, done.error().text);
      return false;
    }
    run_.remarks.oblige(s, {extents_of(axes), free_budget(params), {.uniform = params.uniform_tile, .multiple = 1}, *dim_cut});
    run_.remarks.add(s, "reduction-in-blocks", describe(*axis_cut));
    return true;
  }
};

/// Whether one of them may take the place of another.
bool may_differ(const std::vector<FreeCut>& cuts) {
  return cuts.size() > 1 && std::ranges::any_of(cuts, [](const FreeCut& each) { return each.cut.dim.has_value(); });
}

/// Makes the cuts of the statements that write in the layout of one partition group one. Returns which were changed.
std::set<size_t> align(const CutRules& rules, const PartitionGroups& groups, const std::vector<ir::Statement*>& statements,
                       std::vector<FreeCut>& cuts) {
  std::map<size_t, std::vector<size_t>> members;  // positions in `cuts`
  for (size_t i = 0; i < cuts.size(); ++i) {
    const std::optional<Nest>& nest = groups.nests[cuts[i].statement];
    if (nest && ascending_groups(*statements[cuts[i].statement], cuts[i].axes)) members[nest->destination].push_back(i);
  }
  std::set<size_t> changed;
  for (const auto& [number, positions] : members) {
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

std::expected<ir::Program, ir::Diagnostics> run(const CutRules& rules, ir::Program program, const pipeline::Context& context) {
  auto run = cutting_run(rules, std::move(program), context);
  if (!run) return std::unexpected(std::move(run.error()));
  const int64_t size = context.options.integer("pg-tile-size");
  if (const auto most = run->machine.constant("engine_free"); most && size > *most)
    return std::unexpected(ir::Diagnostics{
        {"",
         {},
         fmt::format("pg-tile-size is {}, and an engine of {} takes {} elements of a partition at most (engine_free)", size,
                     run->machine.name, *most),
         fmt::format("give pg-tile-size 1 to {}", *most)}});
  run->params.override_tile_size = size;
  FreeCutting cutting(*run);
  std::vector<FreeCut> cuts;
  for (size_t i = 0; i < run->statements.size(); ++i) {
    if (auto cut = cutting.cut_of(i)) cuts.push_back(std::move(*cut));
  }
  std::set<size_t> aligned;
  if (context.options.boolean("align") && may_differ(cuts))
    aligned = align(rules, partition_groups(run->program, run->machine, {.nests_alone = true}), run->statements, cuts);
  for (size_t i = 0; i < cuts.size(); ++i) {
    if (aligned.contains(i)) run->remarks.add(*run->statements[cuts[i].statement], "aligned", "cut as its partition group");
    cutting.carry_out(cuts[i]);
  }
  return std::move(run->program);
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
            "elements of a tile in one partition, for all but matmuls and transpositions"},
           {"uniform-tile", false, {}, {}, {}, "tiles divide the axes that they are cut from, so that none is ragged"},
           {"align", true, {}, {}, {}, "statements of a partition group are cut at the same place"}},
          vocabulary({{"cut", applied, "axes, their trips, tiles and tails"},
                      {"aligned", applied, "the cut of the partition group took the place of its own"},
                      {"capacity", applied, "sbuf holds less than the budget of all tiles, and is the budget"},
                      {"reduction-in-blocks", applied, "reduced axes are over the budget, and were cut too"},
                      {"degenerate", applied, "no uniform tile but that of one element"},
                      {"no-cut", declined, "the arithmetic, or the primitive, has no such cut"}}),
          [rules = std::move(rules)](ir::Program program, const pipeline::Context& context) {
            return run(rules, std::move(program), context);
          }};
}

}  // namespace tileproof::penguin
