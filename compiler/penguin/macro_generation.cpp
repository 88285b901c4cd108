#include "compiler/penguin/macro_generation.h"

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/local_layout.h"
#include "compiler/penguin/macro.h"
#include "compiler/penguin/tensor_uses.h"
#include "compiler/penguin/tiling_pass.h"
#include "compiler/penguin/upper_bound.h"
#include "compiler/transform/substitute.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tileproof::penguin {
namespace {

using transform::Environment;
using transform::FreshNames;

/// The tensors that have a layout, and the names of them: those whose accesses all want it.
std::map<std::string, LocalLayout> local_tensors(const ir::Program& program, const machine::Machine& machine) {
  std::map<std::string, LocalLayout> locals;
  if (machine.space("sbuf") == nullptr || !has_local_tag(program)) return locals;
  for (const TensorUse& use : tensor_uses(program, machine)) {
    const std::optional<LocalLayout> layout = local_layout(*use.tensor);
    const auto wants_it = [&](const TensorAccess& access) { return access.layout == layout; };
    if (layout && !use.obstacle && std::ranges::all_of(use.accesses, wants_it)) locals[use.tensor->name] = *layout;
  }
  return locals;
}

class Generation {
 public:
  Generation(const ir::Program& program, const pipeline::Context& context, const std::set<std::string>& locals)
      : machine_(*context.machine),
        locals_(locals),
        tensors_(tensors_of(program)),
        environment_(program),
        names_(program),
        remarks_(program, context),
        macro_(machine_, environment_, names_, locals) {}

  /// `program`: the same.
  void run(ir::Program& program) {
    expand_statements(program.body, environment_, [this](const ir::Statement& s, ir::Block& result) {
      const bool became_one = became_a_nest(s, result);
      if (!became_one && !locals_.empty())
        for (const std::string& name : transform::names_in(s))
          if (locals_.contains(name)) spoiled_.emplace(name, next_ - 1);
      return became_one;
    });
  }

  /// The tensors on chip that a statement uses that stays whole, and the number of the first such statement.
  const std::map<std::string, size_t>& spoiled() const { return spoiled_; }

 private:
  const machine::Machine& machine_;
  const std::set<std::string>& locals_;
  std::map<std::string, size_t> spoiled_;
  std::vector<Tensors> tensors_;  ///< of the statements in textual order
  size_t next_ = 0;  ///< of them
  Environment environment_;
  FreshNames names_;
  Remarks remarks_;
  Macro macro_;

  /// Whether a condition may let out the first lanes of a tile: it bounds a partition axis from below, and no reduced axis inside of
  /// the tile brings them back.
  static bool masks_first_lanes(const ir::Statement& s, const Parts& parts) {
    const Names turned = changes_partitions(s) ? parts.free : Names{};
    Names inside;
    for (const ir::Axis& axis : s.axes)
      if (std::ranges::find(parts.reduced_free, axis.name) != parts.reduced_free.end() && axis.extent != ir::integer(1))
        inside.push_back(axis.name);
    const auto names_one_of = [](const ir::Expression& e, const Names& axes) {
      return std::ranges::any_of(axes, [&](const std::string& axis) { return names_axis(e, axis); });
    };
    const auto is_axis = [&](const std::string& axis_name) {
      return std::ranges::find(s.axes, axis_name, &ir::Axis::name) != s.axes.end();
    };
    const auto is_harmless = [&](const ir::Expression& condition) {
      if (names_one_of(condition, inside)) return true;
      for (const Names* lanes : {&parts.partition, &parts.reduced_partition, &turned}) {
        if (lanes->empty() || !names_one_of(condition, *lanes)) continue;
        const Names inner(lanes->begin() + 1, lanes->end());
        if (names_one_of(condition, inner) || !is_upper_bound(condition, [](const std::string&) { return true; }, is_axis))
          return false;
      }
      return true;
    };
    return !std::ranges::all_of(s.where, is_harmless);
  }

  bool has_opcode(const std::string& opcode) const {
    return std::ranges::find(machine_.opcodes, opcode, &machine::Opcode::name) != machine_.opcodes.end();
  }

