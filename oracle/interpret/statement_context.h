// What the ways through a statement's domain share: the walk over its axes, the runs in which the same formula holds, and the store.
#pragma once

#include "oracle/interpret/domain_box.h"
#include "oracle/interpret/evaluator.h"
#include "oracle/interpret/meter.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tileproof::oracle {

/// The statement that is being executed.
template <class D>
struct StatementContext {
  using Value = typename D::Value;
  static constexpr int64_t chunk = Evaluator<D>::chunk;

  const Code& code;
  D& domain;
  Memory<Value>& memory;
  FindingLog& log;
  Evaluator<D>& evaluator;
  Meter& meter;
  const StatementCode* statement = nullptr;
  DomainBox box;

  int64_t& slot(size_t axis) { return evaluator.env[statement->axes[axis].slot]; }
  uint32_t destination_buffer() const { return code.accesses[statement->destination].buffer; }
  ir::Update update() const { return statement->source->update; }
  Row row_of(int axis) const {
    if (axis < 0) return {};
    const auto at = static_cast<size_t>(axis);
    return {.axis = axis, .slot = statement->axes[at].slot, .length = box.size(at)};
  }
  const Tracking& tracking_of(uint32_t access) const { return code.buffers[code.accesses[access].buffer].tracking; }
  /// f(plan) holds of the destination and of all that is read.
  template <class F>
  bool each_plan(F f) const {
    return f(evaluator.plan_of(statement->destination)) &&
           std::ranges::all_of(statement->reads, [&](uint32_t read) { return f(evaluator.plan_of(read)); });
  }
  bool all_linear() const {
    return each_plan([](const AccessPlan& plan) { return plan.linear; });
  }
  bool is_reduce(size_t axis) const { return statement->axes[axis].kind == ir::AxisKind::reduce; }

  // ---- walking ----

