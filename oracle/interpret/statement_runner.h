// Executes statements by runs of points. Two ways lead through a domain:
//
//   by rows   the usual one: no two points can meet, so parallel axes may be walked in any order; the row axis is innermost
//   by points one point after another in the order of the axes, each access watched: where points might race, where the
//             destination is scattered over reduce axes, where a buffer shares bytes with one that is read, and for integers
#pragma once

#include "oracle/interpret/domain_box.h"
#include "oracle/interpret/evaluator.h"
#include "oracle/interpret/meter.h"
#include "oracle/memory/points.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tileproof::oracle {

template <class D>
class StatementRunner {
 public:
  using Value = typename D::Value;

  StatementRunner(const Code& code, D& domain, Memory<Value>& memory, FindingLog& log, Evaluator<D>& evaluator, Meter& meter)
      : code_(code), domain_(domain), memory_(memory), log_(log), evaluator_(evaluator), meter_(meter), watch_(memory, log),
        accumulators_(Evaluator<D>::chunk), touched_(Evaluator<D>::chunk), old_(Evaluator<D>::chunk) {}

  /// Evaluates the domain; false if the statement does nothing at all. `extents()` and `box` are valid after it.
  bool open(const StatementCode& statement) {
    statement_ = &statement;
    evaluator_.fault = false;
    make_box(statement, evaluator_, box_, extents_);
    return !std::exchange(evaluator_.fault, false);
  }
  const std::vector<int64_t>& extents() const { return extents_; }

  /// Precondition: `open` returned true.
  void run() {
    if (!box_.empty) {
      const StatementCode& s = *statement_;
      for (const uint32_t access : s.reads) evaluator_.plan(access, s, box_.low, box_.high);
      evaluator_.plan(s.destination, s, box_.low, box_.high);
      if (s.is_index || s.scatters || s.meets_own_bytes || !points_keep_apart()) {
        run_by_points();
      } else {
        run_by_rows();
      }
    }
    clobber();
  }

 private:
  static constexpr int64_t chunk = Evaluator<D>::chunk;
  static constexpr int64_t short_row = 16;   ///< our choice: a reduce axis makes the better row where the parallel ones are shorter
  using Operand = typename Evaluator<D>::Operand;

  const Code& code_;
  D& domain_;
  Memory<Value>& memory_;
  FindingLog& log_;
  Evaluator<D>& evaluator_;
  Meter& meter_;
  PointRaces<Value> watch_;
  const StatementCode* statement_ = nullptr;
  DomainBox box_;
  std::vector<int64_t> extents_;
  std::vector<Value> accumulators_;
  std::vector<uint8_t> touched_;
  std::vector<Value> old_;

  int64_t& slot(size_t axis) { return evaluator_.env[statement_->axes[axis].slot]; }
  uint32_t destination_buffer() const { return code_.accesses[statement_->destination].buffer; }
  ir::Update update() const { return statement_->source->update; }
  Row row_of(int axis) const { return axis < 0 ? Row{} : Row{axis, statement_->axes[static_cast<size_t>(axis)].slot}; }

  // ---- may points meet? ----

  bool is_reduce(size_t axis) const { return statement_->axes[axis].kind == ir::AxisKind::reduce; }

  /// No two points of the domain that could run at the same time touch one element, one of them writing.
  bool points_keep_apart() const {
    const StatementCode& s = *statement_;
    const bool all_in_order = std::ranges::all_of(s.axes, [](const AxisCode& axis) { return axis.kind == ir::AxisKind::seq; });
    if (all_in_order) return true;
    if (!is_injective(code_.accesses[s.destination])) return false;
    if (!s.reads_own_buffer) return true;
    if (s.has_reduce) return false;
    for (const uint32_t read : s.reads) {
      if (code_.accesses[read].buffer == destination_buffer() && !same_place(read) && !apart(read)) return false;
    }
    return true;
  }

