// The quick way through a contraction: D[p.., j] += A[p.., k..] * B[p.., k.., j] with nothing to ask or to watch at its points. The
// operands are packed once, and the domain multiplies whole panels (oracle/domain/contraction.h).
#pragma once

#include "compiler/ir/interval.h"
#include "oracle/interpret/statement_context.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace tileproof::oracle {

/// A domain with packed operands: `pack` is false for a value that its `contract` does not take; so is `contract`, which then has
/// done nothing.
template <class D>
concept Contracts = requires(const D& domain, typename D::Value v, typename D::Packed& packed, typename D::Value* sums) {
  { domain.contracts(ir::Dtype{}, ir::Dtype{}) } -> std::same_as<bool>;
  { domain.pack(v, packed) } -> std::same_as<bool>;
  { domain.contract(sums, &packed, &packed, int64_t{}) } -> std::same_as<bool>;
  D::panel;
};

template <Contracts D>
class ContractionRunner {
 public:
  explicit ContractionRunner(StatementContext<D>& context) : c(context) {}

  /// False: this statement takes another way, and nothing was done. Precondition: it has reduce axes, and no two points can meet.
  bool run() {
    if (!applies()) return false;
    const std::vector<size_t> outer = others({ir::AxisKind::seq, ir::AxisKind::parallel}, row_);
    const std::vector<size_t> inner = others({ir::AxisKind::reduce}, depth_);
    if (!pack(a_, {depth_}, 1) || !pack(b_, {depth_, row_}, panel)) return false;
    const Row row = c.row_of(static_cast<int>(row_));
    c.walk(outer, [&] { one_row(row, inner); });
    return true;
  }

 private:
  using Value = typename D::Value;
  using Packed = typename D::Packed;
  static constexpr int64_t panel = D::panel;
  static constexpr int64_t fewest_points = 4096;  ///< our choice: below, packing does not pay
  static constexpr int64_t most_packed = int64_t{1} << 22;

  struct Operand {
    uint32_t access = 0;
    std::vector<int64_t> strides;  ///< of the packed elements, for each axis; that of the row is for a panel
    std::vector<Packed> elements;
  };

  StatementContext<D>& c;
  Operand a_, b_;
  size_t row_ = 0, depth_ = 0;  ///< axes
  std::vector<Value> sums_;

  /// The axes of these kinds, kind by kind, but for one.
  std::vector<size_t> others(std::initializer_list<ir::AxisKind> kinds, size_t without) const {
    std::vector<size_t> axes;
    for (const ir::AxisKind kind : kinds) {
      for (size_t i = 0; i < c.statement->axes.size(); ++i) {
        if (c.statement->axes[i].kind == kind && i != without) axes.push_back(i);
      }
    }
    return axes;
  }

  bool depends(uint32_t access, size_t axis) const {
    return c.evaluator.plan_of(access).strides[axis] != 0 && c.box.size(axis) > 1;
  }

  bool applies() {
    const StatementCode& s = *c.statement;
    if (c.update() != ir::Update::add || s.reads_own_buffer || !c.box.rest.empty() || !c.box.reduce_rest.empty()) return false;
    const ValueNode& root = s.value.back();
    if (root.kind != ValueNode::Kind::operation || root.op != ir::Op::multiply || !c.domain.contracts(root.computed, s.combine))
      return false;
    int64_t points = 1;
    for (size_t i = 0; i < s.axes.size(); ++i) points = ir::multiply_saturating(points, c.box.size(i));
    if (points < fewest_points || !c.evaluator.plan_of(s.destination).linear) return false;
    uint32_t accesses[2];
    for (int i = 0; i < 2; ++i) {
      const ValueNode& node = s.value[static_cast<size_t>(root.operands[i])];
      if (node.kind != ValueNode::Kind::data) return false;
      accesses[i] = node.access;
      if (!c.evaluator.plan_of(node.access).linear || c.code.buffers[c.code.accesses[node.access].buffer].tracking.any())
        return false;
    }
    if (!choose_axes(accesses[0], accesses[1])) return false;
    const int64_t a = size_of(a_), b = size_of(b_);
    return a <= most_packed && b <= most_packed && a + b <= points / 4;
  }

  /// The row is the longest parallel axis of one operand alone, the depth the longest reduce axis of both.
  bool choose_axes(uint32_t x, uint32_t y) {
    const StatementCode& s = *c.statement;
    int64_t longest_row = 0, longest_depth = 0;
    for (size_t i = 0; i < s.axes.size(); ++i) {
      const int64_t size = c.box.size(i);
      const bool of_x = depends(x, i), of_y = depends(y, i);
      if (s.axes[i].kind == ir::AxisKind::parallel && of_x != of_y && size > longest_row && !s.axes[i].in_claims) {
        row_ = i;
        longest_row = size;
        a_.access = of_x ? y : x;
        b_.access = of_x ? x : y;
      }
      if (c.is_reduce(i) && of_x && of_y && size > longest_depth) {
        depth_ = i;
        longest_depth = size;
      }
    }
    return longest_row >= panel && longest_depth >= 8;
  }

  int64_t size_of(const Operand& operand) const {
    int64_t size = 1;
    for (size_t i = 0; i < c.statement->axes.size(); ++i) {
      if (depends(operand.access, i)) size = ir::multiply_saturating(size, c.box.size(i));
    }
    return size;
  }

