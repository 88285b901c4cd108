// What is known of the real number behind an element: it lies in [low, high].
#pragma once

#include <limits>

namespace tileproof::oracle {

struct RealRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

inline RealRange negate(RealRange range) { return {-range.high, -range.low}; }

}  // namespace tileproof::oracle
