// Integer expressions at a point, and value expressions over a run: neighbouring points along one axis (the row) at which the
// same formula holds. A node of an expression is visited once for a run, never for each element.
#pragma once

#include "oracle/interpret/code.h"
#include "oracle/interpret/finding_log.h"
#include "oracle/memory/memory.h"
#include "oracle/memory/points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace tileproof::oracle {

/// Where an access of a run lies in its buffer: `offset + i * stride`, or `offsets[i]` where that is not an affine sequence.
struct Span {
  int64_t offset = 0;
  int64_t stride = 0;
  const int64_t* offsets = nullptr;
  int64_t operator[](int64_t i) const { return offsets != nullptr ? offsets[i] : offset + i * stride; }
};

/// An access of the statement that is being executed, where all its indices are affine and inside of their extents on the whole box.
struct AccessPlan {
  bool linear = false;
  int64_t base = 0;
  std::span<const int64_t> strides;  ///< for each axis of the statement, elements
};

/// An axis that a run goes through from end to end, row after row.
struct Fold {
  size_t axis = 0;
  int64_t size = 0;
};

/// The axis along which a run lies: its place among the statement's axes; nullopt-like -1 for a single point. With `folds`, innermost
/// first, the run is all their rows, of `length` each; every access is then linear, and nothing else depends on these axes.
struct Row {
  int axis = -1;
  Slot slot = 0;
  int64_t length = 0;
  std::span<const Fold> folds = {};
};

template <class D>
class Evaluator {
 public:
  using Value = typename D::Value;
  static constexpr int64_t chunk = 512;  ///< elements of the longest run; our choice: a few rows stay in the first-level cache

  Evaluator(const Code& code, D& domain, Memory<Value>& memory, FindingLog& log)
      : env(code.slots),
        code_(code),
        domain_(domain),
        memory_(memory),
        log_(log),
        plans_(code.accesses.size()),
        offsets_(code.accesses.size()) {}

  std::vector<int64_t> env;  ///< the values of the slots
  bool fault = false;  ///< set when a point must be skipped; the caller clears it
  bool peek = false;  ///< look at integers and places without a trace: no finding is made, no read is noted
  PointRaces<Value>* points = nullptr;  ///< told of every read, while points are watched one by one

  // ---- integers ----

  /// May be poison.
  int64_t integer(const IntegerCode& code) {
    if (!code.affine) return node(code, static_cast<int32_t>(code.nodes.size() - 1));
    int64_t sum = code.constant;
    for (const IntegerCode::Term& term : code.terms) sum = wrap_add(sum, wrap_multiply(term.coefficient, env[term.slot]));
    return sum;
  }

  /// An integer that control or an address depends on: poison is a finding and a fault.
  int64_t index(const IntegerCode& code) {
    const int64_t value = integer(code);
    if (value == integer_poison && !code.affine) {
      if (!fault && !peek)
        log_.add(FindingId::poison_index, poison_source_, poison_element_,
                 "an undefined integer decides an index, a condition or a bound");
      fault = true;
      return 0;
    }
    return value;
  }

  bool holds(const Condition& condition) { return condition.holds(index(condition.code)) && !fault; }

  /// False also on a fault.
  bool all_hold(const std::vector<Condition>& conditions) {
    for (const Condition& condition : conditions) {
      if (!holds(condition)) return false;
    }
    return true;
  }

  // ---- accesses ----