  /// Non-reduce points have destinations of their own: each dim has axes of its own and is injective in them.
  bool is_injective(const AccessCode& access) const {
    const StatementCode& s = *statement_;
    std::vector<bool> covered(s.axes.size(), false);
    for (const IntegerCode& index : access.indices) {
      if (!index.affine) continue;   // its axes must be told apart by another dim
      std::vector<std::pair<int64_t, int64_t>> steps;   // coefficient, extent
      bool mine = true;
      for (size_t i = 0; i < s.axes.size(); ++i) {
        const int64_t c = index.coefficient(s.axes[i].slot);
        if (c == 0 || box_.size(i) <= 1) continue;
        mine = mine && !is_reduce(i) && !covered[i];
        steps.emplace_back(c < 0 ? -c : c, box_.size(i));
      }
      std::ranges::sort(steps);
      int64_t reach = 0;
      for (const auto& [step, extent] : steps) {
        if (step <= reach) mine = false;
        reach = wrap_add(reach, wrap_multiply(step, extent - 1));
      }
      if (!mine) continue;
      for (size_t i = 0; i < s.axes.size(); ++i) covered[i] = covered[i] || index.coefficient(s.axes[i].slot) != 0;
    }
    for (size_t i = 0; i < s.axes.size(); ++i) {
      if (!is_reduce(i) && box_.size(i) > 1 && !covered[i]) return false;
    }
    return true;
  }

  static bool same_code(const IntegerCode& a, const IntegerCode& b) {
    if (!a.affine || !b.affine || a.constant != b.constant || a.terms.size() != b.terms.size()) return false;
    return std::ranges::all_of(a.terms, [&](const auto& term) { return b.coefficient(term.slot) == term.coefficient; });
  }

  bool same_place(uint32_t read) const {
    return std::ranges::equal(code_.accesses[read].indices, code_.accesses[statement_->destination].indices, same_code);
  }

  /// In some dim the elements read and the elements written do not overlap.
  bool apart(uint32_t read) const {
    const AccessCode &a = code_.accesses[read], &b = code_.accesses[statement_->destination];
    for (size_t d = 0; d < a.indices.size(); ++d) {
      if (!a.indices[d].affine || !b.indices[d].affine) continue;
      const auto [a_low, a_high] = reach(a.indices[d]);
      const auto [b_low, b_high] = reach(b.indices[d]);
      if (a_high < b_low || b_high < a_low) return true;
    }
    return false;
  }

  std::pair<int64_t, int64_t> reach(const IntegerCode& index) const {
    int64_t least = evaluator_.integer(index), most = least;   // the axes are at 0
    for (size_t i = 0; i < statement_->axes.size(); ++i) {
      const int64_t c = index.coefficient(statement_->axes[i].slot);
      const int64_t first = wrap_multiply(c, box_.low[i]), last = wrap_multiply(c, box_.high[i] - 1);
      least = wrap_add(least, std::min(first, last));
      most = wrap_add(most, std::max(first, last));
    }
    return {least, most};
  }

  // ---- walking ----

  /// Calls f() at each point of the axes listed, the first outermost. False: the run has to end.
  template <class F>
  bool walk(const std::vector<size_t>& axes, F&& f) {
    for (const size_t axis : axes) {
      if (box_.size(axis) == 0) return true;
      slot(axis) = box_.low[axis];
    }
    while (true) {
      f();
      if (meter_.stopped()) return false;
      size_t level = axes.size();
      while (level > 0) {
        const size_t axis = axes[level - 1];
        if (++slot(axis) < box_.high[axis]) break;
        slot(axis) = box_.low[axis];
        --level;
      }
      if (level == 0) return true;
    }
  }

  /// Calls f(first, end) for the runs of [low, high) along the row where all of `conditions` hold and (with `choices`) every
  /// choice of the value is the same. Without a row: f(0, 1).
  template <class F>
  void runs(const std::vector<const Condition*>& conditions, Row row, int64_t low, int64_t high, bool choices, F&& f) {
    if (row.axis < 0) {
      bool all = true;
      for (const Condition* condition : conditions) all = all && evaluator_.holds(*condition);
      if (!std::exchange(evaluator_.fault, false) && all) f(0, 1);
      return;
    }
    evaluator_.env[row.slot] = low;
    const int64_t start = low;
    bool by_element = choices && choice_along(row);
    for (const Condition* condition : conditions) {
      const IntegerCode& code = condition->code;
      if (!code.depends_on(row.slot)) {
        const bool holds = evaluator_.holds(*condition);
        if (std::exchange(evaluator_.fault, false) || !holds) return;
      } else if (!code.affine || !clip(condition->relation, evaluator_.integer(code), code.coefficient(row.slot), start, low, high)) {
        by_element = true;
      }
    }
    if (low >= high) return;
    if (!by_element) {
      f(low, high);
      return;
    }
    int64_t first = low;
    std::optional<uint64_t> current;   // the signature of the run that is open
    for (int64_t x = low; x <= high; ++x) {
      std::optional<uint64_t> here;
      if (x < high) {
        evaluator_.env[row.slot] = x;
        bool all = true;
        for (const Condition* condition : conditions) all = all && evaluator_.holds(*condition);
        uint64_t signature = 1;
        if (all && choices && statement_->has_choice) sign(static_cast<int32_t>(statement_->value.size()) - 1, signature);
        if (!std::exchange(evaluator_.fault, false) && all) here = signature;
      }
      if (here == current && x < high) continue;
      if (current) f(first, x);
      first = x;
      current = here;
    }
  }

