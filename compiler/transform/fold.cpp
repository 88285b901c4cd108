#include "compiler/transform/fold.h"

#include "compiler/ir/floor_divide.h"
#include "compiler/transform/terms.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tileproof::transform {
namespace {

using ir::Op;

/// sum += factor * part; false: it does not fit.
bool add(Linear& sum, Linear part, int64_t factor) {
  for (Linear::Term& term : part.terms) {
    int64_t by = 0;
    if (__builtin_mul_overflow(term.factor, factor, &by)) return false;
    const auto same = std::ranges::find(sum.terms, term.atom, &Linear::Term::atom);
    if (same == sum.terms.end()) {
      sum.terms.push_back({std::move(term.atom), by});
    } else if (__builtin_add_overflow(same->factor, by, &same->factor)) {
      return false;
    }
  }
  int64_t by = 0;
  if (__builtin_mul_overflow(part.constant, factor, &by) || __builtin_add_overflow(sum.constant, by, &sum.constant)) return false;
  std::erase_if(sum.terms, [](const Linear::Term& term) { return term.factor == 0; });
  return true;
}

/// An operation other than a sum, of folded operands.
ir::Expression folded_operation(ir::Expression e) {
  for (ir::Expression& operand : e.operands) operand = fold(std::move(operand));
  if (e.operands.size() != 2) return e;
  const std::optional<int64_t> a = constant(e.operands[0]), b = constant(e.operands[1]);
  if (e.op == Op::floordiv && b == 1) return std::move(e.operands[0]);
  if (e.op == Op::mod && b == 1) return number(0);
  if (!a || !b) return e;
  switch (e.op) {
    case Op::floordiv: return *b > 0 ? number(ir::floor_divide(*a, *b)) : e;
    case Op::mod: return *b > 0 ? number(*a % *b) : e;   // literals are not negative
    case Op::min: return number(std::min(*a, *b));
    case Op::max: return number(std::max(*a, *b));
    default: return e;
  }
}

bool is_sum(Op op) { return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::negate; }

}  // namespace

int64_t Linear::factor_of(std::string_view name) const {
  for (const Term& term : terms)
    if (term.atom.op == Op::variable && term.atom.name == name) return term.factor;
  return 0;
}

std::optional<Linear> linear(const ir::Expression& e) {
  Linear sum;
  if (e.op == Op::literal) {
    const std::optional<int64_t> value = ir::to_integer(e.value);
    if (!value) return std::nullopt;
    sum.constant = *value;
    return sum;
  }
  if (!is_sum(e.op)) {
    ir::Expression atom = folded_operation(e);
    if (atom.op == Op::literal || is_sum(atom.op)) return linear(atom);
    sum.terms.push_back({std::move(atom), 1});
    return sum;
  }
  std::vector<Linear> parts;
  parts.reserve(e.operands.size());
  for (const ir::Expression& operand : e.operands) {
    std::optional<Linear> part = linear(operand);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  if (e.op == Op::multiply) {
    if (!parts[0].terms.empty() && !parts[1].terms.empty()) {
      sum.terms.push_back({folded_operation(e), 1});
      return sum;
    }
    const size_t varying = parts[0].terms.empty() ? 1 : 0;
    if (!add(sum, std::move(parts[varying]), parts[1 - varying].constant)) return std::nullopt;
    return sum;
  }
  const int64_t signs[] = {e.op == Op::negate ? -1 : 1, e.op == Op::subtract ? -1 : 1};
  for (size_t i = 0; i < parts.size(); ++i)
    if (!add(sum, std::move(parts[i]), signs[i])) return std::nullopt;
  return sum;
}

ir::Expression expression(Linear sum) {
  const auto is_negative = [](const Linear::Term& term) { return term.factor < 0; };
  const auto multiple = [](Linear::Term& term) { return times(std::abs(term.factor), std::move(term.atom)); };
  auto first = std::ranges::find_if_not(sum.terms, is_negative);
  int64_t rest = sum.constant;
  ir::Expression result;
  if (first != sum.terms.end()) {
    result = multiple(*first);
  } else if (rest > 0 || sum.terms.empty()) {
    result = number(std::exchange(rest, 0));
  } else {
    first = sum.terms.begin();
    result = ir::make(Op::negate, {multiple(*first)});
  }
  for (auto term = sum.terms.begin(); term != sum.terms.end(); ++term) {
    if (term != first) result = binary(is_negative(*term) ? Op::subtract : Op::add, std::move(result), multiple(*term));
  }
  return plus(std::move(result), rest);
}

ir::Expression fold(ir::Expression e) {
  if (!is_sum(e.op)) return folded_operation(std::move(e));
  std::optional<Linear> sum = linear(e);
  constexpr int64_t least = std::numeric_limits<int64_t>::min();   // no literal, and no factor with a sign of its own
  if (!sum || sum->constant == least || std::ranges::find(sum->terms, least, &Linear::Term::factor) != sum->terms.end()) return e;
  return expression(*std::move(sum));
}

}  // namespace tileproof::transform
