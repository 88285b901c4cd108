// For tests of legality: programs are walked, not computed. Loops, declarations and accesses are all that an observer sees.
#pragma once

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/machine/form.h"
#include "oracle/interpret/run.h"
#include "oracle/legality/legality.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

namespace tileproof::oracle {

/// Executes the control flow of a program and tells an observer.
class Walk final : public Environment {
 public:
  Walk(const ir::Program& program, Observer& observer, Parameters parameters)
      : observer_(observer), values_(std::move(parameters)) {
    const auto labelled = ir::labelled_statements(program);
    for (Site site = 0; site < labelled.size(); ++site) sites_[labelled[site].first] = site;
    block(program.body);
  }
  int64_t value(std::string_view name) const override { return values_.find(name)->second; }
  Instance instance(std::string_view buffer) const override { return instances_.find(buffer)->second; }

 private:
  int64_t evaluate(const ir::Expression& e) const {
    return machine::form_of(e, {}, {}, [this](std::string_view name) { return value(name); }).constant;
  }
  void block(const ir::Block& items) {
    std::vector<std::string> declared;
    for (const ir::Item& item : items) std::visit([&](const auto& node) { visit(node, declared); }, item.node);
    for (const std::string& name : declared) {
      observer_.release(instances_.at(name));
      instances_.erase(name);
    }
  }
  void visit(const ir::Buffer& buffer, std::vector<std::string>& declared) {
    std::vector<int64_t> extents;
    for (const ir::Expression& extent : buffer.extents) extents.push_back(evaluate(extent));
    std::optional<std::pair<int64_t, int64_t>> address;
    if (buffer.address) address = {evaluate(buffer.address->partition), evaluate(buffer.address->byte)};
    instances_[buffer.name] = ++last_;
    declared.push_back(buffer.name);
    observer_.declare(last_, buffer, extents, address);
  }
  void visit(const ir::View& view, std::vector<std::string>&) { bases_[view.name] = view.base; }
  void visit(const ir::Statement& statement, std::vector<std::string>&) {
    std::vector<int64_t> extents;
    for (const ir::Axis& axis : statement.axes) extents.push_back(evaluate(axis.extent));
    observer_.execute(statement, sites_.at(&statement), extents, *this);
    touch(statement.value);
    access(statement.destination, true);
  }
  void visit(const ir::Loop& loop, std::vector<std::string>&) {
    const int64_t high = evaluate(loop.range.high);
    for (int64_t i = evaluate(loop.range.low); i < high; ++i) {
      values_[loop.name] = i;
      block(loop.body);
    }
  }
  void visit(const ir::If& branch, std::vector<std::string>&) { block(branch.then_body); }
  void visit(const ir::While& loop, std::vector<std::string>&) { block(loop.body); }
  void visit(const ir::Group& group, std::vector<std::string>&) { block(group.body); }
  void visit(const ir::Move& move, std::vector<std::string>&) {
    for (const std::string& source : move.sources) access(source, false);
    for (const std::string& destination : move.destinations) access(destination, true);
  }
  void visit(const ir::Opaque& opaque, std::vector<std::string>&) {
    for (const auto& argument : opaque.arguments) access(argument.buffer, argument.role != ir::Role::in);
  }
  void touch(const ir::Expression& e) {
    if (e.op == ir::Op::read) access(e.name, false);
    for (const ir::Expression& operand : e.operands) touch(operand);
  }
  void access(std::string name, bool is_write) {
    while (bases_.contains(name)) name = bases_.at(name);
    observer_.access(instances_.at(name), is_write);
  }

  Observer& observer_;
  Parameters values_;
  std::map<const ir::Statement*, Site> sites_;
  std::map<std::string, Instance, std::less<>> instances_;
  std::map<std::string, std::string> bases_;
  Instance last_ = 0;
};

inline std::vector<Finding> findings(const std::string& machine_name, std::string_view body, Parameters parameters = {}) {
  static std::map<std::string, std::expected<machine::Machine, ir::Diagnostics>> machines;
  const auto& machine = machines.contains(machine_name)
                            ? machines.at(machine_name)
                            : machines.emplace(machine_name, machine::find_machine(machine_name)).first->second;
  EXPECT_TRUE(machine) << ir::to_string(machine.error().front());
  auto file = ir::parse(fmt::format("tile 1 program p {{\n{}\nbuffer result : f32[1] dram out\n}}", body), "p.tile");
  EXPECT_TRUE(file) << (file ? "" : ir::to_string(file.error().front()));
  if (!machine || !file) return {};
  const ir::Program& program = file->programs.front();
  for (const ir::Diagnostic& diagnostic : ir::verify(program, "p.tile")) ADD_FAILURE() << ir::to_string(diagnostic);
  Legality legality(program, *machine);
  Walk(program, legality, std::move(parameters));
  return legality.finish();
}

/// "capacity - t": what corpus files expect.
inline std::vector<std::string> names(const std::vector<Finding>& found) {
  std::vector<std::string> result;
  for (const Finding& finding : found)
    result.push_back(fmt::format("{} {} {}", name(finding.id), finding.statement, finding.buffer));
  return result;
}
inline std::vector<std::string> on_toy(std::string_view body) { return names(findings("toy", body)); }
inline std::vector<std::string> on_trn2(std::string_view body) { return names(findings("trn2", body)); }
inline std::string detail(const std::string& machine, std::string_view body) {
  const auto found = findings(machine, body);
  return found.empty() ? "legal" : found.front().detail;
}

}  // namespace tileproof::oracle