  bool choice_along(Row row) const {
    return statement_->has_choice && std::ranges::any_of(statement_->value, [&](const ValueNode& node) {
      return node.kind == ValueNode::Kind::choose && node.integer.depends_on(row.slot);
    });
  }

  /// Which arms the choices take at this point, asking only those on the way.
  void sign(int32_t number, uint64_t& signature) {
    const ValueNode& node = statement_->value[static_cast<size_t>(number)];
    if (node.kind == ValueNode::Kind::choose) {
      const bool first = evaluator_.index(node.integer) != 0;
      signature = 2 * signature + first;
      if (!evaluator_.fault) sign(node.operands[first ? 0 : 1], signature);
      return;
    }
    for (const int32_t operand : node.operands) {
      if (operand >= 0 && !evaluator_.fault) sign(operand, signature);
    }
  }

  /// Calls attempt(first, n) for pieces of [first, end); where it returns false for several points, for each point alone.
  template <class F>
  void pieces(Row row, int64_t first, int64_t end, F&& attempt) {
    const auto at = [&](int64_t x, int64_t n) {
      if (row.axis >= 0) evaluator_.env[row.slot] = x;
      const bool done = attempt(x, n);
      evaluator_.fault = false;
      return done;
    };
    for (int64_t x = first; x < end && !log_.full(); x += chunk) {
      const int64_t n = std::min(chunk, end - x);
      if (at(x, n) || n == 1) continue;
      for (int64_t i = 0; i < n; ++i) at(x + i, 1);
    }
  }

  // ---- by rows ----

  void run_by_rows() {
    const int row_axis = choose_row();
    const Row row = row_of(row_axis);
    std::vector<size_t> outer, inner;
    for (const ir::AxisKind kind : {ir::AxisKind::seq, ir::AxisKind::parallel}) {
      for (size_t i = 0; i < statement_->axes.size(); ++i) {
        if (statement_->axes[i].kind == kind && static_cast<int>(i) != row_axis) outer.push_back(i);
      }
    }
    for (size_t i = 0; i < statement_->axes.size(); ++i) {
      if (is_reduce(i) && static_cast<int>(i) != row_axis) inner.push_back(i);
    }
    const bool row_reduces = row_axis >= 0 && is_reduce(static_cast<size_t>(row_axis));
    const int64_t low = row_axis < 0 ? 0 : box_.low[static_cast<size_t>(row_axis)], high = row_axis < 0 ? 1 : box_.high[static_cast<size_t>(row_axis)];
    walk(outer, [&] {
      if (row_reduces) {
        runs(box_.rest, {}, 0, 1, false, [&](int64_t, int64_t) { reduce_along(row, inner, low, high); });
      } else if (statement_->has_reduce) {
        runs(box_.rest, row, low, high, false, [&](int64_t first, int64_t end) {
          pieces(row, first, end, [&](int64_t x, int64_t n) { return reduce_across(row, inner, x, n); });
        });
      } else {
        runs(box_.rest, row, low, high, true, [&](int64_t first, int64_t end) {
          pieces(row, first, end, [&](int64_t, int64_t n) { return assign(row, n); });
        });
      }
    });
  }

