#include "oracle/prove/term.h"

#include "compiler/ir/floor_divide.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tileproof::prove {
namespace {

/// Each shared node is computed once.
class Evaluator {
 public:
  explicit Evaluator(const Sizes& sizes) : sizes_(sizes) {}

  std::optional<int64_t> value(const Node& node) {
    if (const auto known = known_.find(&node); known != known_.end()) return known->second;
    const std::optional<int64_t> result = compute(node);
    known_.emplace(&node, result);
    return result;
  }

 private:
  std::optional<int64_t> compute(const Node& node) {
    switch (node.kind) {
      case Kind::integer:
      case Kind::truth: return node.value;
      case Kind::variable: {
        const auto found = sizes_.find(node.name);
        return found == sizes_.end() ? std::nullopt : std::optional(found->second);
      }
      default: break;
    }
    std::vector<int64_t> operands;
    for (const NodePtr& operand : node.operands) {
      const std::optional<int64_t> one = value(*operand);
      // What decides alone needs no other operand.
      if (one && node.kind == Kind::both && *one == 0) return 0;
      if (one && node.kind == Kind::either && *one == 1) return 1;
      if (!one) return std::nullopt;
      operands.push_back(*one);
    }
    return apply(node.kind, operands);
  }

  static std::optional<int64_t> apply(Kind kind, const std::vector<int64_t>& x) {
    int64_t result = 0;
    switch (kind) {
      case Kind::add: return __builtin_add_overflow(x[0], x[1], &result) ? std::nullopt : std::optional(result);
      case Kind::subtract: return __builtin_sub_overflow(x[0], x[1], &result) ? std::nullopt : std::optional(result);
      case Kind::multiply: return __builtin_mul_overflow(x[0], x[1], &result) ? std::nullopt : std::optional(result);
      case Kind::quotient: return x[1] < 1 ? std::nullopt : std::optional(ir::floor_divide(x[0], x[1]));
      case Kind::remainder: return x[1] < 1 ? std::nullopt : std::optional(x[0] - x[1] * ir::floor_divide(x[0], x[1]));
      case Kind::min: return std::min(x[0], x[1]);
      case Kind::max: return std::max(x[0], x[1]);
      case Kind::choose: return x[0] != 0 ? x[1] : x[2];
      case Kind::less: return x[0] < x[1];
      case Kind::less_equal: return x[0] <= x[1];
      case Kind::equal: return x[0] == x[1];
      case Kind::both: return x[0] & x[1];
      case Kind::either: return x[0] | x[1];
      case Kind::negation: return 1 - x[0];
      default: return std::nullopt;
    }
  }

  const Sizes& sizes_;
  std::unordered_map<const Node*, std::optional<int64_t>> known_;
};

class Names {
 public:
  void collect(const Node& node) {
    if (!seen_.insert(&node).second) return;
    if (node.kind == Kind::variable) names_.insert(node.name);
    for (const NodePtr& operand : node.operands) collect(*operand);
  }
  std::vector<std::string> sorted() const { return {names_.begin(), names_.end()}; }

 private:
  std::unordered_set<const Node*> seen_;
  std::set<std::string> names_;
};

int strength(Kind kind) {
  switch (kind) {
    case Kind::either: return 1;
    case Kind::both: return 2;
    case Kind::less:
    case Kind::less_equal:
    case Kind::equal: return 4;
    case Kind::add:
    case Kind::subtract: return 5;
    case Kind::multiply:
    case Kind::quotient:
    case Kind::remainder: return 6;
    default: return 7;
  }
}

std::string_view sign(Kind kind) {
  switch (kind) {
    case Kind::either: return "||";
    case Kind::both: return "&&";
    case Kind::less: return "<";
    case Kind::less_equal: return "<=";
    case Kind::equal: return "==";
    case Kind::add: return "+";
    case Kind::subtract: return "-";
    case Kind::multiply: return "*";
    case Kind::quotient: return "/";
    default: return "%";
  }
}

std::string text(const Node& node, int around) {
  switch (node.kind) {
    case Kind::integer: return fmt::format("{}", node.value);
    case Kind::truth: return node.value != 0 ? "true" : "false";
    case Kind::variable: return node.name;
    case Kind::negation: return "!" + text(*node.operands[0], 7);
    case Kind::min:
    case Kind::max:
      return fmt::format("{}({}, {})", node.kind == Kind::min ? "min" : "max", text(*node.operands[0], 0),
                         text(*node.operands[1], 0));
    case Kind::choose:
      return fmt::format("choose({}, {}, {})", text(*node.operands[0], 0), text(*node.operands[1], 0),
                         text(*node.operands[2], 0));
    default: break;
  }
  const int own = strength(node.kind);
  const bool associates = node.kind == Kind::both || node.kind == Kind::either || node.kind == Kind::add;
  const std::string both =
      fmt::format("{} {} {}", text(*node.operands[0], own), sign(node.kind), text(*node.operands[1], associates ? own : own + 1));
  return own < around ? "(" + both + ")" : both;
}

}  // namespace

std::optional<int64_t> evaluate(const Term& term, const Sizes& sizes) { return Evaluator(sizes).value(*term.node()); }

std::optional<bool> evaluate(const Formula& formula, const Sizes& sizes) {
  const std::optional<int64_t> value = Evaluator(sizes).value(*formula.node());
  return value ? std::optional(*value != 0) : std::nullopt;
}

std::vector<std::string> variables(const Formula& formula) {
  Names names;
  names.collect(*formula.node());
  return names.sorted();
}

std::vector<Formula> conjuncts(const Formula& formula) {
  if (formula.node()->kind != Kind::both) return {formula};
  std::vector<Formula> parts;
  for (const NodePtr& operand : formula.node()->operands) {
    for (Formula& part : conjuncts(Formula(operand))) parts.push_back(std::move(part));
  }
  return parts;
}

std::string to_string(const Formula& formula) { return text(*formula.node(), 0); }
std::string to_string(const Term& term) { return text(*term.node(), 0); }

}  // namespace tileproof::prove
