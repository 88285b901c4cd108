// The pseudocode of seed 000 as it is printed there, over any number type. It is wrong; compiler/penguin/ has what is right.
#pragma once

#include "compiler/penguin/cut_arithmetic.h"

#include <vector>

namespace tileproof::prove::seed {

using penguin::arithmetic::choose;

/// dim -1: none; tile 0: the whole dimension.
template <class N>
struct LiteralCut {
  N dim, tile;
};

/// How computeCut goes through the dimensions.
enum class Scan { left_to_right, right_to_left };

/// computeCut: the dimension that overflows, and the quotient or, where that is at most 1, "take whole dim; no split needed".
/// Positive extents.
template <class N>
LiteralCut<N> compute_cut(const std::vector<N>& shape, const N& cut_size, Scan scan) {
  LiteralCut<N> cut{N(-1), N(0)};
  N committed(1), found(0);
  for (size_t step = 0; step < shape.size(); ++step) {
    const size_t i = scan == Scan::left_to_right ? step : shape.size() - 1 - step;
    const auto here = found == N(0) && committed * shape[i] > cut_size;
    const N tile = cut_size / committed;
    const N taken = choose(tile == shape[i] || tile <= N(1), N(0), tile);
    cut.dim = choose(here, N(static_cast<int>(i)), cut.dim);
    cut.tile = choose(here, taken, cut.tile);
    found = choose(here, N(1), found);
    committed = choose(found == N(0), N(committed * shape[i]), committed);
  }
  return cut;
}

/// What such a cut puts into the tile, as the worked examples read: the dimensions left of it whole, and the slice.
template <class N>
N elements(const std::vector<N>& shape, const LiteralCut<N>& cut) {
  N product(1);
  for (size_t i = 0; i < shape.size(); ++i) {
    const N dim(static_cast<int>(i));
    const N slice = choose(cut.tile == N(0), shape[i], cut.tile);
    product = product * choose(cut.dim == N(-1) || dim < cut.dim, shape[i], N(choose(dim == cut.dim, slice, N(1))));
  }
  return product;
}

/// cut_axes, not swapped: the elements of what it calls tonga axes, [inner] + post.
template <class N>
N literal_tonga_elements(const std::vector<N>& axes, size_t cut_idx, const N& tilesize) {
  N product = tilesize;
  for (size_t i = cut_idx + 1; i < axes.size(); ++i) product = product * axes[i];
  return product;
}

}  // namespace tileproof::prove::seed