  /// -1: single points.
  int choose_row() const {
    const StatementCode& s = *statement_;
    int parallel = -1, reduce = -1;
    bool unit = false, reduce_unit = false;
    for (size_t i = 0; i < s.axes.size(); ++i) {
      if (s.axes[i].kind == ir::AxisKind::parallel && !decides_start_or_stop(s.axes[i].slot) && box_.size(i) > 1) {
        const AccessPlan& plan = evaluator_.plan_of(s.destination);
        const bool is_unit = plan.linear && plan.strides[i] == 1;
        if (parallel < 0 || is_unit || !unit) parallel = static_cast<int>(i);
        unit = unit || is_unit;
      } else if (is_reduce(i)) {
        const bool is_unit = !s.reads.empty() && evaluator_.plan_of(s.reads[0]).linear && evaluator_.plan_of(s.reads[0]).strides[i] == 1;
        if (reduce < 0 || is_unit || !reduce_unit) reduce = static_cast<int>(i);
        reduce_unit = reduce_unit || is_unit;
      }
    }
    const auto size = [&](int axis) { return axis < 0 ? 0 : box_.size(static_cast<size_t>(axis)); };
    return size(parallel) < short_row && size(reduce) > size(parallel) ? reduce : parallel;
  }

  bool decides_start_or_stop(Slot slot) const {
    for (const auto* claim : {&statement_->start, &statement_->stop}) {
      if (!claim->has_value()) continue;
      for (const Condition& condition : **claim) {
        if (condition.code.depends_on(slot)) return true;
      }
    }
    return false;
  }

  /// nullopt: the point faults.
  std::optional<bool> starts() {
    if (!statement_->start) return false;
    const bool result = evaluator_.all_hold(*statement_->start);
    return evaluator_.fault ? std::nullopt : std::optional(result);
  }
  bool stays_open() { return statement_->stop && !evaluator_.all_hold(*statement_->stop); }

  Value load_old(const Span& span, int64_t i) {
    const uint32_t buffer = destination_buffer();
    const Value v = memory_[buffer].values[static_cast<size_t>(span[i])];
    if (!code_.buffers[buffer].tracking.any() || memory_.note_read_old(buffer, span[i])) return v;
    return D::poison();
  }

  /// Rounds and stores; `accumulated`: first to the accumulate dtype.
  void store(const Span& span, int64_t i, Value v, bool accumulated, bool plain, bool open) {
    const StatementCode& s = *statement_;
    const uint32_t buffer = destination_buffer();
    if (accumulated) v = domain_.narrow(v, s.to_accumulate);
    if (s.to_destination.from_float && ir::is_integer(s.to_destination.to) && domain_.is_nan(v)) {
      log_.add(FindingId::nan_output, code_.buffers[buffer].source->name, memory_.indices(buffer, span[i]), "a NaN is stored into an integer");
    }
    memory_[buffer].values[static_cast<size_t>(span[i])] = domain_.narrow(v, s.to_destination);
    if (code_.buffers[buffer].tracking.any()) {
      using Writing = typename Memory<Value>::Writing;
      memory_.note_write(buffer, span[i], s.site, plain ? Writing::plain : Writing::accumulating, open);
    }
  }

  /// One run without reduce axes.
  bool assign(Row row, int64_t n) {
    const StatementCode& s = *statement_;
    const bool accumulates = update() != ir::Update::assign;
    const std::optional<bool> start = starts();
    Span span;
    if (!start || !evaluator_.locate(s.destination, s, row, n, span)) return false;
    const Operand v = evaluator_.value(s, static_cast<int32_t>(s.value.size()) - 1, row, n);
    if (evaluator_.fault) return false;
    const bool open = stays_open();
    for (int64_t i = 0; i < n; ++i) {
      if (!accumulates) {
        store(span, i, v[i], false, true, open);
      } else {
        const Value old = *start ? domain_.identity(update()) : load_old(span, i);
        store(span, i, domain_.accumulate(update(), old, v[i], s.accumulate), true, *start, open);
      }
    }
    meter_.add(n);
    return true;
  }

