#include "compiler/penguin/dim_cut.h"

#include "compiler/ir/interval.h"
#include "compiler/penguin/cut_arithmetic.h"
#include "compiler/penguin/divisor.h"

#include <numeric>

namespace tileproof::penguin {
namespace {

namespace ar = arithmetic;

/// The largest tile up to `tile` that divides the extent, aligned if one is.
std::expected<int64_t, CutError> uniform_tile(int64_t extent, int64_t tile, int64_t step) {
  const bool may_align = !ar::lacks_aligned_tile(tile, step) && extent % step == 0;
  const int64_t unit = may_align ? step : 1;
  const std::optional<int64_t> divisor = largest_divisor(extent / unit, tile / unit);
  if (!divisor) return std::unexpected(CutError::divisor_search_too_long);
  return *divisor * unit;
}

/// The cut at dimension `i`, the first that does not fit whole beside what is committed.
std::expected<DimCut, CutError> cut_at(size_t i, int64_t extent, int64_t committed, int64_t cut_size, CutOptions options) {
  const int64_t step = ar::alignment_step(options.multiple, std::gcd(options.multiple, committed));
  const int64_t most = ar::tile_of(cut_size, committed);
  int64_t tile = ar::aligned_tile(most, step);
  if (options.uniform) {
    const auto uniform = uniform_tile(extent, tile, step);
    if (!uniform) return std::unexpected(uniform.error());
    tile = *uniform;
  }
  const bool unaligned = tile % step != 0;
  if (ar::backs_off(tile) && i > 0) return DimCut{.dim = i - 1, .tile = {}, .unaligned = unaligned, .degenerate = false};
  return DimCut{.dim = i, .tile = tile, .unaligned = unaligned, .degenerate = ar::backs_off(tile) && !ar::backs_off(most)};
}

}  // namespace

std::expected<DimCut, CutError> compute_cut(std::span<const int64_t> extents, int64_t cut_size, CutOptions options) {
  if (cut_size < 1) return std::unexpected(CutError::cut_size_below_one);
  if (options.multiple < 1) return std::unexpected(CutError::multiple_below_one);
  bool empty = false;
  for (const int64_t extent : extents) {
    if (extent < 0) return std::unexpected(CutError::negative_extent);
    empty = empty || extent == 0;
  }
  if (empty) return DimCut{};
  int64_t committed = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (ar::exceeds(committed, extents[i], cut_size)) return cut_at(i, extents[i], committed, cut_size, options);
    committed *= extents[i];
  }
  return DimCut{};
}

int64_t tile_elements(std::span<const int64_t> extents, const DimCut& cut) {
  int64_t product = 1;
  for (size_t i = 0; i < extents.size() && (!cut.dim || i <= *cut.dim); ++i)
    product = ir::multiply_saturating(product, cut.dim == i && cut.tile ? *cut.tile : std::max<int64_t>(extents[i], 1));
  return product;
}

}  // namespace tileproof::penguin
