#include "fuzz/retile/substitute.h"

#include <algorithm>

namespace tileproof::fuzz {

namespace {

void collect(const ir::Expression& e, std::set<std::string>& names) {
  if (e.op == ir::Op::variable || e.op == ir::Op::read) names.insert(e.name);
  for (const ir::Expression& operand : e.operands) collect(operand, names);
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
  if (statement.start) {
    for (ir::Expression& e : statement.start->conditions) substitute(e, bindings);
  }
}

void each_read(ir::Expression& e, const std::function<void(ir::Expression&)>& replace) {
  for (ir::Expression& operand : e.operands) each_read(operand, replace);
  if (e.op == ir::Op::read) replace(e);
}

std::set<std::string> names_in(const ir::Expression& e) {
  std::set<std::string> names;
  collect(e, names);
  return names;
}

bool mentions(const ir::Expression& e, const std::set<std::string>& names) {
  if ((e.op == ir::Op::variable || e.op == ir::Op::read) && names.contains(e.name)) return true;
  return std::ranges::any_of(e.operands, [&](const ir::Expression& operand) { return mentions(operand, names); });
}

}  // namespace tileproof::fuzz
