// What a candidate for the tiling of a reduction costs, in trips of the loops that it would make.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"
#include "compiler/penguin/extents.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tileproof::penguin {

/// A loop over tiles of an axis.
struct TiledAxis {
  int64_t extent = 1;   ///< elements, not negative
  int64_t tile = 1;     ///< elements of one trip, at least 1
};

/// What the machine bounds estimates by. A constant that it does not have bounds nothing.
struct EstimateLimits {
  std::optional<int64_t> max_tripcount;   ///< of one loop; the machine's `max_tripcount`
  std::optional<int64_t> moving_free;  ///< columns of one matmul; the machine's `moving_free`, at most one bank, `psum_bank_f32`
  std::optional<int64_t> engine_free;  ///< elements in a partition of one instruction; the machine's `engine_free`
};
EstimateLimits estimate_limits(const machine::Machine& machine);

/// The product of ceil(extent / tile); saturates. nullopt: a factor is above `max_tripcount`.
/// Source: seed 000, tripcounts as the currency, and spec passes 3.3 for the formula.
std::optional<int64_t> base_trips(std::span<const TiledAxis> loops, const EstimateLimits& limits);

/// A reduction whose reduced axis lies on the partitions, by what its stages loop over.
struct PartitionReduction {
  std::vector<TiledAxis> loops;  ///< around all stages
  std::vector<TiledAxis> reduced_loops;  ///< around the first stage alone
  int64_t free = 1;  ///< elements of a partial result in one partition
};

/// The stages of a reduction that is cut and has its classes: the extents of its loops count, what a loop covers is one trip.
/// `statement` is only looked at.
PartitionReduction stages_of(const ir::Statement& statement, const Extents& extents);

/// Ways to reduce along the partitions what the first stage leaves there, the simplest first (our choice: the PE array is what the
/// source names; GpSimd takes more instructions' time for the same trips; the cascade makes four nests of two).
enum class PartitionWay : uint8_t {
  ones_matmul,  // a sum: a matmul, whose stationary operand is a column of ones
  partition_reduce,  // a sum: the instruction of that name
  cascade,  // a transposition, a reduction along the free dimension, and a transposition back
};
inline constexpr size_t partition_way_count = 3;
std::string_view spelling(PartitionWay way);

/// Trips of all stages. nullopt: the candidate is invalid, a factor is above `max_tripcount`.
///
///     first stage            loops * reduced loops
///     ones_matmul            + loops * ceil(free / moving_free)
///     partition_reduce       + loops * ceil(free / engine_free)
///     cascade                + loops (transposition) + loops (reduction) + loops (transposition back, where free > 1)
///
/// Source: spec passes 3.3; without reduced loops the first two are base * (1 + ceil(F / 512)). The formula of partition_reduce is
/// our choice.
std::optional<int64_t> estimate(PartitionWay way, const PartitionReduction& reduction, const EstimateLimits& limits);

using Estimates = std::array<std::optional<int64_t>, partition_way_count>;  ///< by PartitionWay
Estimates estimates(const PartitionReduction& reduction, const EstimateLimits& limits);

/// The cheapest way that is valid and legal; of equals the simplest. nullopt: none is both.
std::optional<PartitionWay> cheapest(const Estimates& trips, const std::function<bool(PartitionWay)>& is_legal);

}  // namespace tileproof::penguin
