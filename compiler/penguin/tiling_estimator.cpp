#include "compiler/penguin/tiling_estimator.h"

#include "compiler/penguin/axis_class.h"

#include <algorithm>

namespace tileproof::penguin {
namespace {

int64_t ceiling(int64_t dividend, int64_t divisor) { return dividend / divisor + (dividend % divisor != 0); }

int64_t sum(int64_t a, int64_t b) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  return a > most - b ? most : a + b;
}

std::vector<TiledAxis> loops_of(const ir::Statement& s, bool reduced, const Extents& extents) {
  std::vector<TiledAxis> loops;
  for (const size_t i : axes_of(s, AxisClass::block, reduced)) loops.push_back({extents.largest(s.axes[i].extent), 1});
  return loops;
}

}  // namespace

EstimateLimits estimate_limits(const machine::Machine& machine) {
  EstimateLimits limits{machine.constant("max_tripcount"), machine.constant("moving_free"), machine.constant("engine_free")};
  if (const auto bank = machine.constant("psum_bank_f32"); bank && limits.moving_free)
    limits.moving_free = std::min(*bank, *limits.moving_free);
  return limits;
}

std::optional<int64_t> base_trips(std::span<const TiledAxis> loops, const EstimateLimits& limits) {
  int64_t trips = 1;
  for (const TiledAxis& loop : loops) {
    const int64_t factor = ceiling(loop.extent, loop.tile);
    if (limits.max_tripcount && factor > *limits.max_tripcount) return std::nullopt;
    trips = ir::multiply_saturating(trips, factor);
  }
  return trips;
}

PartitionReduction stages_of(const ir::Statement& statement, const Extents& extents) {
  PartitionReduction stages{loops_of(statement, false, extents), loops_of(statement, true, extents), 1};
  for (const size_t i : axes_of(statement, AxisClass::free, false))
    stages.free = ir::multiply_saturating(stages.free, extents.largest(statement.axes[i].extent));
  return stages;
}

std::string_view spelling(PartitionWay way) {
  return std::array<std::string_view, partition_way_count>{"ones-matmul", "partition-reduce",
                                                           "cascade"}[static_cast<size_t>(way)];
}

std::optional<int64_t> estimate(PartitionWay way, const PartitionReduction& reduction, const EstimateLimits& limits) {
  const auto loops = base_trips(reduction.loops, limits), blocks = base_trips(reduction.reduced_loops, limits);
  if (!loops || !blocks) return std::nullopt;
  const int64_t first = ir::multiply_saturating(*loops, *blocks);
  const auto instructions = [&](std::optional<int64_t> most) { return most ? ceiling(reduction.free, *most) : 1; };
  int64_t behind = 0;   // trips behind the first stage, for one of `loops`
  switch (way) {
    case PartitionWay::ones_matmul: behind = instructions(limits.moving_free); break;
    case PartitionWay::partition_reduce: behind = instructions(limits.engine_free); break;
    case PartitionWay::cascade: behind = reduction.free > 1 ? 3 : 2; break;
  }
  return sum(first, ir::multiply_saturating(*loops, behind));
}

Estimates estimates(const PartitionReduction& reduction, const EstimateLimits& limits) {
  Estimates trips;
  for (size_t i = 0; i < partition_way_count; ++i) trips[i] = estimate(static_cast<PartitionWay>(i), reduction, limits);
  return trips;
}

std::optional<PartitionWay> cheapest(const Estimates& trips, const std::function<bool(PartitionWay)>& is_legal) {
  std::optional<PartitionWay> best;
  for (size_t i = 0; i < partition_way_count; ++i) {
    const auto way = static_cast<PartitionWay>(i);
    const bool is_cheaper = trips[i] && (!best || *trips[i] < *trips[static_cast<size_t>(*best)]);
    if (is_cheaper && is_legal(way)) best = way;   // to ask the machine costs most
  }
  return best;
}

}  // namespace tileproof::penguin