  void plan(uint32_t number, const StatementCode& statement, const std::vector<int64_t>& low, const std::vector<int64_t>& high) {
    const AccessCode& access = code_.accesses[number];
    const BufferCode& buffer = code_.buffers[access.buffer];
    AccessPlan& plan = plans_[number];
    plan = {access.affine, 0, access.strides};
    const size_t axes = statement.axes.size();
    // False: the index may leave its extent.
    const auto inside = [&](const IntegerCode& index, int64_t extent, int64_t stride) {
      __extension__ using Exact = __int128;
      int64_t value = index.constant;  // where the axes are at 0
      Exact below = 0, above = 0;  // how far they take it from there
      for (const IntegerCode::Term& term : index.terms) {
        const size_t i = statement.axis_of(term.slot);
        if (i >= axes) {
          value = wrap_add(value, wrap_multiply(term.coefficient, env[term.slot]));
          continue;
        }
        const Exact first = static_cast<Exact>(term.coefficient) * low[i],
                    last = static_cast<Exact>(term.coefficient) * (high[i] - 1);
        below += std::min(first, last);
        above += std::max(first, last);
      }
      plan.base = wrap_add(plan.base, wrap_multiply(value, stride));
      return value + below >= 0 && value + above < extent;
    };
    for (const AccessCode::Bound& bound : access.views)
      plan.linear = plan.linear && inside(bound.index, integer(bound.extent), 0);
    for (size_t d = 0; d < access.indices.size() && plan.linear; ++d)
      plan.linear = inside(access.indices[d], buffer.extents[d], buffer.strides[d]);
  }

  const AccessPlan& plan_of(uint32_t number) const { return plans_[number]; }

  /// Where the `n` elements of the access lie. False (and a fault): some lie outside; a finding is made only for a single point.
  bool locate(uint32_t number, const StatementCode& statement, Row row, int64_t n, Span& span) {
    const AccessPlan& plan = plans_[number];
    if (plan.linear) {
      span.offset = plan.base;
      const int64_t* const at = statement.axes.empty() ? nullptr : &env[statement.axes.front().slot];
      for (size_t i = 0; i < plan.strides.size(); ++i) span.offset += at[i] * plan.strides[i];
      span.stride = row.axis < 0 ? 0 : plan.strides[static_cast<size_t>(row.axis)];
      span.offsets = row.folds.empty() ? nullptr : fold(plan, row, span, places_of(number, n));
      return true;
    }
    return locate_carefully(number, row, n, span);
  }

  // ---- values ----

  /// A value of a run: element i is at `at[i * stride]`; stride 0 is one value for all.
  struct Operand {
    const Value* at = nullptr;
    int64_t stride = 0;
    const Value& operator[](int64_t i) const { return at[i * stride]; }
  };

  /// On a fault the result has no meaning.
  Operand value(const StatementCode& statement, int32_t number, Row row, int64_t n) {
    room_ = std::max(room_, static_cast<size_t>(n));
    if (const size_t needed = statement.value.size() * room_; scratch_size_ < needed) {
      scratch_ = std::make_unique_for_overwrite<Value[]>(needed);
      scratch_size_ = needed;
    }
    return operand(statement, number, row, n);
  }

  /// The elements of a run, as the values read there.
  Operand load(uint32_t number, const StatementCode& statement, Row row, int64_t n, Value* room) {
    Span span;
    if (!locate(number, statement, row, n, span)) return {room, 0};
    const uint32_t buffer = code_.accesses[number].buffer;
    const Value* values = memory_[buffer].values.data();
    const Tracking& tracking = code_.buffers[buffer].tracking;
    bool tracked = tracking.any();
    if (tracked && tracking.only_marks() && points == nullptr) {
      memory_.mark_reads(buffer, n, span);
      tracked = false;
    }
    if (!tracked && points == nullptr) {
      if (span.offsets == nullptr) return {values + span.offset, span.stride};
      for (int64_t i = 0; i < n; ++i) room[i] = values[span.offsets[i]];
      return {room, 1};
    }
    for (int64_t i = 0; i < n; ++i) {
      const Value v = values[span[i]];
      if (points != nullptr) points->read(buffer, span[i]);
      room[i] = !tracked || memory_.note_read(buffer, span[i], D::is_poison(v)) ? v : D::poison();
    }
    return {room, 1};
  }

 private:
  const Code& code_;
  D& domain_;
  Memory<Value>& memory_;
  FindingLog& log_;
  std::vector<AccessPlan> plans_;
  std::vector<std::vector<int64_t>> offsets_;
  size_t room_ = 0;  // elements of each node's part of the scratch: of the longest run so far
  size_t scratch_size_ = 0;
  std::unique_ptr<Value[]> scratch_;
  std::string poison_source_ = "-";  // what was read last without having a value
  std::vector<int64_t> poison_element_;

