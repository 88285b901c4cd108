// The usual way through a domain: no two points can meet, so the row axis is innermost and whole runs of it are evaluated at once.
#pragma once

#include "compiler/ir/interval.h"
#include "oracle/interpret/statement_context.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

namespace tileproof::oracle {

template <class D>
class RowRunner {
 public:
  explicit RowRunner(StatementContext<D>& context) : c(context) {}

  void run() {
    const int row_axis = choose_row();
    Row row = c.row_of(row_axis);
    std::vector<size_t>&outer = outer_, &inner = inner_;
    outer.clear();
    inner.clear();
    const size_t axes = c.statement->axes.size();
    const auto list = [&](ir::AxisKind kind, std::vector<size_t>& into) {
      for (size_t i = 0; i < axes; ++i) {
        if (c.statement->axes[i].kind == kind && static_cast<int>(i) != row_axis) into.push_back(i);
      }
    };
    list(ir::AxisKind::seq, outer);
    list(ir::AxisKind::parallel, outer);
    if (c.statement->has_reduce) list(ir::AxisKind::reduce, inner);
    const bool row_reduces = row_axis >= 0 && c.is_reduce(static_cast<size_t>(row_axis));
    const int64_t low = row_axis < 0 ? 0 : c.box.low[static_cast<size_t>(row_axis)],
                  high = row_axis < 0 ? 1 : c.box.high[static_cast<size_t>(row_axis)];
    const int64_t rows = row_axis < 0 || row_reduces || !may_fold(row_axis) ? 1 : fold(row);
    c.walk(outer, [&] {
      if (rows > 1) {
        all_rows(row, rows, low);
      } else if (row_reduces) {
        c.runs(c.box.rest, {}, 0, 1, false, [&](int64_t, int64_t) { reduce_along(row, inner, low, high); });
      } else if (c.statement->has_reduce) {
        c.runs(c.box.rest, row, low, high, false, [&](int64_t first, int64_t end) {
          c.pieces(row, first, end, [&](int64_t x, int64_t n) { return reduce_across(row, inner, x, n); });
        });
      } else {
        c.runs(c.box.rest, row, low, high, true, [&](int64_t first, int64_t end) {
          c.pieces(row, first, end, [&](int64_t, int64_t n) { return assign(row, n); });
        });
      }
    });
  }

 private:
  using Value = typename D::Value;
  using Operand = typename Evaluator<D>::Operand;
  static constexpr int64_t chunk = Evaluator<D>::chunk;
  static constexpr int64_t short_row =
      16;  ///< our choice: a reduce axis makes the better row where the parallel ones are shorter

  StatementContext<D>& c;
  std::vector<size_t> outer_, inner_;  // axes that are walked: around the row, and of one sum
  std::vector<Value> accumulators_;
  std::vector<uint8_t> touched_;
  std::vector<Fold> folds_;

  /// -1: single points.
  int choose_row() const {
    const StatementCode& s = *c.statement;
    int parallel = -1, reduce = -1;
    bool unit = false, reduce_unit = false;
    const AccessPlan& plan = c.evaluator.plan_of(s.destination);
    for (size_t i = 0, axes = s.axes.size(); i < axes; ++i) {
      if (s.axes[i].kind == ir::AxisKind::parallel && !s.axes[i].in_claims && c.box.size(i) > 1) {
        const bool is_unit = plan.linear && plan.strides[i] == 1;
        if (parallel < 0 || is_unit || !unit) parallel = static_cast<int>(i);
        unit = unit || is_unit;
      } else if (c.is_reduce(i)) {
        const bool is_unit =
            !s.reads.empty() && c.evaluator.plan_of(s.reads[0]).linear && c.evaluator.plan_of(s.reads[0]).strides[i] == 1;
        if (reduce < 0 || is_unit || !reduce_unit) reduce = static_cast<int>(i);
        reduce_unit = reduce_unit || is_unit;
      }
    }
    const auto size = [&](int axis) { return axis < 0 ? 0 : c.box.size(static_cast<size_t>(axis)); };
    return size(parallel) < short_row && size(reduce) > size(parallel) ? reduce : parallel;
  }

