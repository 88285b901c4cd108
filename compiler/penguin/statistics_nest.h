// The nest that takes the place of a mean and a variance: statistics of each tile, and one aggregation of them.
#pragma once

#include "compiler/penguin/mean_variance.h"
#include "compiler/transform/names.h"

#include <cstdint>

namespace tileproof::penguin {

/// The sum of a mean and variance, cut: kept axes are `P` and `B`, reduced ones `F` and `B`.
struct CutSum {
  ir::Statement original, cut;

  std::vector<size_t> reduced_loops() const;  ///< positions in `cut`
  int64_t width() const;  ///< elements of a tile in one partition
  int64_t tiles() const;  ///< of which statistics are kept in one partition
  int64_t trips() const;  ///< of all loops: tiles and aggregations
};

/// Bytes that the tiles of the nest, of which there are `tiles_of_statistics`, take of one partition, but for what is rounded up.
int64_t room_of(const CutSum& sum, const MeanVariance& found, const ir::Block& block, const Tensors& tensors);
inline constexpr int64_t tiles_of_statistics = 4;  // elements, statistics, moments, and a value made of a variance

/// A group with the tag `tiled`. For x[c, i] with 64 c, and 1025 i in tiles of 512:
///
///     for ib in 0..3 par {
///       load xt[c, i] = x[c, 512*ib + i] over c:64, i:512 where 512*ib + i < 1025
///       group as bn_stats { statistics[c, ib, 0..5]: count, mean and squares of the even elements, and of the odd ones }
///     }
///     group as bn_aggr { moments[c, 0..1]: mean and variance of all 6 parts }
///     store m[c] = moments[c, 0]
///     store v[c] = moments[c, 1]
///
/// A count is that of the elements that there are: min(512, 1025 - 512*ib), halved. Parts are merged by their counts, and the squares of a part
/// gain count * (its mean - the mean)^2. Reduced axes that lie in a tile are its elements in a row, the last one fastest.
/// Source: spec passes 3.5, neuron 4.6; the flat tile, and one dim of the statistics for each loop, are our choice.
ir::Item statistics_nest(const CutSum& sum, const MeanVariance& found, const ir::Block& block, const Tensors& tensors,
                         transform::FreshNames& names);

}  // namespace tileproof::penguin
