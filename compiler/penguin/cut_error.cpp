#include "compiler/penguin/cut_error.h"

namespace tileproof::penguin {

std::string_view text(CutError error) {
  switch (error) {
    case CutError::cut_size_below_one: return "the cut size is below 1; a tile holds at least one element";
    case CutError::negative_extent: return "an extent is negative; extents are 0 or more elements";
    case CutError::multiple_below_one: return "the multiple is below 1; take 1 for no alignment";
    case CutError::divisor_search_too_long:
      return "no divisor of the cut extent is found in reasonable time; take a smaller cut size, or a tile that is not uniform";
    case CutError::needs_cascade:
      return "the protected extents alone are over the budget; the reduction needs a cascade, not a cut";
    case CutError::no_such_dim: return "the cut dimension is not in the list; dimensions count from 0";
    case CutError::tile_without_dim: return "a tile size without a cut dimension; name the dimension";
    case CutError::tile_out_of_range: return "the tile is below 1 or beyond the extent of the cut dimension";
    case CutError::swap_without_tile:
      return "a swap without a tile size: no axis is split, so no factors can be exchanged; cut without a swap";
    case CutError::swap_does_not_divide: return "a swapped tile must divide the extent of the cut dimension; take a uniform tile";
    case CutError::swap_over_budget:
      return "a swapped tile holds the axes right of the cut too, and that is over the cut size; swap single axes only";
  }
  return "";
}

}  // namespace tileproof::penguin
