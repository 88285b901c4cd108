// May two points of a statement's domain meet? Where it can be seen beforehand that they do not, parallel axes may be walked in any order.
#pragma once

#include "oracle/interpret/statement_context.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace tileproof::oracle {

/// Precondition: the slots of the axes are 0.
template <class D>
class PointsApart {
 public:
  explicit PointsApart(const StatementContext<D>& context) : c(context) {}

  /// No two points of the domain that could run at the same time touch one element, one of them writing.
  bool points_keep_apart() {
    const StatementCode& s = *c.statement;
    const bool all_in_order = std::ranges::all_of(s.axes, [](const AxisCode& axis) { return axis.kind == ir::AxisKind::seq; });
    if (all_in_order) return true;
    const AccessCode& access = c.code.accesses[s.destination];
    const auto by_element = [&](size_t d) -> const IntegerCode& { return access.indices[d]; };
    const auto by_view = [&](size_t d) -> const IntegerCode& { return access.views[d].index; };
    if (!s.tells_axes_apart && !is_injective(access.indices.size(), by_element) &&
        (access.view_rank == 0 || !is_injective(access.view_rank, by_view)))
      return false;
    if (!s.reads_own_buffer) return true;
    if (s.has_reduce) return false;
    for (const uint32_t read : s.reads) {
      if (c.code.accesses[read].buffer == c.destination_buffer() && !same_place(read) && !apart(read)) return false;
    }
    return true;
  }

 private:
  const StatementContext<D>& c;
  std::vector<uint8_t> covered;  // of each axis: an index tells its points apart
  std::vector<std::pair<int64_t, int64_t>> steps;  // coefficient, extent

  /// Non-reduce points have destinations of their own: each dim has axes of its own and is injective in them.
  template <class Index>
  bool is_injective(size_t rank, Index index_at) {
    const StatementCode& s = *c.statement;
    covered.assign(s.axes.size(), 0);
    for (size_t d = 0; d < rank; ++d) {
      const IntegerCode& index = index_at(d);
      if (!index.affine) continue;  // its axes must be told apart by another dim
      steps.clear();
      bool mine = true;
      for (size_t i = 0; i < s.axes.size(); ++i) {
        const int64_t step = index.coefficient(s.axes[i].slot);
        if (step == 0 || c.box.size(i) <= 1) continue;
        mine = mine && !c.is_reduce(i) && covered[i] == 0;
        mine = mine && step != std::numeric_limits<int64_t>::min();
        steps.emplace_back(step < 0 ? wrap_subtract(0, step) : step, c.box.size(i));
      }
      std::ranges::sort(steps);
      __extension__ using Exact = __int128;
      Exact reach = 0;
      for (const auto& [step, extent] : steps) {
        mine = mine && step > reach;
        reach += static_cast<Exact>(step) * (extent - 1);
      }
      mine = mine && reach <= std::numeric_limits<int64_t>::max();  // beyond it, indices wrap onto each other
      if (!mine) continue;
      for (size_t i = 0; i < s.axes.size(); ++i) covered[i] |= index.coefficient(s.axes[i].slot) != 0;
    }
    for (size_t i = 0; i < s.axes.size(); ++i) {
      if (!c.is_reduce(i) && c.box.size(i) > 1 && covered[i] == 0) return false;
    }
    return true;
  }

  static bool same_code(const IntegerCode& a, const IntegerCode& b) {
    if (!a.affine || !b.affine || a.constant != b.constant || a.terms.size() != b.terms.size()) return false;
    return std::ranges::all_of(a.terms, [&](const auto& term) { return b.coefficient(term.slot) == term.coefficient; });
  }

  bool same_place(uint32_t read) const {
    return std::ranges::equal(c.code.accesses[read].indices, c.code.accesses[c.statement->destination].indices, same_code);
  }

  /// In some dim the elements read and the elements written do not overlap.
  bool apart(uint32_t read) const {
    const AccessCode &a = c.code.accesses[read], &b = c.code.accesses[c.statement->destination];
    for (size_t d = 0; d < a.indices.size(); ++d) {
      if (!a.indices[d].affine || !b.indices[d].affine) continue;
      const auto [a_low, a_high] = reach(a.indices[d]);
      const auto [b_low, b_high] = reach(b.indices[d]);
      if (a_high < b_low || b_high < a_low) return true;
    }
    return false;
  }

  std::pair<int64_t, int64_t> reach(const IntegerCode& index) const {
    int64_t least = c.evaluator.integer(index), most = least;  // the axes are at 0
    for (size_t i = 0; i < c.statement->axes.size(); ++i) {
      const int64_t step = index.coefficient(c.statement->axes[i].slot);
      const int64_t first = wrap_multiply(step, c.box.low[i]), last = wrap_multiply(step, c.box.high[i] - 1);
      least = wrap_add(least, std::min(first, last));
      most = wrap_add(most, std::max(first, last));
    }
    return {least, most};
  }
};

}  // namespace tileproof::oracle
