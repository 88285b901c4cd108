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

namespace tileproof::oracle {
namespace {

constexpr uint64_t graph_bytes = uint64_t{2} << 30;
constexpr uint64_t nodes_visited = uint64_t{1} << 28;
constexpr size_t most_listed = 8;         // ranges of elements, for each list of a report

struct Traced {
  Origin domain;
  Run<OriginValue> run;
};

Traced trace(const ir::Program& program, const Signature& signature, const RunOptions& options) {
  Traced traced{Origin(signature, {}, options.key, std::min(graph_bytes, options.limits.bytes)), {}};
  traced.run = run_program(program, traced.domain, options);
  std::ranges::sort(traced.run.outputs, {}, &Output<OriginValue>::buffer);
  return traced;
}

bool usable(const Traced& traced) { return traced.run.status == RunStatus::done && !traced.domain.exceeded(); }

using Counts = std::map<Origin::Element, uint64_t>;

struct Names {
  std::map<uint64_t, std::pair<std::string, std::vector<int64_t>>> inputs;   // by hash: name and extents

  Names(const ir::Program& program, const Parameters& parameters) {
    for (const ir::Item& item : program.body) {
      if (const auto* buffer = std::get_if<ir::Buffer>(&item.node)) inputs[hash_name(buffer->name)] = {buffer->name, extents_of(*buffer, parameters)};
    }
  }

  /// "x[1, 65536..99999]": runs of neighbours along the last dimension are joined.
  std::vector<std::string> list(const std::vector<Origin::Element>& elements) const {
    std::vector<std::string> texts;
    for (size_t i = 0; i < elements.size();) {
      const auto& [name, extents] = inputs.at(elements[i].first);
      const int64_t row = extents.empty() ? 1 : std::max<int64_t>(1, extents.back());
      size_t end = i + 1;
      while (end < elements.size() && elements[end].first == elements[i].first && elements[end].second == elements[end - 1].second + 1 && elements[end].second % row != 0) ++end;
      if (texts.size() == most_listed) {
        texts.push_back(fmt::format("and {} more elements", elements.size() - i));
        break;
      }
      std::vector<int64_t> at = indices_of(elements[i].second, extents);
      std::vector<std::string> parts;
      for (const int64_t index : at) parts.push_back(fmt::format("{}", index));
      if (end - i > 1) parts.back() = fmt::format("{}..{}", at.back(), at.back() + static_cast<int64_t>(end - i) - 1);
      texts.push_back(fmt::format("{}[{}]", name, fmt::join(parts, ", ")));
      i = end;
    }
    return texts;
  }
};

std::optional<Counts> counts(const Traced& traced, const std::string& buffer, int64_t element) {
  for (const auto& output : traced.run.outputs) {
    if (output.buffer != buffer) continue;
    if (output.is_index) return Counts{};
    return traced.domain.elements(output.values[static_cast<size_t>(element)]);
  }
  return std::nullopt;
}

}  // namespace

bool compare_origins(const ir::Program& original, const ir::Program& tiled, const Signature& signature, const RunOptions& options, const std::string& buffer,
                     int64_t element, Difference& difference) {
  std::optional<Counts> before, after;
  {
    const Traced traced = trace(original, signature, options);   // one graph at a time
    if (usable(traced)) before = counts(traced, buffer, element);
  }
  if (!before) return false;
  {
    const Traced traced = trace(tiled, signature, options);
    if (usable(traced)) after = counts(traced, buffer, element);
  }
  if (!after) return false;
  std::vector<Origin::Element> missing, extra, repeated;
  for (const auto& [at, count] : *before) {
    const auto same = after->find(at);
    if (same == after->end()) missing.push_back(at);
    else if (same->second > count) repeated.push_back(at);
  }
  for (const auto& [at, count] : *after) {
    if (!before->contains(at)) extra.push_back(at);
  }
  const Names names(original, options.parameters);
  difference.missing = names.list(missing);
  difference.extra = names.list(extra);
  difference.repeated = names.list(repeated);
  return true;
}

std::optional<std::optional<std::pair<std::string, int64_t>>> first_other_origin(const ir::Program& original, const ir::Program& tiled,
                                                                                  const Signature& signature, const RunOptions& options) {
  std::vector<std::pair<std::string, std::vector<uint64_t>>> supports[2];
  uint64_t work = nodes_visited;
  const ir::Program* programs[2] = {&original, &tiled};
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