  /// Whether many rows may be evaluated as one, their elements in the order of the rows: nothing can fault; what is found is found in
  /// the same order, because only one access is watched; and no limit is met on the way.
  bool may_fold(int row) const {
    if constexpr (!requires { requires D::is_pure; }) return false;
    const StatementCode& s = *c.statement;
    if (outer_.empty() || !s.plain_integers || s.axes[static_cast<size_t>(row)].in_value || !c.box.rest.empty() ||
        !c.box.reduce_rest.empty() || !c.all_linear())
      return false;
    const Tracking& written = c.tracking_of(s.destination);
    const int64_t read = std::ranges::count_if(s.reads, [&](uint32_t access) { return c.tracking_of(access).any(); });
    if (s.has_reduce && (read > 0 || written.bytes)) return false;
    if (const int64_t watched = read + written.any(); watched > 1 || (watched == 1 && c.refuses_nan())) return false;
    int64_t points = 1;
    for (size_t i = 0; i < s.axes.size(); ++i) points = ir::multiply_saturating(points, c.box.size(i));
    constexpr int64_t steps = 4;  // a point, and at most three steps without one
    constexpr size_t kinds = 5;  // of findings about one access
    return points > 0 && c.meter.has_room(ir::multiply_saturating(points, steps)) && c.log.has_room(kinds);
  }

  /// Takes the innermost of the outer axes into the row, as many as a run holds; gives the number of rows that it is made of then.
  int64_t fold(Row& row) {
    folds_.clear();
    int64_t rows = 1;
    for (; !outer_.empty(); outer_.pop_back()) {
      const size_t axis = outer_.back();
      const AxisCode& code = c.statement->axes[axis];
      const int64_t size = c.box.size(axis);
      if (code.kind != ir::AxisKind::parallel || code.in_claims || code.in_value || rows * row.length > chunk / size) break;
      c.slot(axis) = c.box.low[axis];
      folds_.push_back({axis, size});
      rows *= size;
    }
    row.folds = folds_;
    return rows;
  }

  /// One run of folded rows. It counts as many steps as the rows would one by one.
  void all_rows(Row row, int64_t rows, int64_t low) {
    c.evaluator.env[row.slot] = low;
    if (!c.statement->has_reduce) {
      assign(row, rows * row.length);
      c.meter.pass(rows);
      return;
    }
    reduce_across(row, inner_, low, rows * row.length);
    int64_t terms = 1;
    for (const size_t axis : inner_) terms *= c.box.size(axis);
    c.meter.pass(rows * (terms + 2) - (terms + 1));
  }

  /// One run without reduce axes.
  bool assign(Row row, int64_t n) {
    const StatementCode& s = *c.statement;
    const bool accumulates = c.update() != ir::Update::assign;
    const std::optional<bool> start = c.starts();
    Span span;
    if (!start || !c.evaluator.locate(s.destination, s, row, n, span)) return false;
    const Operand v = c.evaluator.value(s, static_cast<int32_t>(s.value.size()) - 1, row, n);
    if (c.evaluator.fault) return false;
    const bool open = c.stays_open();
    if (!accumulates) {
      c.store_all(span, n, v, false, true, open);
    } else {
      for (int64_t i = 0; i < n; ++i) {
        const Value old = *start ? c.domain.identity(c.update()) : c.load_old(span, i);
        c.store(span, i, c.domain.accumulate(c.update(), old, v[i], s.combine), true, *start, open);
      }
    }
    c.meter.add(n);
    return true;
  }

  /// `n` points along a parallel row (or one point), each with a sum of its own over the axes of `inner`.
  bool reduce_across(Row row, const std::vector<size_t>& inner, int64_t x, int64_t n) {
    const StatementCode& s = *c.statement;
    const std::optional<bool> start = c.starts();
    if (!start) return false;
    if (accumulators_.size() < static_cast<size_t>(n)) {
      accumulators_.resize(static_cast<size_t>(n));
      touched_.resize(static_cast<size_t>(n));
    }
    Span span;
    bool located = false, failed = false;
    int64_t untouched = n;
    const auto begin = [&] {  // at the first point that holds, for all the row
      if (located || failed) return;
      if (row.axis >= 0) c.evaluator.env[row.slot] = x;
      located = c.evaluator.locate(s.destination, s, row, n, span);
      failed = !located;
      std::fill_n(touched_.begin(), n, uint8_t{0});
      if (located && *start) std::fill_n(accumulators_.begin(), n, c.domain.identity(c.update()));
    };
    const auto touch = [&](int64_t from, int64_t to) {
      if (untouched == 0) return;
      for (int64_t i = from; i < to; ++i) {
        const auto at = static_cast<size_t>(i);
        if (touched_[at]) continue;
        touched_[at] = 1;
        --untouched;
        if (!*start) accumulators_[at] = c.load_old(span, i);
      }
    };
    if (*start) begin();
    const bool whole = c.box.reduce_rest.empty() && !c.choice_along(row);
    const bool any = std::ranges::all_of(inner, [&](size_t axis) { return c.box.size(axis) > 0; });
    if (any && !failed) {
      c.walk(inner, [&] {
        const auto add_run = [&](int64_t first, int64_t end) {
          c.pieces(row, first, end, [&](int64_t at, int64_t m) {
            begin();
            if (failed) return true;
            if (row.axis >= 0) c.evaluator.env[row.slot] = at;
            if (!accumulate(row, m, at - x, touch)) return false;
            c.meter.add(m);
            return true;
          });
        };
        if (whole) {
          add_run(row.axis < 0 ? 0 : x, row.axis < 0 ? 1 : x + n);
        } else {
          c.runs(c.box.reduce_rest, row, row.axis < 0 ? 0 : x, row.axis < 0 ? 1 : x + n, true, add_run);
        }
      });
    }
    if (failed) {
      c.evaluator.fault = true;
      return false;
    }
    if (!located) return true;
    if (row.axis >= 0) c.evaluator.env[row.slot] = x;
    const bool open = c.stays_open();
    c.store_all(span, n, accumulators_.data(), true, *start, open, *start || untouched == 0 ? nullptr : touched_.data());
    return true;
  }

