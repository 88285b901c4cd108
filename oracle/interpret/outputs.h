// The end of a run: what the outputs hold, who wrote it, and what is wrong with it.
#pragma once

#include "oracle/interpret/code.h"
#include "oracle/interpret/finding_log.h"
#include "oracle/interpret/meter.h"
#include "oracle/interpret/run.h"
#include "oracle/memory/memory.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace tileproof::oracle {

template <class D>
class Outputs {
 public:
  using Value = typename D::Value;

  Outputs(const Code& code, D& domain, Memory<Value>& memory, FindingLog& log, Meter& meter)
      : code_(code), domain_(domain), memory_(memory), log_(log), meter_(meter) {}

  /// Of `out` and `inout` buffers: whether each element was written and has a value. Moves the elements out.
  void outputs(Run<Value>& result) {
    for (uint32_t number = 0; number < code_.buffers.size(); ++number) {
      const BufferCode& buffer = code_.buffers[number];
      if (!buffer.is_output) continue;
      Storage<Value>& storage = memory_[number];
      Output<Value> output{buffer.source->name, buffer.source->dtype, buffer.extents, buffer.is_index, {}, {}, {}};
      const auto report = [&](FindingId id, int64_t element, std::string detail) {
        const uint32_t state = buffer.tracking.state ? storage.state[static_cast<size_t>(element)] : 0;
        const std::string label = state == 0 ? "-" : writer_label(state);
        log_.add(id, label, state == 0 ? buffer.source->location : writer_location(state), buffer.source->name,
                 memory_.indices(number, element), std::move(detail));
      };
      bool unwritten = false, poisoned = false, not_a_number = false;
      const auto is_poison = [&](size_t at) {
        return buffer.is_index ? storage.integers[at] == integer_poison : D::is_poison(storage.values[at]);
      };
      const auto is_nan = [&](size_t at) { return !buffer.is_index && domain_.is_nan(storage.values[at]); };
      const bool must_be_written = buffer.tracking.state && buffer.source->role == ir::Role::out;
      const auto look_closer = [&](int64_t element) {
        const auto at = static_cast<size_t>(element);
        if (must_be_written && storage.state[at] == 0) {
          if (!std::exchange(unwritten, true)) report(FindingId::not_written, element, "no statement writes this element");
        } else if (is_poison(at)) {
          if (!std::exchange(poisoned, true))
            report(FindingId::poison_output, element, "an undefined value is left in the output");
        } else if (is_nan(at)) {
          if (!std::exchange(not_a_number, true)) report(FindingId::nan_output, element, "a NaN is left in the output");
        }
      };
      meter_.in_pieces(buffer.count, [&](int64_t first, int64_t end) {
        bool suspect = false;
        for (auto at = static_cast<size_t>(first); at < static_cast<size_t>(end); ++at) suspect |= is_poison(at) || is_nan(at);
        if (buffer.tracking.state) {
          for (auto at = static_cast<size_t>(first); at < static_cast<size_t>(end); ++at) suspect |= storage.state[at] == 0;
        }
        for (int64_t element = first; element < end && suspect; ++element) look_closer(element);
      });
      if (buffer.tracking.state) {   // in place: large outputs would cost as much again in fresh memory
        for (uint32_t& state : storage.state) state = state / 2 > no_site ? 0 : state / 2;
        output.writers = std::move(storage.state);
      }
      output.values = std::move(storage.values);
      output.integers = std::move(storage.integers);
      result.outputs.push_back(std::move(output));
    }
  }

  /// Of other top-level buffers that are named.
  void contents(Run<Value>& result, std::span<const std::string> also) {
    for (const NodeCode& node : code_.body) {
      const auto* declare = std::get_if<DeclareCode>(&node.node);
      if (declare == nullptr || code_.buffers[declare->buffer].is_output) continue;
      const BufferCode& buffer = code_.buffers[declare->buffer];
      if (std::ranges::find(also, buffer.source->name) == also.end()) continue;
      Storage<Value>& storage = memory_[declare->buffer];
      result.outputs.push_back({buffer.source->name,
                                buffer.source->dtype,
                                buffer.extents,
                                buffer.is_index,
                                std::move(storage.values),
                                std::move(storage.integers),
                                {}});
    }
  }

 private:
  const Code& code_;
  D& domain_;
  Memory<Value>& memory_;
  FindingLog& log_;
  Meter& meter_;

  std::string writer_label(uint32_t state) const {
    const uint32_t site = state / 2 - 1;
    for (const StatementCode& statement : code_.statements) {
      if (statement.site == site) return statement.label;
    }
    return "-";
  }
  ir::Location writer_location(uint32_t state) const {
    for (const StatementCode& statement : code_.statements) {
      if (statement.site == state / 2 - 1) return statement.source->location;
    }
    return {};
  }
};

}  // namespace tileproof::oracle
