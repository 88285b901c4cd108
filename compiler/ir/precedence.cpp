#include "compiler/ir/precedence.h"

namespace tileproof::ir {

Level level_of(Op op) {
  if (is_comparison(op)) return level_comparison;
  switch (op) {
    case Op::logical_or: return level_or;
    case Op::logical_and: return level_and;
    case Op::logical_not: return level_not;
    case Op::add:
    case Op::subtract: return level_sum;
    case Op::multiply:
    case Op::divide:
    case Op::floordiv:
    case Op::mod: return level_product;
    case Op::negate: return level_unary;
    default: return level_primary;
  }
}

}  // namespace tileproof::ir