  /// Room for the places of the `n` elements of an access.
  int64_t* places_of(uint32_t number, int64_t n) {
    std::vector<int64_t>& offsets = offsets_[number];
    if (offsets.size() < static_cast<size_t>(n)) offsets.resize(std::max(static_cast<size_t>(n), 2 * offsets.size()));
    return offsets.data();
  }

  /// The places of all rows of a run; nullptr: they lie behind one another as the elements of one row do.
  static const int64_t* fold(const AccessPlan& plan, const Row& row, const Span& span, int64_t* at) {
    int64_t count = row.length;
    bool is_one_row = true;
    for (const auto& [axis, size] : row.folds) {
      is_one_row = is_one_row && (size == 1 || plan.strides[axis] == wrap_multiply(span.stride, count));
      count *= size;
    }
    if (is_one_row) return nullptr;
    for (int64_t i = 0; i < row.length; ++i) at[i] = span.offset + i * span.stride;
    count = row.length;
    for (const auto& [axis, size] : row.folds) {
      for (int64_t i = count; i < count * size; ++i) at[i] = at[i - count] + plan.strides[axis];
      count *= size;
    }
    return at;
  }

  int64_t node(const IntegerCode& code, int32_t number) {
    const IntegerNode& at = code.nodes[static_cast<size_t>(number)];
    switch (at.kind) {
      case IntegerNode::Kind::constant: return at.value;
      case IntegerNode::Kind::slot: return env[at.index];
      case IntegerNode::Kind::read: return read_integer(at.index);
      case IntegerNode::Kind::operation: break;
    }
    if (at.op == ir::Op::select) {
      const int64_t condition = node(code, at.operands[0]);
      return condition == integer_poison ? integer_poison : node(code, at.operands[condition != 0 ? 1 : 2]);
    }
    const int64_t a = node(code, at.operands[0]);
    if (at.op == ir::Op::cast) return wrap_to(at.dtype, a);
    return apply_integer(at.op, a, at.operands[1] < 0 ? 0 : node(code, at.operands[1]));
  }

  int64_t read_integer(uint32_t number) {
    Span span;
    if (!locate_carefully(number, {}, 1, span)) return integer_poison;
    const uint32_t buffer = code_.accesses[number].buffer;
    int64_t value = memory_[buffer].integers[static_cast<size_t>(span.offset)];
    if (peek) return memory_.is_lost(buffer, span.offset) ? integer_poison : value;
    if (points != nullptr) points->read(buffer, span.offset);
    if (code_.buffers[buffer].tracking.any() && !memory_.note_read(buffer, span.offset, value == integer_poison))
      value = integer_poison;
    if (value == integer_poison) {
      poison_source_ = code_.buffers[buffer].source->name;
      poison_element_ = memory_.indices(buffer, span.offset);
    }
    return value;
  }

  /// One bound of an access along a run. `sequence` is set where the index is not affine along the row.
  bool within(const IntegerCode& index_code, int64_t extent, Row row, int64_t n, bool& sequence) {
    const bool along = row.axis >= 0 && n > 1 && index_code.depends_on(row.slot);
    sequence = along && !index_code.affine;
    if (sequence) return true;  // each element is tried by itself
    const int64_t first = index(index_code);
    const int64_t last = along ? first + index_code.coefficient(row.slot) * (n - 1) : first;
    return !fault && first >= 0 && first < extent && last >= 0 && last < extent;
  }

  bool outside(const AccessCode& access, int64_t n) {
    if (n == 1 && !fault && !peek) {
      std::vector<int64_t> element;
      const BufferCode& buffer = code_.buffers[access.buffer];
      bool inside = true;
      for (size_t d = 0; d < access.indices.size(); ++d) {
        element.push_back(integer(access.indices[d]));
        inside = inside && element.back() >= 0 && element.back() < buffer.extents[d];
      }
      const std::string why = inside ? "the index lies outside of a view of it"
                                     : fmt::format("its extents are [{}]", fmt::join(buffer.extents, ", "));
      log_.add(FindingId::out_of_bounds, buffer.source->name, std::move(element), why);
    }
    fault = true;
    return false;
  }

