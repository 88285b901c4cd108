#include "compiler/machine/match.h"

#include <algorithm>

namespace tileproof::machine {
namespace {

using ir::Dtype;
using ir::Expression;
using ir::Op;

/// Bounds the orders tried of a formula with many commutative operators.
constexpr size_t most_matches = 64;

bool commutes(Op op) {
  switch (op) {
    case Op::add:
    case Op::multiply:
    case Op::min:
    case Op::max:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor: return true;
    default: return false;
  }
}

class Matcher {
 public:
  Matcher(const Operation& operation, const Formula& formula, bool casts)
      : operation_(operation), formula_(formula), casts_(casts) {}

  std::vector<Match> match() const {
    Match start;
    start.access_of_shape.resize(formula_.shapes.size());
    start.access_of_shape[0] = 0;
    const ir::Statement& statement = operation_.statement();
    const Expression* value = &statement.value;
    const bool assigns = statement.update == ir::Update::assign;
    const Dtype destination = operation_.access(0).buffer->dtype;
    if (assigns && formula_.value.kind != Pattern::Kind::operation && value->op == Op::cast && value->dtype == destination)
      value = &value->operands[0];
    return extend(formula_.value, *value, std::move(start));
  }

 private:
  static std::vector<Match> only(Match match) {
    std::vector<Match> matches;
    matches.push_back(std::move(match));
    return matches;
  }

  std::optional<size_t> access_of(const Expression& read) const {
    const auto& accesses = operation_.text->accesses;
    const auto found = std::ranges::find(accesses, &read, &Access::expression);
    return found == accesses.end() ? std::nullopt : std::optional(static_cast<size_t>(found - accesses.begin()));
  }

  const Expression& without_casts(const Expression& e) const {
    if (e.op != Op::cast) return e;
    const Expression& inner = without_casts(e.operands[0]);
    if (casts_) return inner;
    if (inner.op != Op::read) return e;
    const auto access = access_of(inner);
    return access && ir::holds_every_value(e.dtype, operation_.access(*access).buffer->dtype) ? inner : e;
  }

  std::vector<Match> extend(const Pattern& pattern, const Expression& expression, Match match) const {
    switch (pattern.kind) {
      case Pattern::Kind::role: return role(pattern, without_casts(expression), std::move(match));
      case Pattern::Kind::any: return any(pattern, expression, match) ? only(std::move(match)) : std::vector<Match>{};
      case Pattern::Kind::scalar: return is_scalar(expression) ? only(std::move(match)) : std::vector<Match>{};
      case Pattern::Kind::literal:
        return expression.op == Op::literal && expression.value == pattern.value ? only(std::move(match)) : std::vector<Match>{};
      case Pattern::Kind::operation: break;
    }
    const Expression& e = pattern.op == Op::cast ? expression : without_casts(expression);
    if (e.op != pattern.op || e.operands.size() != pattern.operands.size()) return {};
    std::vector<Match> swapped;
    if (commutes(pattern.op) && e.operands.size() == 2) swapped = operands(pattern, e, match, true);
    std::vector<Match> matches = operands(pattern, e, std::move(match), false);
    std::ranges::move(swapped, std::back_inserter(matches));
    if (matches.size() > most_matches) matches.resize(most_matches);
    return matches;
  }

  std::vector<Match> operands(const Pattern& pattern, const Expression& e, Match so_far, bool swapped) const {
    std::vector<Match> matches = only(std::move(so_far));
    for (size_t i = 0; i < pattern.operands.size(); ++i) {
      const Expression& operand = e.operands[swapped ? e.operands.size() - 1 - i : i];
      std::vector<Match> longer;
      for (Match& match : matches)
        std::ranges::move(extend(pattern.operands[i], operand, std::move(match)), std::back_inserter(longer));
      matches = std::move(longer);
    }
    return matches;
  }

  std::vector<Match> role(const Pattern& pattern, const Expression& e, Match match) const {
    if (e.op != Op::read) return {};
    const auto access = access_of(e);
    if (!access) return {};
    const size_t shape = pattern.shapes.front();
    const std::string& name = formula_.shapes[shape].role;
    for (size_t other = 0; other < formula_.shapes.size(); ++other) {
      const auto bound = match.access_of_shape[other];
      if (bound && formula_.shapes[other].role == name && operation_.access(*bound).buffer != operation_.access(*access).buffer)
        return {};
    }
    match.access_of_shape[shape] = access;
    return only(std::move(match));
  }

  bool any(const Pattern& pattern, const Expression& e, Match& match) const {
    if (e.op != Op::read)
      return std::ranges::all_of(e.operands, [&](const Expression& operand) { return any(pattern, operand, match); });
    const auto access = access_of(e);
    if (!access) return false;
    FreeRead read{*access, {}};
    for (const size_t shape : pattern.shapes) {
      // A shape of the destination's role stands for reads of the destination itself, as scans need them.
      const bool of_destination = formula_.shapes[shape].role == formula_.shapes[0].role;
      if (!of_destination || operation_.access(*access).buffer == operation_.access(0).buffer) read.shapes.push_back(shape);
    }
    if (read.shapes.empty()) return false;
    match.free_reads.push_back(std::move(read));
    return true;
  }

  bool is_scalar(const Expression& e) const {
    if (e.op == Op::read) return false;
    if (e.op == Op::variable) {
      const auto& axes = operation_.statement().axes;
      const auto axis = std::ranges::find(axes, e.name, &ir::Axis::name);
      return axis == axes.end() || !operation_.is_wide(static_cast<uint32_t>(axis - axes.begin()));
    }
    return std::ranges::all_of(e.operands, [&](const Expression& operand) { return is_scalar(operand); });
  }

  const Operation& operation_;
  const Formula& formula_;
  bool casts_;
};

}  // namespace

std::vector<Match> match_value(const Operation& operation, const Formula& formula, bool casts) {
  if (std::ranges::find(formula.updates, operation.statement().update) == formula.updates.end()) return {};
  return Matcher(operation, formula, casts).match();
}

}  // namespace tileproof::machine
