#include "compiler/penguin/bn_mean_var.h"

#include "compiler/ir/interval.h"
#include "compiler/penguin/ag_ordering.h"
#include "compiler/penguin/apply_cut.h"
#include "compiler/penguin/bf_compute_cutting.h"
#include "compiler/penguin/loop_splitting.h"
#include "compiler/penguin/p_compute_cutting.h"
#include "compiler/penguin/par_axes_annotation.h"
#include "compiler/penguin/sbuf_budget.h"
#include "compiler/penguin/statistics_nest.h"
#include "compiler/penguin/tiling_estimator.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/pipeline/run_pipeline.h"
#include "compiler/transform/each_body.h"
#include "compiler/transform/substitute.h"

#include <algorithm>
#include <set>

namespace tileproof::penguin {
namespace {

const ir::Statement& at(const ir::Block& block, size_t index) { return std::get<ir::Statement>(block[index].node); }

/// Some statements of a program, each by itself, between tensors of the same shapes. Loops around them are parameters.
ir::Program excerpt(const std::vector<ir::Statement>& statements, const Tensors& tensors,
                    const std::vector<ir::Parameter>& parameters, const transform::Environment& environment) {
  ir::Program program;
  program.name = "excerpt";
  program.parameters = parameters;
  std::set<std::string> written, tensor_names, loops;
  for (const ir::Statement& s : statements) {
    written.insert(s.destination);
    for (const std::string& name : transform::names_in(s)) {
      if (std::ranges::find(s.axes, name, &ir::Axis::name) != s.axes.end()) continue;
      if (tensors.find(name) != nullptr)
        tensor_names.insert(name);
      else if (std::ranges::find(parameters, name, &ir::Parameter::name) == parameters.end())
        loops.insert(name);
    }
  }
  for (const std::string& loop : loops) {
    const ir::Interval values = environment.range_of(loop).value_or(ir::Interval{0, 0});
    program.parameters.push_back({loop, values.low, values.high, {}});
  }
  for (const std::string& name : tensor_names) {
    ir::Buffer buffer = *tensors.find(name);
    buffer.role = written.contains(name) ? ir::Role::out : ir::Role::in;
    program.body.push_back({std::move(buffer)});
  }
  for (const ir::Statement& s : statements) program.body.push_back({s});
  return program;
}

class Statistics {
 public:
  Statistics(const CutRules& rules, const ir::Program& program, const pipeline::Context& context, const ComputeCutParams& params)
      : rules_(rules),
        context_(context),
        machine_(*context.machine),
        params_(params),
        parameters_(program.parameters),
        extents_(program),
        environment_(program),
        names_(program),
        remarks_(program, context),
        mentions_(mentions(program)),
        tensors_(tensors_by_statement(program)) {}

  ir::Block block(const ir::Block& before) {
    for (const ir::Item& item : before) environment_.enter(item);
    std::map<size_t, ir::Item> nests;   // by the place that they take
    std::set<size_t> taken;
    for (size_t i = 0; i < before.size(); ++i) {
      const auto found = mean_variance_at(before, i);
      if (!found || std::ranges::any_of(found->statements(), [&](size_t each) { return taken.contains(each); })) continue;
      auto nest = nest_of(*found, before);
      if (!nest) continue;
      nests.emplace(found->sum, std::move(*nest));
      for (const size_t each : found->statements()) taken.insert(each);
      for (const size_t each : {found->sum, found->squares}) unused_.insert(at(before, each).destination);
    }
    ir::Block result;
    for (size_t i = 0; i < before.size(); ++i) {
      if (const auto nest = nests.find(i); nest != nests.end())
        result.push_back(std::move(nest->second));
      else if (!taken.contains(i))
        result.push_back(inside(before[i]));
    }
    return result;
  }

  /// Sums that no statement adds up any more.
  const std::set<std::string>& unused() const { return unused_; }

 private:
  const CutRules& rules_;
  const pipeline::Context& context_;
  const machine::Machine& machine_;
  const ComputeCutParams& params_;
  const std::vector<ir::Parameter>& parameters_;
  Extents extents_;
  transform::Environment environment_;
  transform::FreshNames names_;
  Remarks remarks_;
  Mentions mentions_;
  std::unordered_map<const ir::Statement*, Tensors> tensors_;
  std::set<std::string> unused_;

  ir::Item inside(const ir::Item& before) {
    return with_open_bodies(before, [this](const ir::Block& body) { return block(body); });
  }

