#include "oracle/interpret/integer_code.h"

#include "oracle/interpret/run.h"

#include <algorithm>

namespace tileproof::oracle {

bool IntegerCode::has_reads() const {
  return std::ranges::any_of(nodes, [](const IntegerNode& node) { return node.kind == IntegerNode::Kind::read; });
}

bool IntegerCode::depends_on(Slot slot) const { return std::ranges::binary_search(slots, slot); }

int64_t IntegerCode::coefficient(Slot slot) const {
  for (const Term& term : terms) {
    if (term.slot == slot) return term.coefficient;
  }
  return 0;
}

int64_t wrap_to(ir::Dtype dtype, int64_t value) {
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
    case Op::mod: return b == 0 ? integer_poison : b == -1 ? 0 : a - b * floor_divide(a, b);
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