  /// `n` points along a parallel row (or one point), each with a sum of its own over the axes of `inner`.
  bool reduce_across(Row row, const std::vector<size_t>& inner, int64_t x, int64_t n) {
    const StatementCode& s = *statement_;
    const std::optional<bool> start = starts();
    if (!start) return false;
    Span span;
    bool located = false, failed = false;
    int64_t untouched = n;
    const auto begin = [&] {   // at the first point that holds, for all the row
      if (located || failed) return;
      if (row.axis >= 0) evaluator_.env[row.slot] = x;
      located = evaluator_.locate(s.destination, s, row, n, span);
      failed = !located;
      std::fill_n(touched_.begin(), n, uint8_t{0});
      if (located && *start) std::fill_n(accumulators_.begin(), n, domain_.identity(update()));
    };
    const auto touch = [&](int64_t from, int64_t to) {
      if (untouched == 0) return;
      for (int64_t i = from; i < to; ++i) {
        const auto at = static_cast<size_t>(i);
        if (touched_[at]) continue;
        touched_[at] = 1;
        --untouched;
        if (!*start) accumulators_[at] = load_old(span, i);
      }
    };
    if (*start) begin();
    const bool whole = box_.reduce_rest.empty() && !choice_along(row);
    const bool any = std::ranges::all_of(inner, [&](size_t axis) { return box_.size(axis) > 0; });
    if (any && !failed) {
      walk(inner, [&] {
        const auto add_run = [&](int64_t first, int64_t end) {
          pieces(row, first, end, [&](int64_t at, int64_t m) {
            begin();
            if (failed) return true;
            if (row.axis >= 0) evaluator_.env[row.slot] = at;
            if (!accumulate(row, m, at - x, touch)) return false;
            meter_.add(m);
            return true;
          });
        };
        if (whole) {
          add_run(row.axis < 0 ? 0 : x, row.axis < 0 ? 1 : x + n);
        } else {
          runs(box_.reduce_rest, row, row.axis < 0 ? 0 : x, row.axis < 0 ? 1 : x + n, true, add_run);
        }
      });
    }
    if (failed) {
      evaluator_.fault = true;
      return false;
    }
    if (!located) return true;
    if (row.axis >= 0) evaluator_.env[row.slot] = x;
    const bool open = stays_open();
    for (int64_t i = 0; i < n; ++i) {
      if (*start || touched_[static_cast<size_t>(i)]) store(span, i, accumulators_[static_cast<size_t>(i)], true, *start, open);
    }
    return true;
  }

  /// Adds the value of `m` points to the accumulators from place `to` on.
  template <class Touch>
  bool accumulate(Row row, int64_t m, int64_t to, Touch& touch) {
    const StatementCode& s = *statement_;
    if (row.axis < 0) to = 0;
    const auto root = static_cast<int32_t>(s.value.size()) - 1;
    const ValueNode& node = s.value.back();
    if (update() == ir::Update::add && node.kind == ValueNode::Kind::operation && node.op == ir::Op::multiply) {
      const Operand a = evaluator_.value(s, node.operands[0], row, m);
      const Operand b = evaluator_.fault ? a : evaluator_.value(s, node.operands[1], row, m);
      if (evaluator_.fault) return false;
      touch(to, to + m);
      Value* sum = accumulators_.data() + to;
      for (int64_t i = 0; i < m; ++i) {
        if constexpr (requires { domain_.multiply_add(sum[i], a[i], b[i], node.computed, s.accumulate); }) {
          domain_.multiply_add(sum[i], a[i], b[i], node.computed, s.accumulate);
        } else {
          sum[i] = domain_.accumulate(ir::Update::add, sum[i], domain_.multiply(a[i], b[i], node.computed), s.accumulate);
        }
      }
      return true;
    }
    const Operand v = evaluator_.value(s, root, row, m);
    if (evaluator_.fault) return false;
    touch(to, to + m);
    Value* sum = accumulators_.data() + to;
    switch (update()) {
      case ir::Update::add:
        for (int64_t i = 0; i < m; ++i) sum[i] = domain_.accumulate(ir::Update::add, sum[i], v[i], s.accumulate);
        break;
      case ir::Update::max:
        for (int64_t i = 0; i < m; ++i) sum[i] = domain_.accumulate(ir::Update::max, sum[i], v[i], s.accumulate);
        break;
      default:
        for (int64_t i = 0; i < m; ++i) sum[i] = domain_.accumulate(update(), sum[i], v[i], s.accumulate);
    }
    return true;
  }

