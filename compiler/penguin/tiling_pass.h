// What the passes of the tiler have in common: they go from statement to statement of a program, and say what they did.
#pragma once

#include "compiler/penguin/cut_obligation.h"
#include "compiler/penguin/cut_rules.h"
#include "compiler/penguin/extents.h"
#include "compiler/penguin/operation.h"
#include "compiler/pipeline/pass.h"
#include "compiler/transform/environment.h"
#include "compiler/transform/names.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tileproof::penguin {

/// Remarks about the statements of a program, by their labels in it.
class Remarks {
 public:
  Remarks(const ir::Program& program, const pipeline::Context& context) : context_(context) {
    for (auto& [statement, label] : ir::labelled_statements(program)) labels_.emplace(statement, std::move(label));
  }
  void add(const ir::Statement& statement, std::string_view id, std::string text) const {
    const auto label = labels_.find(&statement);
    context_.remarks.push_back(
        {std::string(id), label == labels_.end() ? "-" : label->second, std::move(text), statement.location, {}, {}});
  }
  /// What is to be proved of a cut of the statement.
  void oblige(const ir::Statement& statement, const CutStatement& cut) const {
    context_.obligations.push_back(cut_obligation(labels_.at(&statement), cut));
  }

 private:
  const pipeline::Context& context_;
  std::unordered_map<const ir::Statement*, std::string> labels_;
};

/// A cutting pass on one program: what it decides by, the program that it changes, and where it says what it did.
struct CuttingRun {
  const CutRules& rules;
  const machine::Machine& machine;
  ComputeCutParams params;
  Extents extents;
  std::vector<Tensors> tensors;   ///< what each of the statements sees
  Remarks remarks;
  transform::FreshNames names;
  ir::Program program;
  std::vector<const ir::Statement*> before;   ///< in the program that the pass was given
  std::vector<ir::Statement*> statements;     ///< the same ones in `program`

  /// Remarks that the statement has no cut, and tags it, so that no nest is made of it.
  void leave_uncut(size_t index, std::string why);
};

/// Errors: no machine, or one without the constants that cuts need. `rules`, `original` and `context` must outlive the run.
std::expected<CuttingRun, ir::Diagnostics> cutting_run(const CutRules& rules, const ir::Program& original,
                                                       const pipeline::Context& context);

/// The block with what `expand(statement, result)` appends in place of each statement that whole_tensor_statements lists, in that order; where it
/// returns false, the statement stays. `environment` enters the items of each block.
template <class Expand>
ir::Block expanded(const ir::Block& before, transform::Environment& environment, const Expand& expand) {
  const auto inside = [&](const ir::Block& body) { return expanded(body, environment, expand); };
  ir::Block result;
  for (const ir::Item& item : before) {
    environment.enter(item);
    if (const auto* group = std::get_if<ir::Group>(&item.node); group != nullptr && !group->opcode) {
      result.push_back({ir::Group{group->name, group->opcode, group->tags, inside(group->body), group->location}});
    } else if (const auto* loop = std::get_if<ir::Loop>(&item.node)) {
      result.push_back({ir::Loop{loop->name, loop->tags, loop->range, loop->kind, inside(loop->body), loop->location}});
    } else if (const auto* branch = std::get_if<ir::If>(&item.node)) {
      ir::Block then_body = inside(branch->then_body);  // in textual order
      result.push_back({ir::If{branch->conditions, std::move(then_body), inside(branch->else_body), branch->location}});
    } else {
      const auto* statement = std::get_if<ir::Statement>(&item.node);
      if (statement == nullptr || !expand(*statement, result)) result.push_back(item);
    }
  }
  return result;
}

/// The vocabulary of declining, with `words` in front.
std::vector<pipeline::RemarkDeclaration> vocabulary(std::vector<pipeline::RemarkDeclaration> words);

/// The machine, or what to say where there is none: these passes read every budget from it.
std::expected<const machine::Machine*, ir::Diagnostics> machine_of(const pipeline::Context& context);

}  // namespace tileproof::penguin
