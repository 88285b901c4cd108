// What a fresh buffer holds: inputs, drawn by the domain or left by the run of the partner, or poison.
#pragma once

#include "oracle/interpret/code.h"
#include "oracle/interpret/meter.h"
#include "oracle/interpret/order.h"
#include "oracle/interpret/run.h"
#include "oracle/memory/memory.h"

#include <any>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tileproof::oracle {

template <class D>
class Filling {
 public:
  using Value = typename D::Value;

  Filling(const Code& code, D& domain, Memory<Value>& memory, const RunOptions& options, Meter& meter)
      : code_(code), domain_(domain), memory_(memory), options_(options), meter_(meter) {}

  /// False: the run has to end.
  bool fill(uint32_t number) {
    const BufferCode& buffer = code_.buffers[number];
    Storage<Value>& storage = memory_[number];
    const ir::Role role = buffer.source->role;
    const bool is_input = role == ir::Role::in || role == ir::Role::inout;
    InputElement input{buffer.source->name, hash_name(buffer.source->name), buffer.source->dtype, 0, buffer.count, buffer.low,
                       buffer.high};
    const auto elements = [&](auto& list, auto poison, auto&& draw) {
      list.clear();
      list.reserve(static_cast<size_t>(buffer.count));
      return meter_.in_pieces(buffer.count, [&](int64_t first, int64_t end) {
        list.resize(static_cast<size_t>(end), poison);
        input.element = first;
        if (is_input) draw(end, list.data() + first);
      });
    };
    const auto one_by_one = [&](auto&& make) {
      return [&](int64_t end, auto* values) {
        for (; input.element < end; ++input.element) *values++ = make();
      };
    };
    if (take_input(buffer, storage)) return true;
    if (buffer.is_index)
      return elements(storage.integers, integer_poison, one_by_one([&] { return index_input(options_, input); }));
    if constexpr (requires { domain_.inputs(input, int64_t{}, storage.values.data()); }) {
      return elements(storage.values, D::poison(), [&](int64_t end, Value* values) { domain_.inputs(input, end, values); });
    } else {
      return elements(storage.values, D::poison(), one_by_one([&] { return domain_.input(input); }));
    }
  }

  /// At the end of a run that the next one is to have the inputs of. The elements are moved out.
  void leave_inputs() {
    if (options_.inputs == nullptr || options_.inputs->has_value()) return;
    InputValues values;
    for (uint32_t number = 0; number < code_.buffers.size(); ++number) {
      const BufferCode& buffer = code_.buffers[number];
      if (buffer.source->role == ir::Role::in && !buffer.is_index)
        values[buffer.source->name] = std::move(memory_[number].values);
    }
    *options_.inputs = std::move(values);
  }

 private:
  using InputValues = std::map<std::string_view, std::vector<Value>>;  // by the names of `in` buffers, which nothing writes

  const Code& code_;
  D& domain_;
  Memory<Value>& memory_;
  const RunOptions& options_;
  Meter& meter_;

  bool take_input(const BufferCode& buffer, Storage<Value>& storage) {
    auto* values = options_.inputs == nullptr ? nullptr : std::any_cast<InputValues>(options_.inputs);
    if (values == nullptr || buffer.source->role != ir::Role::in || buffer.is_index) return false;
    const auto found = values->find(buffer.source->name);
    if (found == values->end()) return false;
    storage.values = std::move(found->second);
    values->erase(found);
    return true;
  }
};

}  // namespace tileproof::oracle
