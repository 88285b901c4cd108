#include "oracle/interpret/integer_code.h"

#include "oracle/interpret/run.h"

#include <algorithm>

namespace tileproof::oracle {

bool IntegerCode::has_reads() const {
  return std::ranges::any_of(nodes, [](const IntegerNode& node) { return node.kind == IntegerNode::Kind::read; });
}

bool IntegerCode::depends_on(Slot slot) const {
  return affine ? coefficient(slot) != 0 : std::ranges::binary_search(slots, slot);
}

bool IntegerCode::depends_only_on(const std::vector<Slot>& allowed) const {
  const auto is_allowed = [&](Slot slot) { return std::ranges::find(allowed, slot) != allowed.end(); };
  return std::ranges::all_of(terms, is_allowed, &Term::slot) && std::ranges::all_of(slots, is_allowed);
}

int64_t IntegerCode::coefficient(Slot slot) const {
  for (const Term& term : terms) {
    if (term.slot == slot) return term.coefficient;
  }
  return 0;
}

int64_t evaluate(const IntegerCode& code, const std::vector<int64_t>& environment) {
  if (code.affine) {
    int64_t sum = code.constant;
    for (const IntegerCode::Term& term : code.terms) sum = wrap_add(sum, wrap_multiply(term.coefficient, environment[term.slot]));
    return sum;
  }
  const auto at = [&](const auto& self, int32_t number) -> int64_t {
    const IntegerNode& node = code.nodes[static_cast<size_t>(number)];
    switch (node.kind) {
      case IntegerNode::Kind::constant: return node.value;
      case IntegerNode::Kind::slot: return environment[node.index];
      case IntegerNode::Kind::read: return integer_poison;
      case IntegerNode::Kind::operation: break;
    }
    const int64_t a = self(self, node.operands[0]);
    if (node.op == ir::Op::select) return a == integer_poison ? integer_poison : self(self, node.operands[a != 0 ? 1 : 2]);
    if (node.op == ir::Op::cast) return wrap_to(node.dtype, a);
    return apply_integer(node.op, a, node.operands[1] < 0 ? 0 : self(self, node.operands[1]));
  };
  return at(at, static_cast<int32_t>(code.nodes.size() - 1));
}

int64_t wrap_to(ir::Dtype dtype, int64_t value) {
  if (value == integer_poison) return value;
  if (dtype == ir::Dtype::boolean) return value != 0;
  const int width = ir::bits(dtype);
  if (width == 64) return value;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  const uint64_t low = static_cast<uint64_t>(value) & mask;
  const bool negative = ir::lowest(dtype) < 0 && (low >> (width - 1)) != 0;
  return static_cast<int64_t>(negative ? low | ~mask : low);
}

int64_t apply_integer(ir::Op op, int64_t a, int64_t b) {
  using ir::Op;
  if (a == integer_poison || b == integer_poison) return integer_poison;
  const auto shift = [&](int64_t amount) { return amount < 0 || amount > 63; };
  switch (op) {
    case Op::negate: return wrap_subtract(0, a);
    case Op::add: return wrap_add(a, b);
    case Op::subtract: return wrap_subtract(a, b);
    case Op::multiply: return wrap_multiply(a, b);
    case Op::floordiv: return b == 0 ? integer_poison : b == -1 ? wrap_subtract(0, a) : floor_divide(a, b);
    case Op::mod: return b == 0 ? integer_poison : b == -1 ? 0 : wrap_subtract(a, wrap_multiply(b, floor_divide(a, b)));
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::less: return a < b;
    case Op::less_equal: return a <= b;
    case Op::greater: return a > b;
    case Op::greater_equal: return a >= b;
    case Op::equal: return a == b;
    case Op::not_equal: return a != b;
    case Op::logical_and: return a != 0 && b != 0;
    case Op::logical_or: return a != 0 || b != 0;
    case Op::logical_not: return a == 0;
    case Op::bit_and: return a & b;
    case Op::bit_or: return a | b;
    case Op::bit_xor: return a ^ b;
    case Op::bit_not: return ~a;
    case Op::shift_left: return shift(b) ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
    case Op::shift_right: return shift(b) ? (a < 0 ? -1 : 0) : a >> b;
    case Op::abs: return a < 0 ? wrap_subtract(0, a) : a;
    case Op::sign: return (a > 0) - (a < 0);
    case Op::floor:
    case Op::ceil:
    case Op::round: return a;
    default: return integer_poison;
  }
}

}  // namespace tileproof::oracle
