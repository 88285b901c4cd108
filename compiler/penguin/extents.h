// The extents that cuts are decided on.
#pragma once

#include "compiler/ir/interval.h"
#include "compiler/ir/program.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace tileproof::penguin {

/// Extents as numbers: a dynamic one counts as the largest that its parameters allow (our choice: a cut must fit always).
class Extents {
 public:
  explicit Extents(const ir::Program& program) {
    for (const ir::Parameter& parameter : program.parameters) ranges_[parameter.name] = {parameter.low, parameter.high};
  }
  /// Elements, not below 0.
  int64_t largest(const ir::Expression& extent) const {
    const auto range_of = [&](std::string_view name) -> std::optional<ir::Interval> {
      const auto found = ranges_.find(std::string(name));
      return found == ranges_.end() ? std::nullopt : std::optional(found->second);
    };
    const std::optional<ir::Interval> bounds = ir::interval(extent, range_of);
    return bounds ? std::max<int64_t>(bounds->high, 0) : std::numeric_limits<int64_t>::max();
  }

 private:
  std::unordered_map<std::string, ir::Interval> ranges_;
};

}  // namespace tileproof::penguin
