#pragma once

#include <cstdint>
#include <string_view>

namespace tileproof::penguin {

/// Why there is no cut.
enum class CutError : uint8_t {
  cut_size_below_one,
  negative_extent,
  multiple_below_one,
  divisor_search_too_long,  // uniform: no divisor among the first `max_divisor_candidates`
  needs_cascade,        // the protected extents alone are over the budget
  no_such_dim,          // the dim is not in the list
  tile_without_dim,
  tile_out_of_range,    // below 1, or beyond the extent
  swap_without_tile,    // nothing is split, so nothing can be exchanged
  swap_does_not_divide, // the in-tile factor would not be whole
  swap_over_budget,     // the tile holds the axes right of the cut as well
};

/// What is wrong and how to mend it, in a sentence without a full stop.
std::string_view text(CutError error);

}  // namespace tileproof::penguin
