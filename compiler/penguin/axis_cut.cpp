#include "compiler/penguin/axis_cut.h"

#include "compiler/penguin/cut_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::penguin {
namespace {

namespace ar = arithmetic;
using Axes = PriorityOrder<CutAxis>;

/// A cut that cut_axes can apply, a tile that is the whole extent made none.
std::expected<DimCut, CutError> applicable(const Axes& axes, DimCut cut) {
  if (std::ranges::any_of(axes, [](const CutAxis& axis) { return axis.extent < 0; }))
    return std::unexpected(CutError::negative_extent);
  if (!cut.dim && cut.tile) return std::unexpected(CutError::tile_without_dim);
  if (!cut.dim) return cut;
  if (*cut.dim >= axes.size()) return std::unexpected(CutError::no_such_dim);
  if (!cut.tile) return cut;
  const int64_t extent = axes[*cut.dim].extent;
  if (*cut.tile < 1 || *cut.tile > extent) return std::unexpected(CutError::tile_out_of_range);
  if (*cut.tile == extent) cut.tile.reset();
  return cut;
}

std::optional<CutError> refuse_swap(const Axes& axes, const DimCut& cut, int64_t cut_size) {
  if (cut_size < 1) return CutError::cut_size_below_one;
  if (!cut.tile) return CutError::swap_without_tile;
  if (ar::tail(axes[*cut.dim].extent, *cut.tile) != 0) return CutError::swap_does_not_divide;
  int64_t in_tile = 1;
  const auto grow = [&](int64_t extent) {
    if (ar::exceeds(in_tile, extent, cut_size)) return false;
    in_tile *= extent;
    return true;
  };
  bool fits = grow(*cut.tile);
  for (size_t i = *cut.dim + 1; i < axes.size(); ++i) fits = fits && grow(axes[i].extent);
  return fits ? std::nullopt : std::optional(CutError::swap_over_budget);
}

/// Appends to a list and says where.
AxisFactor put(Axes& list, CutAxis axis, int64_t coefficient) {
  list.push_back(std::move(axis));
  return {list.size() - 1, coefficient};
}

void split(AxisCut& result, const CutAxis& axis, int64_t tile, bool swapped) {
  result.split = result.axes.size();
  result.trips = ar::trips(axis.extent, tile);
  result.tail = ar::tail(axis.extent, tile);
  const std::string high = axis.name + "_o", low = axis.name + "_i";
  // The coefficient of the high-order factor is the extent of the low-order one.
  const AxisFactor loop = put(result.loop, {swapped ? low : high, result.trips}, swapped ? 1 : tile);
  const AxisFactor in_tile = put(result.tile, {swapped ? high : low, tile}, swapped ? result.trips : 1);
  result.axes.push_back({axis, loop, in_tile});
}

std::string term(const Axes& list, const AxisFactor& factor) {
  const std::string& name = list[factor.position].name;
  return factor.coefficient == 1 ? name : fmt::format("{}*{}", factor.coefficient, name);
}

}  // namespace

std::expected<AxisCut, CutError> cut_axes(const Axes& axes, const DimCut& cut, std::optional<SwapTile> swap_tile) {
  const std::expected<DimCut, CutError> at = applicable(axes, cut);
  if (!at) return std::unexpected(at.error());
  if (swap_tile) {
    if (const std::optional<CutError> error = refuse_swap(axes, *at, swap_tile->cut_size)) return std::unexpected(*error);
  }
  AxisCut result;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (at->dim == i && at->tile) {
      split(result, axes[i], *at->tile, swap_tile.has_value());
      continue;
    }
    const bool is_right = at->dim && i > *at->dim;
    AxisMap map{axes[i], {}, {}};
    if (is_right != swap_tile.has_value()) {
      map.loop = put(result.loop, axes[i], 1);
    } else {
      map.tile = put(result.tile, axes[i], 1);
    }
    result.axes.push_back(std::move(map));
  }
  return result;
}

std::string index_expression(const AxisCut& cut, size_t i) {
  const AxisMap& map = cut.axes[i];
  if (!map.loop) return term(cut.tile, *map.tile);
  if (!map.tile) return term(cut.loop, *map.loop);
  const std::string loop = term(cut.loop, *map.loop), tile = term(cut.tile, *map.tile);
  const bool tile_is_high = map.tile->coefficient > map.loop->coefficient;
  return tile_is_high ? tile + " + " + loop : loop + " + " + tile;
}

}  // namespace tileproof::penguin
