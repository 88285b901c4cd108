#include "oracle/interpret/code_range.h"

#include <algorithm>
#include <limits>

namespace tileproof::oracle {
namespace {

using ir::Interval;
using ir::Op;

constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

Interval operation(Op op, Interval a, Interval b) {
  if (ir::is_comparison(op) || op == Op::logical_and || op == Op::logical_or || op == Op::logical_not) return {0, 1};
  if (op == Op::negate) return operation(Op::subtract, {0, 0}, a);
  if (op == Op::subtract && b.low == least) return all_integers();
  // Interval arithmetic saturates: what ends at a limit may have passed it, and wrapped.
  const auto result = ir::combine(op, a, b);
  return !result || result->low == least || result->high == greatest ? all_integers() : *result;
}

Interval cast(ir::Dtype dtype, Interval a) {
  const Interval all{ir::lowest(dtype), ir::highest(dtype)};
  return all.low <= a.low && a.high <= all.high ? a : all;
}

}  // namespace

Interval all_integers() { return {least, greatest}; }

Interval range_of(const IntegerCode& code, const std::vector<Interval>& slots,
                  const std::function<ir::Dtype(uint32_t access)>& dtype_of) {
  if (code.affine) {
    Interval sum{code.constant, code.constant};
    for (const IntegerCode::Term& term : code.terms) {
      const Interval factor{term.coefficient, term.coefficient};
      sum = operation(Op::add, sum, operation(Op::multiply, slots[term.slot], factor));
    }
    return sum;
  }
  std::vector<Interval> ranges;  // of the nodes: operands stand before what uses them
  for (const IntegerNode& node : code.nodes) {
    const auto operand = [&](size_t i) {
      return node.operands[i] < 0 ? Interval{} : ranges[static_cast<size_t>(node.operands[i])];
    };
    switch (node.kind) {
      case IntegerNode::Kind::constant: ranges.push_back({node.value, node.value}); break;
      case IntegerNode::Kind::slot: ranges.push_back(slots[node.index]); break;
      case IntegerNode::Kind::read: ranges.push_back(cast(dtype_of(node.index), all_integers())); break;
      case IntegerNode::Kind::operation:
        if (node.op == Op::select)
          ranges.push_back({std::min(operand(1).low, operand(2).low), std::max(operand(1).high, operand(2).high)});
        else if (node.op == Op::cast)
          ranges.push_back(cast(node.dtype, operand(0)));
        else
          ranges.push_back(operation(node.op, operand(0), operand(1)));
    }
  }
  return ranges.back();
}

bool differ_without_wrapping(Interval a, Interval b) {
  constexpr int64_t limit = int64_t{1} << 62;
  const auto difference = ir::combine(Op::subtract, a, b);
  return difference && difference->low > -limit && difference->high < limit;
}

}  // namespace tileproof::oracle
