// The careful way through a domain: one point after another in the order of the axes, each access watched. It is taken where points might
// race, where the destination is scattered over reduce axes, where a buffer shares bytes with one that is read, and for integers.
#pragma once

#include "oracle/interpret/statement_context.h"
#include "oracle/memory/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tileproof::oracle {

template <class D>
class PointRunner {
 public:
  explicit PointRunner(StatementContext<D>& context) : c(context), watch_(context.memory, context.log) {}

  void run() {
    const StatementCode& s = *c.statement;
    std::vector<size_t> outer, inner;
    std::vector<ir::AxisKind> kinds;
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < s.axes.size(); ++i) (c.is_reduce(i) ? inner : outer).push_back(i);
    for (const auto* list : {&outer, &inner}) {
      for (const size_t axis : *list) {
        kinds.push_back(s.axes[axis].kind);
        sizes.push_back(std::max<int64_t>(1, c.box.size(axis)));
      }
    }
    watch_.begin(c.destination_buffer(), s.meets_own_bytes, std::move(kinds), std::move(sizes));
    c.evaluator.points = &watch_;
    c.walk(outer, [&] {
      watch_.at(point_number(outer, inner, false));  // conditions read, too
      c.runs(c.box.rest, {}, 0, 1, false, [&](int64_t, int64_t) { one_point(outer, inner); });
    });
    c.evaluator.points = nullptr;
  }

 private:
  using Value = typename D::Value;

  StatementContext<D>& c;
  PointRaces<Value> watch_;

  /// A value of either kind.
  struct Wide {
    Value value{};
    int64_t integer = integer_poison;
    bool nothing = false;  ///< an integer maximum or minimum of nothing yet
  };
  std::vector<std::pair<int64_t, Wide>> sums;  // of one point, by element, in the order touched
  std::unordered_map<int64_t, size_t> place;  // of an element in `sums`, where there can be several

  int64_t point_number(const std::vector<size_t>& outer, const std::vector<size_t>& inner, bool with_inner) {
    int64_t number = 0;
    for (const size_t axis : outer) number = number * c.box.size(axis) + c.slot(axis) - c.box.low[axis];
    for (const size_t axis : inner)
      number = number * std::max<int64_t>(1, c.box.size(axis)) + (with_inner ? c.slot(axis) - c.box.low[axis] : 0);
    return number;
  }

  void one_point(const std::vector<size_t>& outer, const std::vector<size_t>& inner) {
    const StatementCode& s = *c.statement;
    const bool accumulates = c.update() != ir::Update::assign;
    const std::optional<bool> start = c.starts();
    if (!start) {
      c.evaluator.fault = false;
      return;
    }
    sums.clear();
    place.clear();
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
        if (s.is_index)
          sum = identity_integer();
        else
          sum.value = c.domain.identity(c.update());
      } else if (s.is_index) {
        sum.integer = load_old_integer(element);
      } else {
        sum.value = c.load_old({element, 0, nullptr}, 0);
      }
      return sum;
    };
    const auto add = [&] {
      Span span;
      if (!c.evaluator.locate(s.destination, s, {}, 1, span)) return;
      Wide v;
      if (s.is_index) {
        v.integer = c.evaluator.integer(s.integer_value);
      } else {
        v.value = c.evaluator.value(s, static_cast<int32_t>(s.value.size()) - 1, {}, 1)[0];
      }
      if (c.evaluator.fault) return;
      c.meter.add(1);
      Wide& sum = sum_at(span.offset);
      watch_.write(span.offset);
      if (!accumulates) {
        sum = v;
      } else if (s.is_index) {
        sum = {{}, sum.nothing ? v.integer : accumulate_integer(sum.integer, v.integer), false};
      } else {
        sum.value = c.domain.accumulate(c.update(), sum.value, v.value, s.combine);
      }
    };
    if (*start && s.has_reduce) {  // written even if nothing is added
      Span span;
      if (!c.evaluator.locate(s.destination, s, {}, 1, span)) {
        c.evaluator.fault = false;
        return;
      }
      sum_at(span.offset);
      watch_.write(span.offset, true);
    }
    c.walk(inner, [&] {
      watch_.at(point_number(outer, inner, true));
      c.runs(c.box.reduce_rest, {}, 0, 1, false, [&](int64_t, int64_t) { add(); });
      c.evaluator.fault = false;
    });
    const bool open = !sums.empty() && c.stays_open();
    for (const auto& [element, sum] : sums) {
      if (s.is_index) {
        store_integer(element, accumulates ? rounded_integer(sum) : sum.integer, *start || !accumulates, open);
      } else {
        c.store({element, 0, nullptr}, 0, sum.value, accumulates, *start || !accumulates, open);
      }
    }
    c.evaluator.fault = false;
  }

  Wide identity_integer() const {
    switch (c.update()) {
      case ir::Update::multiply: return {{}, 1};
      case ir::Update::max:
      case ir::Update::min: return {{}, 0, true};
      case ir::Update::bit_and: return {{}, -1};
      default: return {{}, 0};
    }
  }

  /// As it ends, before it is stored.
  int64_t rounded_integer(const Wide& sum) const {
    if (!sum.nothing) return wrap_to(c.statement->accumulate, sum.integer);
    const ir::Dtype dtype = c.code.buffers[c.destination_buffer()].source->dtype;
    return c.update() == ir::Update::max ? ir::lowest(dtype) : ir::highest(dtype);
  }

  int64_t accumulate_integer(int64_t old, int64_t v) const {
    switch (c.update()) {
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
    const uint32_t buffer = c.destination_buffer();
    const int64_t v = c.memory[buffer].integers[static_cast<size_t>(element)];
    if (!c.code.buffers[buffer].tracking.any() || c.memory.note_read_old(buffer, element, v == integer_poison)) return v;
    return integer_poison;
  }

  void store_integer(int64_t element, int64_t v, bool plain, bool open) {
    const StatementCode& s = *c.statement;
    const uint32_t buffer = c.destination_buffer();
    const BufferCode& code = c.code.buffers[buffer];
    v = wrap_to(code.source->dtype, v);
    if (v != integer_poison && code.low < code.high && (v < code.low || v >= code.high)) {
      c.log.add(FindingId::range, code.source->name, c.memory.indices(buffer, element),
                fmt::format("{} is outside the declared range {}..{}", v, code.low, code.high));
    }
    c.memory[buffer].integers[static_cast<size_t>(element)] = v;
    if (code.tracking.any()) {
      using Writing = typename Memory<Value>::Writing;
      c.memory.note_write(buffer, element, s.site, plain ? Writing::plain : Writing::accumulating, open);
    }
  }
};

}  // namespace tileproof::oracle
