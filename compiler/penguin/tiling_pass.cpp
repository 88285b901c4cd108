#include "compiler/penguin/tiling_pass.h"

#include "compiler/penguin/axis_class.h"

namespace tileproof::penguin {

std::vector<pipeline::RemarkDeclaration> vocabulary(std::vector<pipeline::RemarkDeclaration> words) {
  for (size_t i = 0; i < untileable_count; ++i) {
    const auto reason = static_cast<Untileable>(i);
    words.push_back({std::string(name(reason)), pipeline::RemarkKind::declined, std::string(meaning(reason))});
  }
  return words;
}

std::expected<const machine::Machine*, ir::Diagnostics> machine_of(const pipeline::Context& context) {
  if (context.machine != nullptr) return context.machine;
  return std::unexpected(
      ir::Diagnostics{{"", {}, "the tiler needs a machine, whose budgets it fits", "name one with --machine"}});
}

std::unordered_map<const ir::Statement*, Tensors> tensors_by_statement(const ir::Program& program) {
  const std::vector<const ir::Statement*> statements = whole_tensor_statements(program);
  const std::vector<Tensors> tensors = tensors_of(program);
  std::unordered_map<const ir::Statement*, Tensors> all;
  for (size_t i = 0; i < statements.size(); ++i) all.emplace(statements[i], tensors[i]);
  return all;
}

std::expected<CuttingRun, ir::Diagnostics> cutting_run(const CutRules& rules, ir::Program program,
                                                       const pipeline::Context& context) {
  const auto machine = machine_of(context);
  if (!machine) return std::unexpected(machine.error());
  const auto params = compute_cut_params(**machine);
  if (!params) return std::unexpected(params.error());
  CuttingRun run{rules,
                 **machine,
                 *params,
                 Extents(program),
                 tensors_of(program),
                 Remarks(program, context),
                 whole_tensor_statements(program),
                 std::move(program),   // the items stay where they are
                 {}};
  run.params.uniform_tile = run.params.uniform_tile_moving_free = context.options.boolean("uniform-tile");
  return run;
}

void CuttingRun::leave_uncut(size_t index, std::string why) {
  remarks.add(*statements[index], "no-cut", std::move(why));
  set_tag(statements[index]->tags, "uncut");
}

}  // namespace tileproof::penguin