  /// All indices of a point are evaluated before one of them is compared with its extent. False: one of them faults.
  bool evaluates(const AccessCode& access) {
    for (const AccessCode::Bound& bound : access.views) {
      if (!bound.index.affine) index(bound.index);
      if (fault) return false;
    }
    for (const IntegerCode& code : access.indices) {
      if (!code.affine) index(code);
      if (fault) return false;
    }
    return true;
  }

  bool locate_carefully(uint32_t number, Row row, int64_t n, Span& span) {
    const AccessCode& access = code_.accesses[number];
    const BufferCode& buffer = code_.buffers[access.buffer];
    if (n == 1 && !evaluates(access)) return false;
    bool sequence = false, any_sequence = false;
    for (const AccessCode::Bound& bound : access.views) {
      const int64_t extent = index(bound.extent);
      if (fault || !within(bound.index, extent, row, n, sequence)) return outside(access, n);
      any_sequence |= sequence;
    }
    span = {};
    for (size_t d = 0; d < access.indices.size(); ++d) {
      const IntegerCode& code = access.indices[d];
      if (!within(code, buffer.extents[d], row, n, sequence)) return outside(access, n);
      any_sequence |= sequence;
      if (sequence) continue;
      span.offset += index(code) * buffer.strides[d];
      if (row.axis >= 0 && code.affine) span.stride += code.coefficient(row.slot) * buffer.strides[d];
    }
    if (!any_sequence) return true;
    int64_t* const offsets = places_of(number, n);
    const int64_t start = env[row.slot];
    for (int64_t i = 0; i < n && !fault; ++i) {
      env[row.slot] = start + i;
      Span one;
      // Not more than a single point is outside of anything: the run is then taken apart, and the point is reported there.
      if (locate_carefully(number, {}, 1, one)) offsets[i] = one.offset;
    }
    env[row.slot] = start;
    span.offsets = offsets;
    return !fault;
  }

  Operand operand(const StatementCode& statement, int32_t number, Row row, int64_t n) {
    const ValueNode& at = statement.value[static_cast<size_t>(number)];
    Value* room = scratch_.get() + static_cast<size_t>(number) * room_;
    switch (at.kind) {
      case ValueNode::Kind::data: return load(at.access, statement, row, n, room);
      case ValueNode::Kind::literal:
        *room = at.op == ir::Op::infinity ? domain_.infinity()
                : at.op == ir::Op::nan    ? domain_.nan()
                                          : domain_.literal(at.literal);
        return {room, 0};
      case ValueNode::Kind::integer: return integers(at.integer, row, n, room);
      case ValueNode::Kind::choose: {
        const int64_t condition = choice(at.integer, row, n);
        return fault ? Operand{room, 0} : operand(statement, at.operands[condition != 0 ? 0 : 1], row, n);
      }
      case ValueNode::Kind::cast: {
        const Operand a = operand(statement, at.operands[0], row, n);
        if constexpr (requires { requires D::always_narrows_stores; }) {
          if (at.of_read) return a;
        }
        return fill(room, n, a.stride == 0, [&](int64_t i) { return domain_.narrow(a[i], at.narrowing); });
      }
      case ValueNode::Kind::operation: return operation(statement, at, row, n, room);
    }
    return {room, 0};
  }

  /// The condition of a choice, which is the same for the whole run; what it reads is noted at each point.
  int64_t choice(const IntegerCode& code, Row row, int64_t n) {
    int64_t condition = index(code);
    if (row.axis < 0 || n == 1 || code.affine || !code.depends_on(row.slot)) return condition;
    const int64_t start = env[row.slot];
    for (int64_t i = 1; i < n && !fault; ++i) {
      env[row.slot] = start + i;
      condition = index(code);
    }
    env[row.slot] = start;
    return condition;
  }

  template <class F>
  Operand fill(Value* room, int64_t n, bool uniform, F f) {
    if (fault) return {room, 0};
    const int64_t count = uniform ? 1 : n;
    for (int64_t i = 0; i < count; ++i) room[i] = f(i);
    return {room, uniform ? 0 : 1};
  }