  std::optional<ir::Item> nest_of(const MeanVariance& found, const ir::Block& block) {
    const ir::Statement& sum = at(block, found.sum);
    const Tensors& tensors = tensors_.at(&sum);
    for (const size_t each : found.statements())   // of the others the annotation says why they are left alone
      if (!operation_of(at(block, each), tensors, machine_)) return std::nullopt;
    const auto kept_apart = [&](std::string_view id, std::string text) -> std::optional<ir::Item> {
      remarks_.add(at(block, found.squares), id, std::move(text));
      return std::nullopt;
    };
    const std::optional<int64_t> most = machine_.constant("stats_free");
    if (!most || machine_.alternatives("bn_stats").empty() || machine_.alternatives("bn_aggr").empty())
      return kept_apart("no-statistics", fmt::format("{} has no bn_stats and bn_aggr", machine_.name));
    if (const auto reason = no_statistics(found, block, tensors, mentions_, environment_))
      return kept_apart(name(*reason), std::string(meaning(*reason)));
    std::vector<CutStatement> questions;
    const auto cut = cut_sum(sum, tensors, *most, questions);
    if (!cut) return kept_apart("no-statistics", cut.error());
    const int64_t rounding = tiles_of_statistics * (sbuf_alignment() + 1);
    if (const auto bytes = partition_bytes(machine_); bytes && room_of(*cut, found, block, tensors) + rounding > *bytes)
      return kept_apart("no-room", fmt::format("statistics of {} tiles do not fit into a partition of sbuf", cut->tiles()));
    const int64_t apart = trips_apart(found, block, tensors);
    const std::string costs = fmt::format("{} trips, of the four statements {}", cut->trips(), apart);
    if (cut->trips() > apart && !context_.options.boolean("always")) return kept_apart("dearer", costs);
    for (const CutStatement& question : questions) remarks_.oblige(sum, question);
    for (const size_t each : found.statements())
      remarks_.add(at(block, each), "statistics", fmt::format("{} tiles of {} elements: {}", cut->tiles(), cut->width(), costs));
    return statistics_nest(*cut, found, block, tensors, names_);
  }

  int64_t sbuf_alignment() const {
    const machine::Space* sbuf = machine_.space("sbuf");
    return sbuf == nullptr ? 0 : sbuf->alignment + sbuf->row - 1;
  }

  /// A pipeline of the passes that would tile the statements otherwise.
  std::expected<pipeline::Stage, pipeline::Failure> tiled(const ir::Program& program, std::string_view steps) const {
    const pipeline::Registry passes{
        {par_axes_annotation(), ag_ordering(), p_compute_cutting(rules_), bf_compute_cutting(rules_), loop_splitting(rules_)},
        {}};
    return pipeline::run_pipeline(program, *pipeline::parse_pipeline(steps, passes), &machine_);
  }

  /// The sum with its kept axes cut to the partitions and its reduced ones to `most` elements, and what that states.
  std::expected<CutSum, std::string> cut_sum(const ir::Statement& sum, const Tensors& tensors, int64_t most,
                                             std::vector<CutStatement>& questions) {
    ir::Statement free = sum;   // reduced axes are, so that the rule does not lay them on the partitions
    for (ir::Axis& axis : free.axes)
      if (axis.kind == ir::AxisKind::reduce) set_class(axis, AxisClass::free);
    const auto annotated = tiled(excerpt({free}, tensors, parameters_, environment_), "par-axes-annotation");
    if (!annotated) return std::unexpected("it has no layout");
    CutSum result{sum, sum};
    ir::Statement& s = result.cut;
    for (ir::Axis& axis : s.axes) {
      const ir::Statement& layout = *whole_tensor_statements(annotated->program)[0];
      const auto same = std::ranges::find(layout.axes, axis.name, &ir::Axis::name);
      const bool is_lane = class_of(*same) == AxisClass::partition;
      set_class(axis, axis.kind == ir::AxisKind::reduce ? AxisClass::free : is_lane ? AxisClass::partition : AxisClass::block);
    }
    const CutOptions lanes{.uniform = params_.uniform_tile, .multiple = params_.partition_multiple},
        elements{.uniform = params_.uniform_tile, .multiple = 1};
    const auto carry_out = [&](bool reduced, PartClasses classes, int64_t budget, CutOptions options,
                               const auto& rule) -> std::expected<void, std::string> {
      const std::vector<size_t> positions = axes_of(s, classes.tile, reduced);
      if (positions.empty()) return {};
      const PriorityOrder<CutAxis> axes = priority_list(s, positions, extents_);
      const auto cut = rule(extents_of(axes));
      if (!cut) return std::unexpected(std::string(text(cut.error())));
      const auto axis_cut = rules_.axes(axes, *cut);
      if (!axis_cut) return std::unexpected(std::string(text(axis_cut.error())));
      if (const auto done = apply_cut(s, *axis_cut, classes, names_); !done) return std::unexpected(done.error().text);
      questions.push_back({extents_of(axes), budget, options, *cut});
      return {};
    };
    auto done = carry_out(false, {AxisClass::partition, AxisClass::block, true}, params_.par_axes_cut_size, lanes,
                          [&](std::span<const int64_t> extents) { return rules_.partition(extents, params_); });
    if (done)
      done = carry_out(true, {AxisClass::free, AxisClass::block, false}, most, elements,
                       [&](std::span<const int64_t> extents) { return rules_.reduction(extents, most, elements); });
    if (!done) return std::unexpected(done.error());
    return result;
  }

