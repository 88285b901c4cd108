// A buffer as the grid of the tiles that wrote it.
#pragma once

#include "oracle/explain/picture.h"
#include "oracle/explain/slice.h"
#include "oracle/explain/written.h"

#include <optional>
#include <span>

namespace tileproof::oracle {

/// A tile is what one combination of loop iterations (and statement) wrote last. Borders stand where two tiles meet; of many
/// tiles the first, the last and those around `mark` are drawn. `mark`: an element, whose tile gets an asterisk.
Picture tile_grid(const Written& written, const WrittenBuffer& buffer, const std::optional<std::vector<int64_t>>& mark);

/// A number for each element of a slice, row by row: equal numbers, one tile.
std::vector<uint32_t> tile_numbers(const Written& written, const WrittenBuffer& buffer, const Slice& slice);

/// The half-open ranges of rows and columns between which tiles change.
struct TileCuts {
  std::vector<int64_t> rows, columns;   ///< borders, 0 and the extent included
};
TileCuts tile_cuts(std::span<const uint32_t> numbers, const Slice& slice);

}  // namespace tileproof::oracle
