// How many points a nest of loops and axes has, without those that its conditions leave out.
#pragma once

#include "compiler/ir/program.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tileproof::analysis {

/// A loop variable or an axis. Its half-open range may name parameters and the dimensions before it.
struct Dimension {
  std::string name;
  ir::Range range;
};

using ParameterValues = std::map<std::string, int64_t, std::less<>>;

struct PointCount {
  int64_t points = 0;   ///< saturates
  bool exact = true;    ///< false: an upper bound, since a condition depends on data or the count would take too long
};

/// Steps that one count may take before it gives up on being exact (our choice: some hundredths of a second).
inline constexpr int64_t most_steps = 1 << 18;

/// Dimensions that no condition and no range ties together are counted apart; of those that are tied, one that is affine in all
/// conditions is counted as an interval, and the others are enumerated. So `128*mb + m < 300` takes as many steps as mb has values.
PointCount count_points(std::span<const Dimension> dimensions, std::span<const ir::Expression> conditions,
                        const ParameterValues& parameters);

/// The value of an expression over parameters; nullopt: it names something else.
std::optional<int64_t> value(const ir::Expression& expression, const ParameterValues& parameters);

}  // namespace tileproof::analysis
