#include "compiler/transform/substitute.h"

#include "compiler/transform/fold.h"

#include <algorithm>

namespace tileproof::transform {

namespace {

void each_name(const ir::Expression& e, const auto& visit) {
  if (e.op == ir::Op::variable || e.op == ir::Op::read) visit(e.name);
  for (const ir::Expression& operand : e.operands) each_name(operand, visit);
}

void each_name(const ir::Statement& statement, const auto& visit) {
  visit(statement.destination);
  for (const ir::Expression& e : statement.indices) each_name(e, visit);
  each_name(statement.value, visit);
  for (const ir::Axis& axis : statement.axes) {
    visit(axis.name);
    each_name(axis.extent, visit);
  }
  for (const ir::Expression& e : statement.where) each_name(e, visit);
  for (const std::optional<ir::Claim>* claim : {&statement.start, &statement.stop}) {
    if (!*claim) continue;
    for (const ir::Expression& e : (*claim)->conditions) each_name(e, visit);
  }
  for (const std::string& clobbered : statement.clobbers) visit(clobbered);
}

}  // namespace

void substitute(ir::Expression& e, const Bindings& bindings) {
  if (e.op == ir::Op::variable) {
    if (const auto bound = bindings.find(e.name); bound != bindings.end()) e = ir::Expression(bound->second);
    return;
  }
  for (ir::Expression& operand : e.operands) substitute(operand, bindings);
}

void substitute(ir::Statement& statement, const Bindings& bindings) {
  for (ir::Expression& e : statement.indices) substitute(e, bindings);
  substitute(statement.value, bindings);
  for (ir::Expression& e : statement.where) substitute(e, bindings);
  for (std::optional<ir::Claim>* claim : {&statement.start, &statement.stop}) {
    if (!*claim) continue;
    for (ir::Expression& e : (*claim)->conditions) substitute(e, bindings);
  }
}

namespace {

void substitute_index(ir::Expression& e, const Bindings& bindings, const std::set<std::string>& bound) {
  if (e.op == ir::Op::variable) return substitute(e, bindings);
  if (!mentions(e, bound)) return;
  substitute(e, bindings);
  e = fold(std::move(e));
}

void substitute_value(ir::Expression& e, const Bindings& bindings, const std::set<std::string>& bound) {
  if (e.op == ir::Op::variable) return substitute(e, bindings);
  for (ir::Expression& operand : e.operands) {
    if (e.op == ir::Op::read)
      substitute_index(operand, bindings, bound);
    else
      substitute_value(operand, bindings, bound);
  }
}

/// What a condition names is what stands in it: with a reduce axis in `i + 0*k < 2` it restricts what is added, and not what is
/// initialised. So a name that would be folded away stays.
void substitute_condition(ir::Expression& e, const Bindings& bindings, const std::set<std::string>& bound) {
  if (!mentions(e, bound)) return;
  substitute(e, bindings);
  ir::Expression folded = fold(e);
  if (names_in(e) == names_in(folded)) e = std::move(folded);
}

}  // namespace

void substitute_and_fold(ir::Statement& statement, const Bindings& bindings) {
  std::set<std::string> bound;
  for (const auto& [name, expression] : bindings) bound.insert(name);
  for (ir::Expression& e : statement.indices) substitute_index(e, bindings, bound);
  substitute_value(statement.value, bindings, bound);
  for (ir::Expression& e : statement.where) substitute_condition(e, bindings, bound);
  for (std::optional<ir::Claim>* claim : {&statement.start, &statement.stop}) {
    if (!*claim) continue;
    for (ir::Expression& e : (*claim)->conditions) substitute_index(e, bindings, bound);
  }
}

void each_read(ir::Expression& e, const std::function<void(ir::Expression&)>& replace) {
  for (ir::Expression& operand : e.operands) each_read(operand, replace);
  if (e.op == ir::Op::read) replace(e);
}

std::set<std::string> names_in(const ir::Statement& statement) {
  std::set<std::string> names;
  each_name(statement, [&](const std::string& name) { names.insert(name); });
  return names;
}

std::set<std::string> names_in(const ir::Expression& e) {
  std::set<std::string> names;
  each_name(e, [&](const std::string& name) { names.insert(name); });
  return names;
}

bool uses_name(const ir::Expression& e, std::string_view name) {
  return ((e.op == ir::Op::variable || e.op == ir::Op::read) && e.name == name) ||
         std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return uses_name(operand, name); });
}

bool uses_name(const ir::Statement& statement, std::string_view name) {
  bool is_used = false;
  each_name(statement, [&](const std::string& used) { is_used = is_used || used == name; });
  return is_used;
}

bool mentions(const ir::Expression& e, const std::set<std::string>& names) {
  if ((e.op == ir::Op::variable || e.op == ir::Op::read) && names.contains(e.name)) return true;
  return std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return mentions(operand, names); });
}

}  // namespace tileproof::transform
