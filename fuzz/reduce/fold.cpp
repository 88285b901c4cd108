#include "fuzz/reduce/fold.h"

#include <algorithm>
#include <optional>

namespace tileproof::fuzz {
namespace {

using ir::Op;

std::optional<int64_t> integer_of(const ir::Expression& e) {
  if (e.op == Op::literal) return ir::to_integer(e.value);
  if (e.op == Op::negate) {
    const std::optional<int64_t> a = integer_of(e.operands[0]);
    if (a && *a != INT64_MIN) return -*a;
  }
  return std::nullopt;
}

std::optional<int64_t> computed(Op op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case Op::add: return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Op::subtract: return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Op::multiply: return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Op::floordiv: return a >= 0 && b > 0 ? std::optional(a / b) : std::nullopt;
    case Op::mod: return a >= 0 && b > 0 ? std::optional(a % b) : std::nullopt;
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    default: return std::nullopt;
  }
}

bool reads(const ir::Expression& e) { return e.op == Op::read || std::ranges::any_of(e.operands, reads); }

}  // namespace

void fold(ir::Expression& e) {
  for (ir::Expression& operand : e.operands) fold(operand);
  if (e.operands.size() != 2 || e.op == Op::read) return;
  const std::optional<int64_t> a = integer_of(e.operands[0]), b = integer_of(e.operands[1]);
  if (a && b) {
    if (const std::optional<int64_t> value = computed(e.op, *a, *b)) e = ir::integer(*value);
    return;
  }
  const auto keep = [&](size_t operand) {
    ir::Expression kept = std::move(e.operands[operand]);
    e = std::move(kept);
  };
  switch (e.op) {
    case Op::add:
      if (a == 0) return keep(1);
      if (b == 0) return keep(0);
      return;
    case Op::subtract:
      if (b == 0) return keep(0);
      return;
    case Op::multiply:
      if (a == 1) return keep(1);
      if (b == 1) return keep(0);
      if ((a == 0 || b == 0) && !reads(e)) e = ir::integer(0);
      return;
    case Op::floordiv:
      if (b == 1) return keep(0);
      return;
    case Op::mod:
      if (b == 1 && !reads(e)) e = ir::integer(0);
      return;
    default: return;
  }
}

bool always_holds(const ir::Expression& condition) {
  if (!ir::is_comparison(condition.op)) return false;
  const std::optional<int64_t> a = integer_of(condition.operands[0]), b = integer_of(condition.operands[1]);
  if (!a || !b) return false;
  switch (condition.op) {
    case Op::less: return *a < *b;
    case Op::less_equal: return *a <= *b;
    case Op::greater: return *a > *b;
    case Op::greater_equal: return *a >= *b;
    case Op::equal: return *a == *b;
    default: return *a != *b;
  }
}

void substitute(ir::Expression& e, const std::string& name, const ir::Expression& value) {
  if (e.op == Op::variable && e.name == name) {
    e = value;
    return;
  }
  for (ir::Expression& operand : e.operands) substitute(operand, name, value);
}

}  // namespace tileproof::fuzz