  /// Trips of the four statements, if each is tiled by itself. A statement that is not counts as dear as can be.
  int64_t trips_apart(const MeanVariance& found, const ir::Block& block, const Tensors& tensors) const {
    std::vector<ir::Statement> statements;
    for (const size_t each : found.statements()) statements.push_back(at(block, each));
    const auto stage = tiled(excerpt(statements, tensors, parameters_, environment_),
                             "par-axes-annotation,ag-ordering,p-compute-cutting,bf-compute-cutting,loop-splitting");
    constexpr int64_t dearest = std::numeric_limits<int64_t>::max();
    if (!stage ||
        std::ranges::find(stage->remarks, pipeline::RemarkKind::declined, &pipeline::Remark::kind) != stage->remarks.end())
      return dearest;
    int64_t all = 0;
    for (const ir::Statement* s : whole_tensor_statements(std::as_const(stage->program))) {
      int64_t trips = 1;
      for (const ir::Axis& axis : s->axes)
        if (class_of(axis) == AxisClass::block) trips = ir::multiply_saturating(trips, extents_.largest(axis.extent));
      all = trips > dearest - all ? dearest : all + trips;
    }
    return all;
  }
};

void forget(ir::Block& block, const std::set<std::string>& names) {
  std::erase_if(block, [&](const ir::Item& item) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    return buffer != nullptr && names.contains(buffer->name);
  });
  for (ir::Item& item : block) transform::each_body(item, [&](ir::Block& body) { forget(body, names); });
}

std::expected<ir::Program, ir::Diagnostics> run(const CutRules& rules, ir::Program program, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  auto params = compute_cut_params(**machine);
  if (!params) return std::unexpected(params.error());
  // Most programs have nothing for this pass, and cost no more than this look.
  if (!any_open_item(program.body, [](const ir::Block& block, size_t i) { return mean_variance_at(block, i).has_value(); }))
    return program;
  params->uniform_tile = context.options.boolean("uniform-tile");
  Statistics statistics(rules, program, context, *params);
  ir::Block body = statistics.block(program.body);
  program.body = std::move(body);
  forget(program.body, statistics.unused());
  return program;
}

}  // namespace

pipeline::Pass bn_mean_var(CutRules rules) {
  using enum pipeline::RemarkKind;
  std::vector<pipeline::RemarkDeclaration> words{
      {"statistics", applied, "four statements became one nest of statistics of tiles"},
      {"no-statistics", applied,
       "the machine, or the arithmetic of cuts, has none: mean and variance are tiled as any statements"},
      {"no-room", applied, "a partition of sbuf does not hold the statistics of all tiles"},
      {"dearer", applied, "statistics take more trips than the statements of a mean and a variance"}};
  for (size_t i = 0; i < no_statistics_count; ++i) {
    const auto reason = static_cast<NoStatistics>(i);
    words.push_back({std::string(name(reason)), applied, std::string(meaning(reason))});
  }
  return {"bn-mean-var",
          "turns a mean and a variance into statistics of tiles, which load each element once",
          "nothing; it stands before par-axes-annotation, which takes what this pass leaves alone",
          "a mean and a variance of which statistics are legal and no dearer are a group with the tag `tiled`",
          {{"always", false, {}, {}, {}, "statistics wherever they are legal, whatever they cost"},
           {"uniform-tile", false, {}, {}, {}, "tiles divide the axes that they are cut from, so that none is ragged"}},
          std::move(words),
          [rules = std::move(rules)](ir::Program program, const pipeline::Context& context) {
            return run(rules, std::move(program), context);
          }};
}

}  // namespace tileproof::penguin