  /// What the nest needs and the machine does not have: "opcode `store`"; empty: nothing.
  std::string lacking(const ir::Block& nest) const {
    for (const ir::Item& item : nest) {
      if (const auto* buffer = std::get_if<ir::Buffer>(&item.node); buffer != nullptr && machine_.space(buffer->space) == nullptr)
        return fmt::format("space `{}`", buffer->space);
      if (const auto* s = std::get_if<ir::Statement>(&item.node); s != nullptr && !has_opcode(s->opcode))
        return fmt::format("opcode `{}`", s->opcode);
      const auto* loop = std::get_if<ir::Loop>(&item.node);
      if (std::string found = loop == nullptr ? "" : lacking(loop->body); !found.empty()) return found;
    }
    return "";
  }

  bool became_a_nest(const ir::Statement& s, ir::Block& result) {
    const Tensors& tensors = tensors_[next_++];
    const auto operation = operation_of(s, tensors, machine_);
    if (!operation) {
      remarks_.add(s, name(operation.error()), explanation(operation.error(), s, tensors, machine_));
      return false;
    }
    const auto declined = [&](std::string_view id, std::string text) {
      remarks_.add(s, id, std::move(text));
      return false;
    };
    if (!is_classified(s)) return declined("not-annotated", "an axis has no class; par-axes-annotation gives it one");
    if (find_tag(s.tags, "uncut") != nullptr) return declined("no-cut", "a cutting pass has left it whole");
    const Parts parts = parts_of(s);
    const bool reduces_lanes = operation->kind == OperationKind::reduction && !parts.reduced_partition.empty();
    if (reduces_lanes && partition_sum_of(s).empty())
      return declined("partition-reduction", "a reduced axis lies on the partitions, along which no engine reduces");
    if (masks_first_lanes(s, parts))
      return declined("masked-partitions",
                      "a condition on the partitions lets the first of them out, and no engine starts at any lane");
    auto nest =
        changes_partitions(s) ? macro_.of_transposition(s, *operation, tensors) : macro_.of(s, parts, *operation, tensors);
    if (!nest) return declined("refused", std::string(transform::name(nest.error().id)) + ": " + nest.error().text);
    if (const std::string what = lacking(*nest); !what.empty())
      return declined("lacking", fmt::format("the machine {} has no {}, so the statement stays as it is", machine_.name, what));
    result = *std::move(nest);
    remarks_.add(s, "generated", std::string(changes_partitions(s) ? "transposition" : spelling(operation->kind)));
    return true;
  }
};

std::expected<ir::Program, ir::Diagnostics> run(ir::Program original, const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  std::map<std::string, LocalLayout> layouts = local_tensors(original, **machine);
  size_t said = context.remarks.size();
  while (true) {
    std::set<std::string> locals;
    for (const auto& [name, layout] : layouts) locals.insert(name);
    ir::Program program = locals.empty() ? std::move(original) : original;
    Generation generation(program, context, locals);
    generation.run(program);
    if (generation.spoiled().empty()) {
      lay_out(program.body, layouts);
      program.machine = (*machine)->name;
      return program;
    }
    // A statement that stays whole reaches DRAM only: once more, without what it uses on chip.
    context.remarks.resize(said);
    const Remarks remarks(original, context);
    const std::vector<const ir::Statement*> statements = whole_tensor_statements(std::as_const(original));
    for (const auto& [name, number] : generation.spoiled()) {
      layouts.erase(name);
      remarks.add(*statements[number], "demoted", fmt::format("{}: the statement stays whole", name));
    }
    said = context.remarks.size();
  }
}

}  // namespace

pipeline::Pass macro_generation() {
  using enum pipeline::RemarkKind;
  return {
      "macro-generation",
      "writes the loops around each tile, its loads and its stores",
      "every axis has a class, and the tiles are cut",
      "every statement that was not declined computes on tiles in on-chip memories",
      {},
      vocabulary({{"generated", applied, "the statement became a nest around tiles"},
                  {"demoted", applied, "a tensor that was to stay on chip goes through DRAM, since the statement stays whole"},
                  {"not-annotated", declined, "an axis has no class"},
                  {"no-cut", declined, "the arithmetic, or the primitive, has no such cut"},
                  {"partition-reduction", declined, "a reduced axis lies on the partitions, along which no engine reduces"},
                  {"masked-partitions", declined, "a condition lets the first partitions of a tile out"},
                  {"lacking", declined, "the machine has no such opcode or memory space as the nest needs"},
                  {"refused", declined, "a primitive refused: the statement stays whole"}}),
      run};
}

}  // namespace tileproof::penguin