  /// One point whose sum runs along a reduce row, inside of the axes of `inner`.
  void reduce_along(Row row, const std::vector<size_t>& inner, int64_t low, int64_t high) {
    const StatementCode& s = *statement_;
    const std::optional<bool> start = starts();
    if (!start) {
      evaluator_.fault = false;
      return;
    }
    Span span;
    bool located = false, failed = false;
    Value sum = domain_.identity(update());
    const auto begin = [&] {
      if (located || failed) return;
      const bool fault = std::exchange(evaluator_.fault, false);
      located = evaluator_.locate(s.destination, s, {}, 1, span);
      failed = !located;
      evaluator_.fault = fault;
      if (located && !*start) sum = load_old(span, 0);
    };
    if (*start) begin();
    if (high > low && !failed) {
      walk(inner, [&] {
        runs(box_.reduce_rest, row, low, high, true, [&](int64_t first, int64_t end) {
          pieces(row, first, end, [&](int64_t, int64_t n) {
            begin();
            if (failed) return true;
            const Operand v = evaluator_.value(s, static_cast<int32_t>(s.value.size()) - 1, row, n);
            if (evaluator_.fault) return false;
            for (int64_t i = 0; i < n; ++i) sum = domain_.accumulate(update(), sum, v[i], s.accumulate);
            meter_.add(n);
            return true;
          });
        });
      });
    }
    if (located) store(span, 0, sum, true, *start, stays_open());
    evaluator_.fault = false;
  }

  // ---- by points ----

  /// A value of either kind.
  struct Wide {
    Value value{};
    int64_t integer = integer_poison;
  };

