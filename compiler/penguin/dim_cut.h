// Where a priority-ordered list of extents is cut so that the tile keeps within a budget. docs/cut.md explains it with pictures.
#pragma once

#include "compiler/penguin/cut_error.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>

namespace tileproof::penguin {

/// Dimensions left of `dim` are whole in the tile, dimensions right of it become loops.
///
///   dim      tile     in the tile
///   nullopt  nullopt  everything: nothing is cut
///   i        nullopt  the dimensions up to i, i included, whole
///   i        t        those before i whole, and t elements of dimension i; 1 <= t < its extent
struct DimCut {
  std::optional<size_t> dim;
  std::optional<int64_t> tile;  ///< elements
  bool unaligned = false;   ///< the dimensions are cut, and the product of the tile is no multiple of CutOptions::multiple
  bool degenerate = false;  ///< uniform, and the first dimension has no divisor within the budget but 1
  bool operator==(const DimCut&) const = default;
};

struct CutOptions {
  bool uniform = false;  ///< the tile divides the extent of the cut dimension, so that no tile is ragged
  int64_t multiple = 1;  ///< where dimensions are cut, the product of the tile is a multiple of this if such a tile exists
  bool operator==(const CutOptions&) const = default;
};

/// How many candidates the search for a divisor (CutOptions::uniform) looks at.
constexpr int64_t max_divisor_candidates = int64_t{1} << 26;

/// Cuts `extents` (elements, highest priority first) so that the tile holds at most `cut_size` elements.
///
/// The longest prefix that fits stays whole, and of the next dimension as many slices as fit; where not even two fit, none.
/// An extent of 0 makes the whole fit. Products beyond 64 bits are over every budget.
/// Errors: cut_size_below_one, negative_extent, multiple_below_one, divisor_search_too_long (uniform, an extent beyond 2^50
/// and a cut size beyond 2^25).
/// Source: seed 000, computeCut, by its worked examples and that of seed 003; alignment, uniform tiles of prime extents, unit
/// and zero extents, and two slices as the least that is split off are our choice.
std::expected<DimCut, CutError> compute_cut(std::span<const int64_t> extents, int64_t cut_size, CutOptions options = {});

/// The product of the tile, saturating; extents of 0 count as 1.
int64_t tile_elements(std::span<const int64_t> extents, const DimCut& cut);

}  // namespace tileproof::penguin
