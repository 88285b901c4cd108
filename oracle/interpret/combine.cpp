#include "oracle/interpret/lower.h"

#include <algorithm>
#include <utility>

namespace tileproof::oracle {
namespace {

void depend(IntegerCode& code, const IntegerCode& on) {
  code.slots.insert(code.slots.end(), on.slots.begin(), on.slots.end());
  for (const IntegerCode::Term& term : on.terms) code.slots.push_back(term.slot);
  std::ranges::sort(code.slots);
  const auto duplicates = std::ranges::unique(code.slots);
  code.slots.erase(duplicates.begin(), duplicates.end());
}

/// a + factor * b, both affine.
IntegerCode affine_sum(IntegerCode a, const IntegerCode& b, int64_t factor) {
  IntegerCode sum = std::move(a);
  sum.constant = wrap_add(sum.constant, wrap_multiply(factor, b.constant));
  for (const IntegerCode::Term& term : b.terms) {
    const auto same = std::ranges::find(sum.terms, term.slot, &IntegerCode::Term::slot);
    if (same == sum.terms.end()) {
      sum.terms.push_back({term.slot, wrap_multiply(factor, term.coefficient)});
    } else {
      same->coefficient = wrap_add(same->coefficient, wrap_multiply(factor, term.coefficient));
    }
  }
  std::erase_if(sum.terms, [](const IntegerCode::Term& term) { return term.coefficient == 0; });
  return sum;
}

/// Appends the tree of `code` to `nodes` and gives its root.
int32_t splice(std::vector<IntegerNode>& nodes, const IntegerCode& code) {
  const auto push = [&](IntegerNode node) {
    nodes.push_back(node);
    return static_cast<int32_t>(nodes.size() - 1);
  };
  if (!code.affine) {
    const auto offset = static_cast<int32_t>(nodes.size());
    for (IntegerNode node : code.nodes) {
      for (int32_t& operand : node.operands) operand = operand < 0 ? operand : operand + offset;
      nodes.push_back(node);
    }
    return static_cast<int32_t>(nodes.size() - 1);
  }
  const auto operation = [&](ir::Op op, int32_t a, int32_t b) {
    IntegerNode node{.kind = IntegerNode::Kind::operation, .op = op};
    node.operands[0] = a;
    node.operands[1] = b;
    return push(node);
  };
  int32_t sum = -1;
  if (code.constant != 0 || code.terms.empty()) sum = push({.kind = IntegerNode::Kind::constant, .value = code.constant});
  for (const IntegerCode::Term& term : code.terms) {
    int32_t product = push({.kind = IntegerNode::Kind::slot, .index = term.slot});
    if (term.coefficient != 1)
      product = operation(ir::Op::multiply, product, push({.kind = IntegerNode::Kind::constant, .value = term.coefficient}));
    sum = sum < 0 ? product : operation(ir::Op::add, sum, product);
  }
  return sum;
}

bool divides(int64_t divisor, const IntegerCode& code) {
  return code.constant % divisor == 0 &&
         std::ranges::all_of(code.terms, [&](const auto& term) { return term.coefficient % divisor == 0; });
}

}  // namespace

IntegerCode constant_code(int64_t value) {
  IntegerCode code;
  code.constant = value;
  return code;
}

IntegerCode slot_code(Slot slot) {
  IntegerCode code;
  code.terms.push_back({slot, 1});
  return code;
}

IntegerCode read_code(uint32_t access, const std::vector<IntegerCode>& indices) {
  IntegerCode code;
  code.affine = false;
  code.nodes.push_back({.kind = IntegerNode::Kind::read, .index = access});
  for (const IntegerCode& index : indices) depend(code, index);
  return code;
}

IntegerCode combine(ir::Op op, std::span<IntegerCode> operands, ir::Dtype cast_to) {
  using ir::Op;
  const bool all_affine = std::ranges::all_of(operands, &IntegerCode::affine);
  const bool all_constant = std::ranges::all_of(operands, &IntegerCode::is_constant);
  if (op == Op::select) {
    if (operands[0].is_constant()) return std::move(operands[operands[0].constant != 0 ? 1 : 2]);
  } else if (op == Op::cast) {
    if (all_constant) return constant_code(wrap_to(cast_to, operands[0].constant));
  } else if (all_constant) {
    return constant_code(apply_integer(op, operands[0].constant, operands.size() > 1 ? operands[1].constant : 0));
  } else if (all_affine) {
    if (op == Op::negate) return affine_sum(constant_code(0), operands[0], -1);
    if (op == Op::add) return affine_sum(std::move(operands[0]), operands[1], 1);
    if (op == Op::subtract) return affine_sum(std::move(operands[0]), operands[1], -1);
    if (op == Op::multiply && operands[1].is_constant()) return affine_sum(constant_code(0), operands[0], operands[1].constant);
    if (op == Op::multiply && operands[0].is_constant()) return affine_sum(constant_code(0), operands[1], operands[0].constant);
    if ((op == Op::floordiv || op == Op::mod) && operands[1].is_constant() && operands[1].constant > 0 &&
        divides(operands[1].constant, operands[0])) {
      if (op == Op::mod) return constant_code(0);
      IntegerCode quotient = std::move(operands[0]);
      quotient.constant /= operands[1].constant;
      for (IntegerCode::Term& term : quotient.terms) term.coefficient /= operands[1].constant;
      return quotient;
    }
  }
  IntegerCode code;
  code.affine = false;
  IntegerNode root{.kind = IntegerNode::Kind::operation, .op = op, .dtype = cast_to};
  for (size_t i = 0; i < operands.size(); ++i) {
    root.operands[i] = splice(code.nodes, operands[i]);
    depend(code, operands[i]);
  }
  code.nodes.push_back(root);
  return code;
}

}  // namespace tileproof::oracle
