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

#include <algorithm>
#include <iterator>
#include <optional>
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
  std::vector<ir::Statement*> statements;   ///< of whole tensors, in `program`
  ir::Program program;

  /// Remarks that the statement has no cut, and tags it, so that no nest is made of it.
  void leave_uncut(size_t index, std::string why);
};

/// Errors: no machine, or one without the constants that cuts need. `rules` and `context` must outlive the run.
std::expected<CuttingRun, ir::Diagnostics> cutting_run(const CutRules& rules, ir::Program program,
                                                       const pipeline::Context& context);

/// Puts what `expand(statement, result)` appends to `result` in place of each statement that whole_tensor_statements lists, in that order;
/// where it returns false, the statement stays. `environment` enters the items of each block. The program is as it was while `expand` is
/// called.
template <class Expand>
void expand_statements(ir::Program& program, transform::Environment& environment, const Expand& expand) {
  std::vector<std::optional<ir::Block>> results;
  const auto ask = [&](const auto& self, const ir::Block& block) -> void {
    for (const ir::Item& item : block) {
      environment.enter(item);
      each_open_body(item, [&](const ir::Block& body) { self(self, body); });
      if (const auto* statement = std::get_if<ir::Statement>(&item.node))
        if (!expand(*statement, results.emplace_back().emplace())) results.back().reset();
    }
  };
  ask(ask, program.body);
  auto next = results.begin();
  const auto replace = [&](const auto& self, ir::Block& block) -> void {
    ir::Block replaced;
    for (ir::Item& item : block) {
      each_open_body(item, [&](ir::Block& body) { self(self, body); });
      std::optional<ir::Block>* result = std::holds_alternative<ir::Statement>(item.node) ? &*next++ : nullptr;
      if (result != nullptr && *result)
        std::ranges::move(**result, std::back_inserter(replaced));
      else
        replaced.push_back(std::move(item));
    }
    block = std::move(replaced);
  };
  replace(replace, program.body);
}

/// The vocabulary of declining, with `words` in front.
std::vector<pipeline::RemarkDeclaration> vocabulary(std::vector<pipeline::RemarkDeclaration> words);

/// The machine, or what to say where there is none: these passes read every budget from it.
std::expected<const machine::Machine*, ir::Diagnostics> machine_of(const pipeline::Context& context);

}  // namespace tileproof::penguin
