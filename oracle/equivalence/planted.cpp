#include "oracle/equivalence/planted.h"

#include "oracle/equivalence/tier.h"
#include "oracle/interpret/extents.h"
#include "oracle/interpret/order.h"

#include <algorithm>
#include <set>

namespace tileproof::oracle {
namespace {

struct Input {
  const ir::Buffer* buffer;
  std::vector<int64_t> extents;
  int64_t elements;
};

std::vector<Input> data_inputs(const ir::Program& program, const Kinds& kinds, const Parameters& parameters) {
  std::vector<Input> inputs;
  for (const ir::Item& item : program.body) {
    const auto* buffer = std::get_if<ir::Buffer>(&item.node);
    if (buffer == nullptr || (buffer->role != ir::Role::in && buffer->role != ir::Role::inout)) continue;
    if (std::ranges::find(kinds.index_inputs, buffer->name) != kinds.index_inputs.end()) continue;
    Input input{buffer, extents_of(*buffer, parameters), 1};
    for (const int64_t extent : input.extents) input.elements = wrap_multiply(input.elements, extent);
    if (input.elements > 0) inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace

Planting choose_planting(const ir::Program& original, const Kinds& kinds, const std::vector<int64_t>& borders,
                         const Parameters& parameters, const std::vector<InputPlace>& suspects, int64_t most, uint64_t key) {
  const std::vector<Input> inputs = data_inputs(original, kinds, parameters);
  Planting planting;
  for (const Input& input : inputs) {
    planting.elements += input.elements;
    planting.buffers.push_back(input.buffer->name);
  }
  std::set<std::pair<std::string, int64_t>> seen;
  const auto plant = [&](const std::string& name, ir::Dtype dtype, int64_t element, const std::vector<int64_t>& extents) {
    if (static_cast<int64_t>(planting.places.size()) < most && seen.emplace(name, element).second) {
      planting.places.push_back({name, dtype, element, indices_of(element, extents)});
    }
  };
  for (const InputPlace& suspect : suspects) {
    const auto input = std::ranges::find(inputs, suspect.buffer, [](const Input& at) { return at.buffer->name; });
    if (input != inputs.end()) plant(suspect.buffer, input->buffer->dtype, suspect.element, input->extents);
  }
  if (planting.elements <= most) {
    for (const Input& input : inputs) {
      for (int64_t element = 0; element < input.elements; ++element)
        plant(input.buffer->name, input.buffer->dtype, element, input.extents);
    }
    return planting;
  }
  int64_t left = static_cast<int64_t>(inputs.size());
  for (const Input& input : inputs) {
    const int64_t share = (most - static_cast<int64_t>(planting.places.size())) / left--;
    const int64_t end = static_cast<int64_t>(planting.places.size()) + share;
    const auto add = [&](int64_t element) {
      if (static_cast<int64_t>(planting.places.size()) < end && element >= 0 && element < input.elements)
        plant(input.buffer->name, input.buffer->dtype, element, input.extents);
    };
    add(0);
    add(input.elements - 1);
    // No more than half of the share for the borders, so that some places are left to chance.
    const int64_t last_border = end - share / 2;
    for (const int64_t border : borders) {
      if (static_cast<int64_t>(planting.places.size()) < last_border) add(border);
    }
    for (uint64_t turn = 0; turn < static_cast<uint64_t>(4 * most); ++turn) {
      add(static_cast<int64_t>(mix(mix(key, hash_name(input.buffer->name)), turn) % static_cast<uint64_t>(input.elements)));
    }
  }
  return planting;
}

}  // namespace tileproof::oracle
