#include "compiler/penguin/divisor.h"

#include "compiler/penguin/cut_arithmetic.h"
#include "compiler/penguin/dim_cut.h"

#include <algorithm>

namespace tileproof::penguin {

namespace ar = arithmetic;

std::optional<int64_t> largest_divisor(int64_t extent, int64_t bound) {
  int64_t left = max_divisor_candidates;
  bound = std::min(bound, extent);
  // Divisors above the square root are found by what they leave over, which is below it.
  if (bound > extent / bound) {
    int64_t quotient = ar::trips(extent, bound);
    for (; quotient <= extent / quotient; ++quotient) {
      if (left-- == 0) return std::nullopt;
      if (ar::codivisor_step(extent, quotient) == quotient) return extent / quotient;
    }
    bound = extent / quotient;
  }
  while (left-- > 0) {
    const int64_t next = ar::divisor_step(extent, bound);
    if (next == bound) return bound;
    bound = next;
  }
  return std::nullopt;
}

}  // namespace tileproof::penguin
