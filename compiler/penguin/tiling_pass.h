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
    pipeline::Remark& remark = context_.remarks.emplace_back();
    remark.id = id;
    remark.statement = label == labels_.end() ? "-" : label->second;
    remark.text = std::move(text);
    remark.location = statement.location;
  }
  /// All statements of the program.
  size_t statement_count() const { return labels_.size(); }
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
  std::vector<ir::Statement*> statements;   ///< of whole tensors, in `program`
  ir::Program program;
  std::optional<transform::FreshNames> fresh_names;   ///< made when the first is asked for: the passes take no name away

  transform::FreshNames& names() { return fresh_names ? *fresh_names : fresh_names.emplace(program); }

  /// Remarks that the statement has no cut, and tags it, so that no nest is made of it.
  void leave_uncut(size_t index, std::string why);
};

/// Errors: no machine, or one without the constants that cuts need. `rules` and `context` must outlive the run.
std::expected<CuttingRun, ir::Diagnostics> cutting_run(const CutRules& rules, ir::Program program,
                                                       const pipeline::Context& context);

/// Puts what `expand(statement, result)` appends to `result` in place of each statement that whole_tensor_statements lists, in that order;
/// where it returns false, the statement stays. `environment` enters the items of each block. What a statement sees is as it was while
/// `expand` is called on it.
template <class Expand>
void expand_statements(ir::Block& block, transform::Environment& environment, const Expand& expand) {
  std::vector<std::optional<ir::Block>> results(block.size());
  size_t size = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    environment.enter(block[i]);
    each_open_body(block[i], [&](ir::Block& body) { expand_statements(body, environment, expand); });
    if (const auto* statement = std::get_if<ir::Statement>(&block[i].node))
      if (!expand(*statement, results[i].emplace())) results[i].reset();
    size += results[i] ? results[i]->size() : 1;
  }
  ir::Block expanded;
  expanded.reserve(size);
  for (size_t i = 0; i < block.size(); ++i) {
    if (results[i])
      std::ranges::move(*results[i], std::back_inserter(expanded));
    else
      expanded.push_back(std::move(block[i]));
  }
  block = std::move(expanded);
}

/// The item with `f(body)` in place of each body that a tiler looks into, outer ones first.
template <class F>
ir::Item with_open_bodies(const ir::Item& before, const F& f) {
  ir::Item item = before;
  std::vector<ir::Block> bodies;
  each_open_body(before, [&](const ir::Block& body) { bodies.push_back(f(body)); });
  size_t next = 0;
  each_open_body(item, [&](ir::Block& body) { body = std::move(bodies[next++]); });
  return item;
}

/// Whether `holds(block, index)` of some item that a tiler looks at.
template <class Holds>
bool any_open_item(const ir::Block& block, const Holds& holds) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (holds(block, i)) return true;
    bool inside = false;
    each_open_body(block[i], [&](const ir::Block& body) { inside = inside || any_open_item(body, holds); });
    if (inside) return true;
  }
  return false;
}

/// What each of whole_tensor_statements(program) sees.
std::unordered_map<const ir::Statement*, Tensors> tensors_by_statement(const ir::Program& program);

/// The vocabulary of declining, with `words` in front.
std::vector<pipeline::RemarkDeclaration> vocabulary(std::vector<pipeline::RemarkDeclaration> words);

/// The machine, or what to say where there is none: these passes read every budget from it.
std::expected<const machine::Machine*, ir::Diagnostics> machine_of(const pipeline::Context& context);

}  // namespace tileproof::penguin