  /// Calls f() at each point of the axes listed, the first outermost. False: the run has to end.
  template <class F>
  bool walk(const std::vector<size_t>& axes, F&& f) {
    for (const size_t axis : axes) {
      if (box.size(axis) == 0) return true;
      slot(axis) = box.low[axis];
    }
    while (true) {
      f();
      if (meter.stopped()) return false;
      size_t level = axes.size();
      while (level > 0) {
        const size_t axis = axes[level - 1];
        if (++slot(axis) < box.high[axis]) break;
        slot(axis) = box.low[axis];
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
      for (const Condition* condition : conditions) all = all && evaluator.holds(*condition);
      if (!std::exchange(evaluator.fault, false) && all) f(0, 1);
      return;
    }
    evaluator.env[row.slot] = low;
    const int64_t start = low;
    bool by_element = choices && choice_along(row);
    for (const Condition* condition : conditions) {
      const IntegerCode& sum = condition->code;
      if (low >= high) return;
      if (by_element && sum.has_reads()) break;  // whether it is asked at all is decided by element, too
      if (!sum.depends_on(row.slot)) {
        const bool holds = evaluator.holds(*condition);
        if (std::exchange(evaluator.fault, false) || !holds) return;
      } else if (!sum.affine || !clip(condition->relation, evaluator.integer(sum), sum.coefficient(row.slot), start, low, high)) {
        by_element = true;
      }
    }
    if (low >= high) return;
    if (!by_element) {
      f(low, high);
      return;
    }
    int64_t first = low;
    std::optional<uint64_t> current;  // the signature of the run that is open
    for (int64_t x = low; x <= high; ++x) {
      if (meter.stopped()) return;
      std::optional<uint64_t> here;
      if (x < high) {
        evaluator.env[row.slot] = x;
        bool all = true;
        for (const Condition* condition : conditions) all = all && evaluator.holds(*condition);
        if (!std::exchange(evaluator.fault, false) && all) here = choices && statement->has_choice ? signature_at(x) : 1;
      }
      if (here == current && x < high) continue;
      if (current) f(first, x);
      first = x;
      current = here;
    }
  }

  bool choice_along(Row row) const {
    return statement->has_choice && std::ranges::any_of(statement->value, [&](const ValueNode& node) {
             return node.kind == ValueNode::Kind::choose && node.integer.depends_on(row.slot);
           });
  }

  /// Which arms the choices take at the point `x` of the row. A point that faults is a run of its own: it faults again when it is
  /// evaluated, in the right order.
  uint64_t signature_at(int64_t x) {
    uint64_t signature = 1;
    Span destination;
    evaluator.peek = true;
    if (evaluator.locate(statement->destination, *statement, {}, 1, destination))
      sign(static_cast<int32_t>(statement->value.size()) - 1, signature);
    evaluator.peek = false;
    return std::exchange(evaluator.fault, false) ? ~static_cast<uint64_t>(x) : signature;
  }

  /// Asks only the choices on the way.
  void sign(int32_t number, uint64_t& signature) {
    const ValueNode& node = statement->value[static_cast<size_t>(number)];
    if (node.kind == ValueNode::Kind::choose) {
      const bool first = evaluator.index(node.integer) != 0;
      signature = 2 * signature + first;
      if (!evaluator.fault) sign(node.operands[first ? 0 : 1], signature);
      return;
    }
    for (const int32_t operand : node.operands) {
      if (operand >= 0 && !evaluator.fault) sign(operand, signature);
    }
  }

  /// Calls attempt(first, n) for pieces of [first, end); where it returns false for several points, for each point alone.
  template <class F>
  void pieces(Row row, int64_t first, int64_t end, F&& attempt) {
    const auto at = [&](int64_t x, int64_t n) {
      if (row.axis >= 0) evaluator.env[row.slot] = x;
      const bool done = attempt(x, n);
      evaluator.fault = false;
      return done;
    };
    for (int64_t x = first; x < end && !meter.stopped(); x += chunk) {
      const int64_t n = std::min(chunk, end - x);
      if (at(x, n) || n == 1) continue;
      for (int64_t i = 0; i < n; ++i) at(x + i, 1);
    }
  }

  // ---- the destination ----

  /// nullopt: the point faults.
  std::optional<bool> starts() {
    if (!statement->start) return false;
    const bool result = evaluator.all_hold(*statement->start);
    return evaluator.fault ? std::nullopt : std::optional(result);
  }
  bool stays_open() { return statement->stop && !evaluator.all_hold(*statement->stop); }

  Value load_old(const Span& span, int64_t i) {
    const uint32_t buffer = destination_buffer();
    const Value v = memory[buffer].values[static_cast<size_t>(span[i])];
    if (!code.buffers[buffer].tracking.any() || memory.note_read_old(buffer, span[i], D::is_poison(v))) return v;
    return D::poison();
  }

  /// Whether a narrowing is known to change no number of the domain; it still may change an infinity.
  bool keeps(const Narrowing& narrowing) const {
    if constexpr (requires { domain.projects(narrowing); }) return !domain.projects(narrowing);
    return false;
  }
  Value narrowed(Value v, const Narrowing& narrowing, bool kept) const {
    if constexpr (requires { domain.is_infinite(v); }) {
      if (kept && !domain.is_infinite(v)) return v;
    }
    return domain.narrow(v, narrowing);
  }

  bool refuses_nan() const { return statement->to_destination.from_float && ir::is_integer(statement->to_destination.to); }

  /// Rounds and stores the values `v[i]` of `n` points. `accumulated`: first to the accumulate dtype. `plain`: the old value did not
  /// count. Where `touched` is given, only those elements that it marks.
  template <class Values>
  void store_all(const Span& span, int64_t n, const Values& v, bool accumulated, bool plain, bool open,
                 const uint8_t* touched = nullptr) {
    const StatementCode& s = *statement;
    const uint32_t buffer = destination_buffer();
    Value* values = memory[buffer].values.data();
    if constexpr (requires { requires D::narrows_once; }) {
      if (s.copies) {
        if constexpr (requires { v.stride; }) {
          if (span.offsets == nullptr && span.stride == 1 && v.stride == 1) {
            std::copy_n(v.at, n, values + span.offset);
            return note_writes(span, n, plain, open, touched);
          }
        }
        for (int64_t i = 0; i < n; ++i) values[span[i]] = v[i];
        note_writes(span, n, plain, open, touched);
        return;
      }
    }
    accumulated = accumulated && s.to_accumulate;
    const bool keeps_accumulate = accumulated && keeps(*s.to_accumulate), keeps_destination = keeps(s.to_destination);
    const bool refuses_nan = this->refuses_nan();
    for (int64_t i = 0; i < n; ++i) {
      if (touched != nullptr && touched[i] == 0) continue;
      Value value = v[i];
      if (accumulated) value = narrowed(value, *s.to_accumulate, keeps_accumulate);
      if (refuses_nan && domain.is_nan(value)) {
        log.add(FindingId::nan_output, code.buffers[buffer].source->name, memory.indices(buffer, span[i]),
                "a NaN is stored into an integer");
      }
      values[span[i]] = narrowed(value, s.to_destination, keeps_destination);
    }
    note_writes(span, n, plain, open, touched);
  }
  void note_writes(const Span& span, int64_t n, bool plain, bool open, const uint8_t* touched) {
    const uint32_t buffer = destination_buffer();
    if (!code.buffers[buffer].tracking.any()) return;
    using Writing = typename Memory<Value>::Writing;
    const Writing writing = plain ? Writing::plain : Writing::accumulating;
    if (touched == nullptr) {
      memory.note_writes(buffer, n, [&](int64_t i) { return span[i]; }, statement->site, writing, open);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      if (touched[i] != 0) memory.note_write(buffer, span[i], statement->site, writing, open);
    }
  }
  /// Of one point.
  void store(const Span& span, int64_t i, Value v, bool accumulated, bool plain, bool open) {
    store_all({span[i], 0, nullptr}, 1, &v, accumulated, plain, open);
  }
};

}  // namespace tileproof::oracle
