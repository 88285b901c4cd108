#include "oracle/equivalence/origins.h"

#include "oracle/domain/origin.h"
#include "oracle/equivalence/tier.h"
#include "oracle/interpret/extents.h"
#include "oracle/interpret/order.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tileproof::oracle {
namespace {

constexpr uint64_t graph_bytes = uint64_t{2} << 30;
constexpr uint64_t nodes_visited = uint64_t{1} << 28;
constexpr size_t most_listed = 8;         // ranges of elements, for each list of a report

struct Traced {
  Origin domain;
  Run<OriginValue> run;
};

Traced trace(const LoweredProgram& program, const Signature& signature, const RunOptions& options) {
  Traced traced{Origin(signature, {}, options.key, std::min(graph_bytes, options.limits.bytes)), {}};
  traced.run = run_program(program, traced.domain, options);
  std::ranges::sort(traced.run.outputs, {}, &Output<OriginValue>::buffer);
  return traced;
}

bool usable(const Traced& traced) { return traced.run.status == RunStatus::done && !traced.domain.exceeded(); }

using Counts = std::map<Origin::Element, uint64_t>;

std::optional<Counts> counts(const Traced& traced, const std::string& buffer, int64_t element) {
  for (const auto& output : traced.run.outputs) {
    if (output.buffer != buffer) continue;
    if (output.is_index) return Counts{};
    return traced.domain.elements(output.values[static_cast<size_t>(element)]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<OriginDifference> compare_origins(const ir::Program& original, const LoweredProgram& original_code,
                                                const LoweredProgram& tiled_code, const Signature& signature,
                                                const RunOptions& options, const std::string& buffer, int64_t element) {
  std::optional<Counts> sides[2];
  const LoweredProgram* programs[2] = {&original_code, &tiled_code};
  for (int side = 0; side < 2; ++side) {   // one graph at a time
    const Traced traced = trace(*programs[side], signature, options);
    if (usable(traced)) sides[side] = counts(traced, buffer, element);
    if (!sides[side]) return std::nullopt;
  }
  std::map<uint64_t, std::pair<const ir::Buffer*, std::vector<int64_t>>> inputs;
  for (const ir::Item& item : original.body) {
    if (const auto* input = std::get_if<ir::Buffer>(&item.node))
      inputs[hash_name(input->name)] = {input, extents_of(*input, options.parameters)};
  }
  const auto place = [&](const Origin::Element& at) {
    const auto& [input, extents] = inputs.at(at.first);
    return InputPlace{input->name, input->dtype, at.second, indices_of(at.second, extents)};
  };
  OriginDifference difference;
  for (const auto& [at, count] : *sides[0]) {
    const auto same = sides[1]->find(at);
    if (same == sides[1]->end())
      difference.missing.push_back(place(at));
    else
      (same->second > count ? difference.repeated : difference.common).push_back(place(at));
  }
  for (const auto& [at, count] : *sides[1]) {
    if (!sides[0]->contains(at)) difference.extra.push_back(place(at));
  }
  return difference;
}

namespace {

/// The elements of a buffer in the index ranges [low, high] of its dimensions.
struct Box {
  std::string buffer;
  std::vector<int64_t> low, high;

  int64_t count() const {
    int64_t product = 1;
    for (size_t i = 0; i < low.size(); ++i) product *= high[i] - low[i] + 1;
    return product;
  }
  auto order() const { return std::tie(buffer, low, high); }
};

/// Joins boxes that are alike but for neighbouring ranges of one dimension.
std::vector<Box> joined(std::vector<Box> boxes, size_t dimension) {
  const auto without = [&](const Box& box) {
    std::vector<int64_t> key;
    for (size_t i = 0; i < box.low.size(); ++i) {
      if (i != dimension) key.insert(key.end(), {box.low[i], box.high[i]});
    }
    return std::tuple(box.buffer, box.low.size(), key);
  };
  std::map<decltype(without(boxes[0])), std::vector<Box>> lines;
  for (Box& box : boxes) lines[without(box)].push_back(std::move(box));
  boxes.clear();
  for (auto& [key, line] : lines) {
    if (std::get<1>(key) <= dimension) {
      boxes.insert(boxes.end(), line.begin(), line.end());
      continue;
    }
    std::ranges::sort(line, {}, [&](const Box& box) { return box.low[dimension]; });
    for (const Box& box : line) {
      const bool follows = &box != line.data() && boxes.back().high[dimension] + 1 == box.low[dimension];
      if (follows)
        boxes.back().high[dimension] = box.high[dimension];
      else
        boxes.push_back(box);
    }
  }
  return boxes;
}

}  // namespace

std::vector<std::string> list_places(const std::vector<InputPlace>& places) {
  std::vector<Box> boxes;
  size_t rank = 0;
  for (const InputPlace& place : places) {
    boxes.push_back({place.buffer, place.indices, place.indices});
    rank = std::max(rank, place.indices.size());
  }
  for (size_t dimension = rank; dimension-- > 0;) boxes = joined(std::move(boxes), dimension);
  std::ranges::sort(boxes, {}, &Box::order);
  std::vector<std::string> texts;
  auto left = static_cast<int64_t>(places.size());
  for (const Box& box : boxes) {
    if (texts.size() == most_listed) {
      texts.push_back(fmt::format("and {} more elements", left));
      break;
    }
    std::vector<std::string> parts;
    for (size_t i = 0; i < box.low.size(); ++i)
      parts.push_back(box.low[i] == box.high[i] ? fmt::format("{}", box.low[i]) : fmt::format("{}..{}", box.low[i], box.high[i]));
    texts.push_back(fmt::format("{}[{}]", box.buffer, fmt::join(parts, ", ")));
    left -= box.count();
  }
  return texts;
}

std::optional<std::set<std::pair<uint64_t, int64_t>>> origins_of(const LoweredProgram& program, const Signature& signature,
                                                                 const RunOptions& options) {
  const Traced traced = trace(program, signature, options);
  if (!usable(traced)) return std::nullopt;
  std::set<std::pair<uint64_t, int64_t>> all;
  for (const auto& output : traced.run.outputs) {
    for (const OriginValue& v : output.values) {
      const auto elements = traced.domain.elements(v);
      if (!elements) return std::nullopt;
      for (const auto& [element, count] : *elements) all.insert(element);
    }
  }
  return all;
}

std::optional<std::optional<std::pair<std::string, int64_t>>> first_other_origin(const LoweredProgram& original,
                                                                                 const LoweredProgram& tiled,
                                                                                 const Signature& signature,
                                                                                 const RunOptions& options) {
  std::vector<std::pair<std::string, std::vector<uint64_t>>> supports[2];
  uint64_t work = nodes_visited;
  const LoweredProgram* programs[2] = {&original, &tiled};
  for (int side = 0; side < 2; ++side) {
    const Traced traced = trace(*programs[side], signature, options);
    if (!usable(traced)) return std::nullopt;
    for (const auto& output : traced.run.outputs) {
      std::vector<uint64_t> hashes;
      for (const OriginValue& v : output.values) {
        const std::optional<uint64_t> hash = traced.domain.support_hash(v, work);
        if (!hash) return std::nullopt;
        hashes.push_back(*hash);
      }
      supports[side].emplace_back(output.buffer, std::move(hashes));
    }
  }
  for (size_t i = 0; i < supports[0].size() && i < supports[1].size(); ++i) {
    const auto [a, b] = std::ranges::mismatch(supports[0][i].second, supports[1][i].second);
    if (a != supports[0][i].second.end()) return std::pair(supports[0][i].first, a - supports[0][i].second.begin());
  }
  return std::optional<std::pair<std::string, int64_t>>{};
}

}  // namespace tileproof::oracle
