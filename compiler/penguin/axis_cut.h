// Takes a list of axes apart at a cut: what loops around the tile, what is in it, and how the old indices are made of the new
// ones. docs/cut.md draws it.
#pragma once

#include "compiler/penguin/axis_order.h"
#include "compiler/penguin/dim_cut.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::penguin {

struct CutAxis {
  std::string name;
  int64_t extent = 0;  ///< elements
  bool operator==(const CutAxis&) const = default;
};

/// A summand `coefficient * list[position]` of an index.
struct AxisFactor {
  size_t position = 0;
  int64_t coefficient = 1;
  bool operator==(const AxisFactor&) const = default;
};

/// Where an axis has gone: old index = loop->coefficient * loop[loop->position] + tile->coefficient * tile[tile->position].
/// A whole axis has one of the two. The index is in the domain where it is below the extent.
struct AxisMap {
  CutAxis axis;
  std::optional<AxisFactor> loop;
  std::optional<AxisFactor> tile;
  bool operator==(const AxisMap&) const = default;
};

struct AxisCut {
  PriorityOrder<CutAxis> loop;
  PriorityOrder<CutAxis> tile;
  std::vector<AxisMap> axes;      ///< in the order of the input
  std::optional<size_t> split;    ///< the axis that became two factors
  int64_t trips = 1;  ///< of the loop over the factor of the split axis: its extent / tile, rounded up
  int64_t tail = 0;   ///< elements of the split axis in the last of these trips; 0: as many as in all others
  bool operator==(const AxisCut&) const = default;
};

/// The tile takes the high-order factor of the split axis and all axes right of it; the axes left of it loop. The tile is not
/// the one that compute_cut bounded, so the budget is named again.
struct SwapTile {
  int64_t cut_size = 0;  ///< elements
};

/// Splits `axes` at `cut`. Both lists keep the order of the input.
///
///   axes [p, E, q]                        loop             tile         old index of E
///   no dim                                []               [p, E, q]
///   dim E, no tile                        [q]              [p, E]
///   dim E, tile t                         [ceil(E/t), q]   [p, t]       t * E_o + E_i
///   dim E, tile t, swapped                [p, E/t]         [t, q]       E/t * E_o + E_i
///
/// The high-order factor of an axis E is named E_o and the low-order one E_i. A tile that is the whole extent is no split.
/// Errors: negative_extent, no_such_dim, tile_without_dim, tile_out_of_range, swap_without_tile, swap_does_not_divide,
/// swap_over_budget.
/// Source: seed 000, cut_axes, by its worked examples. That the tile under a swap is the extent of the factor in the tile, and
/// what a swap asks for, are our choice.
std::expected<AxisCut, CutError> cut_axes(const PriorityOrder<CutAxis>& axes, const DimCut& cut,
                                          std::optional<SwapTile> swap_tile = {});

/// The old index of input axis `i` in terms of the names of the two lists: "b", "4*b_o + b_i".
std::string index_expression(const AxisCut& cut, size_t i);

}  // namespace tileproof::penguin