  /// Adds the value of `m` points to the accumulators from place `to` on.
  template <class Touch>
  bool accumulate(Row row, int64_t m, int64_t to, Touch& touch) {
    const StatementCode& s = *c.statement;
    if (row.axis < 0) to = 0;
    const auto root = static_cast<int32_t>(s.value.size()) - 1;
    const ValueNode& node = s.value.back();
    if (c.update() == ir::Update::add && node.kind == ValueNode::Kind::operation && node.op == ir::Op::multiply) {
      const Operand a = c.evaluator.value(s, node.operands[0], row, m);
      const Operand b = c.evaluator.fault ? a : c.evaluator.value(s, node.operands[1], row, m);
      if (c.evaluator.fault) return false;
      touch(to, to + m);
      Value* sum = accumulators_.data() + to;
      for (int64_t i = 0; i < m; ++i) {
        if constexpr (requires { c.domain.multiply_add(sum[i], a[i], b[i], node.computed, s.combine); }) {
          c.domain.multiply_add(sum[i], a[i], b[i], node.computed, s.combine);
        } else {
          sum[i] = c.domain.accumulate(ir::Update::add, sum[i], c.domain.multiply(a[i], b[i], node.computed), s.combine);
        }
      }
      return true;
    }
    const Operand v = c.evaluator.value(s, root, row, m);
    if (c.evaluator.fault) return false;
    touch(to, to + m);
    Value* sums = accumulators_.data() + to;
    accumulate_all(v, m, [sums](int64_t i) -> Value& { return sums[i]; });
    return true;
  }

  /// Accumulates v[i] into sum(i).
  template <class Sum>
  void accumulate_all(const Operand& v, int64_t m, const Sum& sum) {
    const ir::Dtype combine = c.statement->combine;
    const auto by = [&](auto update) {
      for (int64_t i = 0; i < m; ++i) sum(i) = c.domain.accumulate(update, sum(i), v[i], combine);
    };
    switch (c.update()) {
      case ir::Update::add: return by(std::integral_constant<ir::Update, ir::Update::add>{});
      case ir::Update::max: return by(std::integral_constant<ir::Update, ir::Update::max>{});
      default: return by(c.update());
    }
  }

  /// One point whose sum runs along a reduce row, inside of the axes of `inner`.
  void reduce_along(Row row, const std::vector<size_t>& inner, int64_t low, int64_t high) {
    const StatementCode& s = *c.statement;
    const std::optional<bool> start = c.starts();
    if (!start) {
      c.evaluator.fault = false;
      return;
    }
    Span span;
    bool located = false, failed = false, touched = false;
    Value sum = c.domain.identity(c.update());
    const auto locate = [&] {  // at the first point that holds
      if (located || failed) return;
      located = c.evaluator.locate(s.destination, s, {}, 1, span);
      failed = !located;
      c.evaluator.fault = false;
    };
    if (*start) locate();
    if (high > low && !failed) {
      c.walk(inner, [&] {
        c.runs(c.box.reduce_rest, row, low, high, true, [&](int64_t first, int64_t end) {
          c.pieces(row, first, end, [&](int64_t, int64_t n) {
            locate();
            if (failed) return true;
            const Operand v = c.evaluator.value(s, static_cast<int32_t>(s.value.size()) - 1, row, n);
            if (c.evaluator.fault) return false;
            if (!touched && !*start) sum = c.load_old(span, 0);
            touched = true;
            Value total = sum;
            accumulate_all(v, n, [&total](int64_t) -> Value& { return total; });
            sum = total;
            c.meter.add(n);
            return true;
          });
        });
      });
    }
    if (located && (*start || touched)) c.store(span, 0, sum, true, *start, c.stays_open());
    c.evaluator.fault = false;
  }
};

}  // namespace tileproof::oracle
