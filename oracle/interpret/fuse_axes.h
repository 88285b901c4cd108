// Neighbouring axes that every access of a statement steps through as one: longer rows, and the same elements in the same order.
#pragma once

#include "oracle/interpret/statement_context.h"

#include <algorithm>
#include <vector>

namespace tileproof::oracle {

/// Makes the box's inner axis as long as both wherever two axes of one kind can be walked as one, the outer one a single step: all
/// accesses are linear, the steps of the outer axis are those of the inner one times its size, and nothing else of the statement
/// depends on either. Precondition: the accesses are planned, and no two points can meet.
template <class D>
class FuseAxes {
 public:
  explicit FuseAxes(StatementContext<D>& context) : c(context) {}

  void run() {
    const StatementCode& s = *c.statement;
    if (s.axes.size() < 2 || !c.all_linear()) return;
    inner_ = -1;
    for (size_t i = s.axes.size(); i-- > 0;) {
      if (c.box.size(i) < 2) continue;
      if (inner_ >= 0 && can_fuse(i, static_cast<size_t>(inner_))) {
        const auto inner = static_cast<size_t>(inner_);  // the product does not overflow: can_fuse
        c.box.high[inner] = c.box.low[inner] + c.box.size(i) * c.box.size(inner);
        c.box.high[i] = c.box.low[i] + 1;
      } else {
        inner_ = static_cast<int>(i);
      }
    }
  }

 private:
  StatementContext<D>& c;
  int inner_ = -1;

  bool can_fuse(size_t outer, size_t inner) const {
    const StatementCode& s = *c.statement;
    if (s.axes[outer].kind != s.axes[inner].kind || s.axes[outer].kind == ir::AxisKind::seq) return false;
    const int64_t size = c.box.size(inner);
    constexpr int64_t longest = int64_t{1} << 40;  // far more than is ever run
    if (size > longest / c.box.size(outer) || c.box.low[inner] > longest) return false;
    return c.each_plan([&](const AccessPlan& plan) { return plan.strides[outer] == wrap_multiply(plan.strides[inner], size); }) &&
           !is_named(s.axes[outer]) && !is_named(s.axes[inner]);
  }

  /// Whether something beside the accesses depends on the axis.
  bool is_named(const AxisCode& axis) const {
    const auto names = [&](const Condition* condition) { return condition->code.depends_on(axis.slot); };
    return axis.in_claims || axis.in_value || std::ranges::any_of(c.box.rest, names) ||
           std::ranges::any_of(c.box.reduce_rest, names);
  }
};

}  // namespace tileproof::oracle
