#include "compiler/penguin/upper_bound.h"

#include "compiler/transform/substitute.h"

#include <algorithm>

namespace tileproof::penguin {
namespace {

/// Literals have no sign, so products of them and of names do not fall.
bool rises(const ir::Expression& e, const NameTest& may_rise) {
  if (e.op == ir::Op::variable) return may_rise(e.name);
  if (e.op == ir::Op::literal) return true;
  return (e.op == ir::Op::add || e.op == ir::Op::multiply) &&
         std::ranges::all_of(e.operands, [&](const ir::Expression& operand) { return rises(operand, may_rise); });
}

}  // namespace

bool is_upper_bound(const ir::Expression& condition, const NameTest& may_rise, const NameTest& is_varying) {
  return (condition.op == ir::Op::less || condition.op == ir::Op::less_equal) && rises(condition.operands[0], may_rise) &&
         std::ranges::none_of(transform::names_in(condition.operands[1]), is_varying);
}

}  // namespace tileproof::penguin