  Operand integers(const IntegerCode& code, Row row, int64_t n, Value* room) {
    const auto enter = [&](int64_t value) {
      return value == integer_poison && !code.affine ? D::poison() : domain_.integer(value);
    };
    if (row.axis < 0 || !code.depends_on(row.slot)) return fill(room, 1, true, [&](int64_t) { return enter(integer(code)); });
    const int64_t start = env[row.slot];
    const Operand result = fill(room, n, false, [&](int64_t i) {
      env[row.slot] = start + i;
      return enter(integer(code));
    });
    env[row.slot] = start;
    return result;
  }

  /// The domain wants to know whether values that are compared (`sign` compares with 0) are ever equal.
  void note_compares(const StatementCode& statement, const ValueNode& at, const Operand& a, const Operand& b, int64_t n) {
    if (fault || (!ir::is_comparison(at.op) && at.op != ir::Op::sign)) return;
    const uint64_t place = uint64_t{statement.site} << 32 | static_cast<uint64_t>(&at - statement.value.data());
    const Value zero = domain_.integer(0);
    bool& met = domain_.compared_at(place);
    for (int64_t i = 0; i < n && !met; ++i) met = D::equal(a[i], at.op == ir::Op::sign ? zero : b[i]);
  }

  Operand operation(const StatementCode& statement, const ValueNode& at, Row row, int64_t n, Value* room) {
    std::array<Operand, 3> in;
    size_t arity = 0;
    bool uniform = true;
    for (; arity < 3 && at.operands[arity] >= 0; ++arity) {
      in[arity] = operand(statement, at.operands[arity], row, n);
      if (fault) return {room, 0};
      if constexpr (requires { D::as_real(Value{}); }) {  // a literal is converted once, not at each element
        const int32_t number = at.operands[arity];
        Value& own = scratch_[static_cast<size_t>(number) * room_];
        if (statement.value[static_cast<size_t>(number)].kind == ValueNode::Kind::literal && ir::is_float(at.computed))
          own = D::as_real(own);
      }
      uniform = uniform && in[arity].stride == 0;
    }
    const Operand a = in[0], b = in[1], c = in[2];
    const ir::Dtype dtype = at.computed;
    if constexpr (requires { D::divides(at.op); }) {
      if (D::divides(at.op)) {
        domain_.apply_dividing(at.op, a.at, a.stride, uniform ? 1 : n, room);
        return {room, uniform ? 0 : 1};
      }
    }
    switch (at.op) {
      case ir::Op::negate: return fill(room, n, uniform, [&](int64_t i) { return domain_.negate(a[i]); });
      case ir::Op::add: return fill(room, n, uniform, [&](int64_t i) { return domain_.add(a[i], b[i], dtype); });
      case ir::Op::subtract: return fill(room, n, uniform, [&](int64_t i) { return domain_.subtract(a[i], b[i], dtype); });
      case ir::Op::multiply: return fill(room, n, uniform, [&](int64_t i) { return domain_.multiply(a[i], b[i], dtype); });
      case ir::Op::divide: return fill(room, n, uniform, [&](int64_t i) { return domain_.divide(a[i], b[i], dtype); });
      case ir::Op::min: return fill(room, n, uniform, [&](int64_t i) { return domain_.min(a[i], b[i]); });
      case ir::Op::max: return fill(room, n, uniform, [&](int64_t i) { return domain_.max(a[i], b[i]); });
      case ir::Op::select: return fill(room, n, uniform, [&](int64_t i) { return domain_.select(a[i], b[i], c[i]); });
      default: break;
    }
    if constexpr (requires { domain_.compared_at(uint64_t{}); }) note_compares(statement, at, a, b, uniform ? 1 : n);
    if (ir::is_comparison(at.op)) return fill(room, n, uniform, [&](int64_t i) { return domain_.compare(at.op, a[i], b[i]); });
    return fill(room, n, uniform, [&](int64_t i) {
      const Value values[3] = {in[0][i], arity > 1 ? in[1][i] : Value{}, arity > 2 ? in[2][i] : Value{}};
      return domain_.apply(at.op, std::span<const Value>(values, arity), dtype);
    });
  }
};

}  // namespace tileproof::oracle
