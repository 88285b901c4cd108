// Mean and variance of one tensor over the same axes, as a program that knows no statistics writes them.
#pragma once

#include "compiler/penguin/operation.h"
#include "compiler/transform/environment.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::penguin {

/// Four statements of one block, N being the number of elements that are reduced:
///
///     reduce s[c] += x[c, i]                                 over c:64, i:N reduce start
///     map    m[c] = s[c] / N                                 over c:64
///     reduce q[c] += (x[c, i] - m[c]) * (x[c, i] - m[c])     over c:64, i:N reduce start
///     map    v[c] = rsqrt(q[c] / N + 1e-5)                   over c:64
///
/// Each index of x is an axis of its own, or names no axis. The last value is any that is made of q / N alone.
struct MeanVariance {
  size_t sum = 0, mean = 0, squares = 0, variance = 0;  ///< positions in the block, ascending
  std::vector<ir::Expression> mean_indices, variance_indices;  ///< of m and v, by the axes of the sum
  ir::Expression value;  ///< of v, with q in place of q / N
  ir::Decimal counts[2];  ///< what s and q are divided by
  std::array<size_t, 4> statements() const { return {sum, mean, squares, variance}; }
};

/// Those whose squares are block[index]; nullopt: there is no such mean and variance.
std::optional<MeanVariance> mean_variance_at(const ir::Block& block, size_t index);

/// Why statistics of tiles do not take the place of the statements.
enum class NoStatistics : uint8_t {
  sums_used,        // a sum is an output, or something else reads it
  rounded_sums,     // a sum or the mean is rounded to less than f32, or not added up in f32
  written_between,  // the tensor or a result is written, or a result read, before the statement that defines it
  masked,           // a condition leaves elements out, or the sums do not begin anew
  few_elements,     // an extent is no number, or no two elements are reduced
  other_count,      // a sum is divided by something else than the number of elements
};
/// The word of the passes' vocabulary ("sums-used"), and one line that says what it means.
std::string_view name(NoStatistics reason);
std::string_view meaning(NoStatistics reason);
inline constexpr size_t no_statistics_count = 6;

/// In how many statements, views, moves and opaque operations each name occurs.
using Mentions = std::map<std::string, size_t, std::less<>>;
Mentions mentions(const ir::Program& program);

/// Whether the four statements may become one nest in place of the first, in which the sums do not occur. nullopt: they may. The rounding of
/// a mean to f32 before it is subtracted is no obstacle: f32 is wide (Environment::is_wide). `tensors` are what the sum sees.
std::optional<NoStatistics> no_statistics(const MeanVariance& found, const ir::Block& block, const Tensors& tensors,
                                          const Mentions& mentions, const transform::Environment& environment);

}  // namespace tileproof::penguin