  /// The axes of `last` run fastest, the last of them in panels of `width`.
  bool pack(Operand& operand, const std::vector<size_t>& last, int64_t width) {
    const size_t count = c.statement->axes.size();
    const AccessPlan& plan = c.evaluator.plan_of(operand.access);
    operand.strides.assign(count, 0);
    std::vector<size_t> axes;  // slowest first, but for the panels
    for (size_t i = 0; i < count; ++i) {
      if (depends(operand.access, i) && std::ranges::find(last, i) == last.end()) axes.push_back(i);
    }
    axes.insert(axes.end(), last.begin(), last.end());
    const bool panels = width > 1;
    const size_t lane = panels ? axes.back() : count;
    if (panels) axes.pop_back();
    int64_t size = width;
    for (size_t i = axes.size(); i-- > 0;) {
      operand.strides[axes[i]] = size;
      size *= c.box.size(axes[i]);
    }
    if (panels) {
      operand.strides[lane] = size;
      size *= (c.box.size(lane) + width - 1) / width;
      axes.push_back(lane);
    }
    operand.elements.assign(static_cast<size_t>(size), Packed{});
    const Value* values = c.memory[c.code.accesses[operand.access].buffer].values.data();
    int64_t base = plan.base;
    for (size_t i = 0; i < count; ++i) base += plan.strides[i] * c.box.low[i];
    const size_t fast = axes.back();
    const int64_t run = c.box.size(fast), step = plan.strides[fast];
    axes.pop_back();
    std::vector<int64_t> at(axes.size(), 0);
    while (true) {
      int64_t from = base, to = 0;
      for (size_t i = 0; i < axes.size(); ++i) {
        from += at[i] * plan.strides[axes[i]];
        to += at[i] * operand.strides[axes[i]];
      }
      for (int64_t x = 0; x < run; ++x) {
        const int64_t place = panels ? to + x / width * operand.strides[lane] + x % width : to + x * operand.strides[fast];
        if (!c.domain.pack(values[from + x * step], operand.elements[static_cast<size_t>(place)])) return false;
      }
      size_t level = axes.size();
      while (level > 0 && ++at[level - 1] == c.box.size(axes[level - 1])) at[--level] = 0;
      if (level == 0) return true;
    }
  }

  int64_t packed_place(const Operand& operand) {
    int64_t place = 0;
    for (size_t i = 0; i < operand.strides.size(); ++i) {
      if (i != row_ && i != depth_) place += (c.slot(i) - c.box.low[i]) * operand.strides[i];
    }
    return place;
  }

  void one_row(Row row, const std::vector<size_t>& inner) {
    const StatementCode& s = *c.statement;
    const int64_t low = c.box.low[row_], length = c.box.size(row_), depth = c.box.size(depth_);
    c.slot(row_) = low;
    c.slot(depth_) = c.box.low[depth_];
    const std::optional<bool> start = c.starts();
    Span span;
    if (!start || !c.evaluator.locate(s.destination, s, row, length, span)) {
      c.evaluator.fault = false;
      return;
    }
    sums_.assign(static_cast<size_t>((length + panel - 1) / panel * panel), c.domain.identity(ir::Update::add));
    if (!*start) {
      for (int64_t i = 0; i < length; ++i) sums_[static_cast<size_t>(i)] = c.load_old(span, i);
    }
    c.walk(inner, [&] {
      const int64_t a = packed_place(a_), b = packed_place(b_);
      for (int64_t j = 0; j < length; j += panel) {
        if (!c.domain.contract(&sums_[static_cast<size_t>(j)], &a_.elements[static_cast<size_t>(a)],
                               &b_.elements[static_cast<size_t>(b + j / panel * b_.strides[row_])], depth)) {
          slowly(j, std::min(panel, length - j));
        }
      }
      c.meter.add(length * depth);
    });
    c.slot(depth_) = c.box.low[depth_];
    const bool open = c.stays_open();
    for (int64_t i = 0; i < length; ++i) c.store(span, i, sums_[static_cast<size_t>(i)], true, *start, open);
    c.evaluator.fault = false;
  }

  void slowly(int64_t from, int64_t count) {
    const StatementCode& s = *c.statement;
    const ir::Dtype computed = s.value.back().computed;
    for (int64_t k = 0; k < c.box.size(depth_); ++k) {
      c.slot(depth_) = c.box.low[depth_] + k;
      for (int64_t j = from; j < from + count; ++j) {
        c.slot(row_) = c.box.low[row_] + j;
        Value& sum = sums_[static_cast<size_t>(j)];
        const Value a = value_at(a_.access), b = value_at(b_.access);
        sum = c.domain.accumulate(ir::Update::add, sum, c.domain.multiply(a, b, computed), s.combine);
      }
    }
    c.slot(depth_) = c.box.low[depth_];
    c.slot(row_) = c.box.low[row_];
  }

  Value value_at(uint32_t access) {
    const AccessPlan& plan = c.evaluator.plan_of(access);
    int64_t place = plan.base;
    for (size_t i = 0; i < plan.strides.size(); ++i) place += c.slot(i) * plan.strides[i];
    return c.memory[c.code.accesses[access].buffer].values[static_cast<size_t>(place)];
  }
};

}  // namespace tileproof::oracle
