// The iteration domain of one execution of a statement: a box of its axes, clipped by the conditions that name one axis each, and
// the conditions that are left to be asked on the way.
#pragma once

#include "oracle/interpret/code.h"
#include "oracle/interpret/evaluator.h"

#include <vector>

namespace tileproof::oracle {

struct DomainBox {
  std::vector<int64_t> low, high;  ///< for each axis; high <= low: empty
  std::vector<const Condition*> rest;  ///< of `where`
  std::vector<const Condition*> reduce_rest;  ///< of `reduce_where`
  bool empty = false;  ///< no non-reduce point

  int64_t size(size_t axis) const { return std::max<int64_t>(0, high[axis] - low[axis]); }
};

/// The largest x with coefficient * x <= bound, and so on, for a condition value + coefficient * x (x counted from `at`): clips
/// [low, high) to where it holds. False: the relation does not give an interval.
inline bool clip(Condition::Relation relation, int64_t value, int64_t coefficient, int64_t at, int64_t& low, int64_t& high) {
  switch (relation) {
    case Condition::Relation::not_negative:
      if (coefficient > 0) {
        low = std::max(low, at - floor_divide(value, coefficient));  // x >= -value / coefficient
      } else {
        high = std::min(high, at + floor_divide(value, -coefficient) + 1);  // x <= value / -coefficient
      }
      return true;
    case Condition::Relation::zero: {
      if (value % coefficient != 0) {
        high = low;
        return true;
      }
      const int64_t x = at - value / coefficient;
      low = std::max(low, x);
      high = std::min(high, x + 1);
      return true;
    }
    case Condition::Relation::not_zero: return false;
  }
  return false;
}

/// Sets the axes' slots to 0. On a fault of the evaluator the box has no meaning.
template <class D>
void make_box(const StatementCode& statement, Evaluator<D>& evaluator, DomainBox& box, std::vector<int64_t>& extents) {
  const size_t count = statement.axes.size();
  box.low.resize(count);
  box.high.resize(count);
  box.rest.clear();
  box.reduce_rest.clear();
  box.empty = false;
  extents.resize(count);
  for (const AxisCode& axis : statement.axes) evaluator.env[axis.slot] = 0;
  for (size_t i = 0; i < count; ++i) {
    box.low[i] = 0;
    extents[i] = box.high[i] = std::max<int64_t>(0, evaluator.index(statement.axes[i].extent));
  }
  // Of a condition that restricts what is added (`adds`), only what it says of reduce axes makes the box smaller.
  const auto divide = [&](const std::vector<Condition>& conditions, std::vector<const Condition*>& rest, bool adds) {
    for (const Condition& condition : conditions) {
      if (condition.code.affine) {
        size_t axis = 0, names = 0;
        int64_t coefficient = 0;
        for (const IntegerCode::Term& term : condition.code.terms) {
          const size_t i = statement.axis_of(term.slot);
          if (i >= count) continue;
          axis = i;
          coefficient = term.coefficient;
          ++names;
        }
        if (names == 0 && !adds) {
          if (!condition.holds(evaluator.integer(condition.code))) box.empty = true;
          continue;
        }
        if (names == 1 && (!adds || statement.axes[axis].kind == ir::AxisKind::reduce) &&
            clip(condition.relation, evaluator.integer(condition.code), coefficient, 0, box.low[axis], box.high[axis])) {
          continue;
        }
      }
      rest.push_back(&condition);
    }
  };
  divide(statement.where, box.rest, false);
  divide(statement.reduce_where, box.reduce_rest, true);
  for (size_t i = 0; i < count; ++i) {
    if (statement.axes[i].kind != ir::AxisKind::reduce && box.size(i) == 0) box.empty = true;
  }
}

}  // namespace tileproof::oracle
