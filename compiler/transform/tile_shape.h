// The dims of a tile: some axes of a statement, before and behind the bar.
#pragma once

#include "compiler/transform/localize.h"

namespace tileproof::transform {

struct TileShape {
  ir::Buffer buffer;
  std::vector<ir::Axis> axes;                ///< parallel: of the statement that copies
  std::vector<ir::Expression> indices;       ///< of the element for a point of the axes
};

/// The buffer that `tile` describes for an access of `statement` that names the axes `named`. Refusals: bad_name, axes_differ,
/// extent_varies, may_be_empty, bad_tile (2^62 bits or more).
Outcome<TileShape> tile_shape(const Tile& tile, const ir::Statement& statement, const std::vector<std::string>& named,
                              ir::Dtype dtype, const Environment& environment);

}  // namespace tileproof::transform
