// Shorthands with which programs are written by code.
#pragma once

#include "compiler/ir/program.h"

#include <optional>
#include <utility>

namespace tileproof::transform {

inline std::optional<int64_t> constant(const ir::Expression& e) {
  return e.op == ir::Op::literal ? ir::to_integer(e.value) : std::nullopt;
}
/// Literals have no sign: a negative number is a negation.
inline ir::Expression number(int64_t value) {
  return value < 0 ? ir::make(ir::Op::negate, {ir::integer(-value)}) : ir::integer(value);
}

inline ir::Expression binary(ir::Op op, ir::Expression a, ir::Expression b) {
  std::vector<ir::Expression> operands;
  operands.reserve(2);
  operands.push_back(std::move(a));
  operands.push_back(std::move(b));
  return ir::make(op, std::move(operands));
}
inline ir::Expression plus(ir::Expression a, int64_t b) {
  if (const auto known = constant(a)) return number(*known + b);
  if (b == 0) return a;
  return binary(b > 0 ? ir::Op::add : ir::Op::subtract, std::move(a), ir::integer(b > 0 ? b : -b));
}
inline ir::Expression plus(ir::Expression a, ir::Expression b) {
  if (const auto known = constant(b)) return plus(std::move(a), *known);
  if (constant(a) == 0) return b;
  return binary(ir::Op::add, std::move(a), std::move(b));
}
inline ir::Expression times(int64_t a, ir::Expression b) {
  if (const auto known = constant(b)) return number(a * *known);
  return a == 1 ? b : binary(ir::Op::multiply, ir::integer(a), std::move(b));
}
inline ir::Expression compare(ir::Op op, ir::Expression a, ir::Expression b) { return binary(op, std::move(a), std::move(b)); }
inline ir::Expression select(ir::Expression c, ir::Expression a, ir::Expression b) {
  return ir::make(ir::Op::select, {std::move(c), std::move(a), std::move(b)});
}

}  // namespace tileproof::transform
