#include "fuzz/plant/bug.h"

#include "compiler/penguin/penguin.h"

namespace tileproof::plant {

penguin::CutRules rules_of(const PlantedBug& bug) {
  const auto* rules = std::get_if<penguin::CutRules>(&bug.wrong);
  return rules != nullptr ? *rules : penguin::CutRules{};
}

pipeline::Registry registry_with(const PlantedBug& bug, penguin::CutRules rules) {
  pipeline::Registry registry{penguin::passes(std::move(rules)), {penguin::penguin_pipeline()}};
  if (const auto* wrong = std::get_if<pipeline::Pass>(&bug.wrong))
    for (pipeline::Pass& pass : registry.passes)
      if (pass.name == wrong->name) pass = *wrong;
  const auto* wrong = std::get_if<WrongPass>(&bug.wrong);
  if (wrong == nullptr) return registry;
  for (pipeline::Pass& pass : registry.passes) {
    if (pass.name != wrong->pass) continue;
    pass.run = [right = pass.run, edit = wrong->edit](ir::Program program, const pipeline::Context& context) {
      auto result = right(std::move(program), context);
      if (result && context.machine != nullptr) edit(*result, *context.machine);
      return result;
    };
  }
  return registry;
}

pipeline::Registry registry_with(const PlantedBug& bug) { return registry_with(bug, rules_of(bug)); }

}  // namespace tileproof::plant