  void run_by_points() {
    const StatementCode& s = *statement_;
    std::vector<size_t> outer, inner;
    std::vector<ir::AxisKind> kinds;
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < s.axes.size(); ++i) (is_reduce(i) ? inner : outer).push_back(i);
    for (const auto* list : {&outer, &inner}) {
      for (const size_t axis : *list) {
        kinds.push_back(s.axes[axis].kind);
        sizes.push_back(std::max<int64_t>(1, box_.size(axis)));
      }
    }
    watch_.begin(destination_buffer(), s.meets_own_bytes, std::move(kinds), std::move(sizes));
    evaluator_.points = &watch_;
    walk(outer, [&] {
      runs(box_.rest, {}, 0, 1, false, [&](int64_t, int64_t) { one_point(outer, inner); });
    });
    evaluator_.points = nullptr;
  }

  int64_t point_number(const std::vector<size_t>& outer, const std::vector<size_t>& inner, bool with_inner) {
    int64_t number = 0;
    for (const size_t axis : outer) number = number * box_.size(axis) + slot(axis) - box_.low[axis];
    for (const size_t axis : inner) number = number * std::max<int64_t>(1, box_.size(axis)) + (with_inner ? slot(axis) - box_.low[axis] : 0);
    return number;
  }

  void one_point(const std::vector<size_t>& outer, const std::vector<size_t>& inner) {
    const StatementCode& s = *statement_;
    const bool accumulates = update() != ir::Update::assign;
    watch_.at(point_number(outer, inner, false));
    const std::optional<bool> start = starts();
    if (!start) {
      evaluator_.fault = false;
      return;
    }
    std::vector<std::pair<int64_t, Wide>> sums;   // by element, in the order touched
    std::unordered_map<int64_t, size_t> place;    // of an element in `sums`, where there can be several
    const auto sum_at = [&](int64_t element) -> Wide& {
      if (s.scatters) {
        const auto [found, fresh] = place.try_emplace(element, sums.size());
        if (!fresh) return sums[found->second].second;
      } else if (!sums.empty()) {
        return sums.front().second;
      }
      sums.emplace_back(element, Wide{});
      Wide& sum = sums.back().second;
      if (!accumulates) return sum;
      if (*start) {
        if (s.is_index) sum.integer = identity_integer();
        else sum.value = domain_.identity(update());
      } else if (s.is_index) {
        sum.integer = load_old_integer(element);
      } else {
        sum.value = load_old({element, 0, nullptr}, 0);
      }
      return sum;
    };
    const auto add = [&] {
      Span span;
      watch_.at(point_number(outer, inner, true));
      if (!evaluator_.locate(s.destination, s, {}, 1, span)) return;
      Wide v;
      if (s.is_index) {
        v.integer = evaluator_.integer(s.integer_value);
      } else {
        v.value = evaluator_.value(s, static_cast<int32_t>(s.value.size()) - 1, {}, 1)[0];
      }
      if (evaluator_.fault) return;
      meter_.add(1);
      Wide& sum = sum_at(span.offset);
      watch_.write(span.offset);
      if (!accumulates) {
        sum = v;
      } else if (s.is_index) {
        sum.integer = accumulate_integer(sum.integer, v.integer);
      } else {
        sum.value = domain_.accumulate(update(), sum.value, v.value, s.accumulate);
      }
    };
    if (*start && s.has_reduce) {   // written even if nothing is added
      Span span;
      if (!evaluator_.locate(s.destination, s, {}, 1, span)) {
        evaluator_.fault = false;
        return;
      }
      sum_at(span.offset);
      watch_.write(span.offset);
    }
    walk(inner, [&] {
      runs(box_.reduce_rest, {}, 0, 1, false, [&](int64_t, int64_t) { add(); });
      evaluator_.fault = false;
    });
    const bool open = !sums.empty() && stays_open();
    for (const auto& [element, sum] : sums) {
      if (s.is_index) {
        store_integer(element, sum.integer, *start || !accumulates);
      } else {
        store({element, 0, nullptr}, 0, sum.value, accumulates, *start || !accumulates, open);
      }
    }
    evaluator_.fault = false;
  }

  int64_t identity_integer() const {
    const ir::Dtype dtype = code_.buffers[destination_buffer()].source->dtype;
    switch (update()) {
      case ir::Update::multiply: return 1;
      case ir::Update::max: return std::max(ir::lowest(dtype), integer_poison + 1);
      case ir::Update::min: return ir::highest(dtype);
      case ir::Update::bit_and: return dtype == ir::Dtype::boolean ? 1 : -1;
      default: return 0;
    }
  }

  int64_t accumulate_integer(int64_t old, int64_t v) const {
    switch (update()) {
      case ir::Update::add: return apply_integer(ir::Op::add, old, v);
      case ir::Update::multiply: return apply_integer(ir::Op::multiply, old, v);
      case ir::Update::max: return apply_integer(ir::Op::max, old, v);
      case ir::Update::min: return apply_integer(ir::Op::min, old, v);
      case ir::Update::bit_and: return apply_integer(ir::Op::bit_and, old, v);
      case ir::Update::bit_or: return apply_integer(ir::Op::bit_or, old, v);
      case ir::Update::bit_xor: return apply_integer(ir::Op::bit_xor, old, v);
      case ir::Update::assign: return v;
    }
    return v;
  }

  int64_t load_old_integer(int64_t element) {
    const uint32_t buffer = destination_buffer();
    const int64_t v = memory_[buffer].integers[static_cast<size_t>(element)];
    if (!code_.buffers[buffer].tracking.any() || memory_.note_read_old(buffer, element)) return v;
    return integer_poison;
  }

  void store_integer(int64_t element, int64_t v, bool plain) {
    const StatementCode& s = *statement_;
    const uint32_t buffer = destination_buffer();
    const BufferCode& code = code_.buffers[buffer];
    if (v != integer_poison) {
      v = wrap_to(code.source->dtype, v);
      if (code.low < code.high && (v < code.low || v >= code.high)) {
        log_.add(FindingId::range, code.source->name, memory_.indices(buffer, element), fmt::format("{} is outside the declared range {}..{}", v, code.low, code.high));
      }
    }
    memory_[buffer].integers[static_cast<size_t>(element)] = v;
    if (code.tracking.any()) {
      using Writing = typename Memory<Value>::Writing;
      memory_.note_write(buffer, element, s.site, plain ? Writing::plain : Writing::accumulating, false);
    }
  }

  void clobber() {
    for (const uint32_t buffer : statement_->clobbers) {
      Storage<Value>& storage = memory_[buffer];
      for (int64_t element = 0; element < code_.buffers[buffer].count; ++element) {
        if (code_.buffers[buffer].is_index) storage.integers[static_cast<size_t>(element)] = integer_poison;
        else storage.values[static_cast<size_t>(element)] = D::poison();
        if (code_.buffers[buffer].tracking.any()) memory_.note_write(buffer, element, statement_->site, Memory<Value>::Writing::whole, false);
      }
    }
  }
};

}  // namespace tileproof::oracle
