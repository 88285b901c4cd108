// Shapes for properties, and a cut by brute force: every candidate is tried, in 128-bit arithmetic.
#pragma once

#include "compiler/penguin/axis_cut.h"
#include "compiler/penguin/dim_cut.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace tileproof::penguin {

using Extents = std::vector<int64_t>;
__extension__ typedef __int128 Wide;

inline std::ostream& operator<<(std::ostream& stream, const DimCut& cut) {
  const std::string dim = cut.dim ? std::to_string(*cut.dim) : "none", tile = cut.tile ? std::to_string(*cut.tile) : "none";
  return stream << "(" << dim << ", " << tile << (cut.unaligned ? ", unaligned" : "") << (cut.degenerate ? ", degenerate)" : ")");
}

/// Lists of up to five extents of `low` and more: mostly small, with powers of two, primes and their neighbours among them.
inline rc::Gen<Extents> extents_from(int64_t low) {
  using rc::gen::inRange;
  return rc::gen::resize(5, rc::gen::container<Extents>(rc::gen::weightedOneOf<int64_t>(
                                {{6, inRange<int64_t>(low, 9)},
                                 {2, inRange<int64_t>(low, 60)},
                                 {2, rc::gen::element<int64_t>(1, 2, 16, 31, 32, 33, 64, 97, 100, 127, 128, 129, 512)}})));
}

inline rc::Gen<int64_t> cut_sizes() {
  return rc::gen::weightedOneOf<int64_t>({{3, rc::gen::inRange<int64_t>(1, 40)},
                                          {2, rc::gen::inRange<int64_t>(1, 700)},
                                          {2, rc::gen::element<int64_t>(1, 2, 31, 32, 64, 127, 128, 512)}});
}

inline rc::Gen<int64_t> multiples() { return rc::gen::element<int64_t>(1, 2, 3, 4, 6, 8, 12, 32); }

inline Wide product(std::span<const int64_t> extents) {
  Wide all = 1;
  for (const int64_t extent : extents) all *= extent;
  return all;
}

/// Elements of the tile of a cut.
inline Wide elements(std::span<const int64_t> extents, const DimCut& cut) {
  if (!cut.dim) return product(extents);
  return product(extents.first(*cut.dim)) * (cut.tile ? *cut.tile : extents[*cut.dim]);
}

/// The best of all cuts, by the rules of docs/cut.md and nothing else. Precondition: extents of 1 and more, small ones.
inline DimCut best_by_trying(std::span<const int64_t> extents, int64_t cut_size, CutOptions options) {
  if (product(extents) <= cut_size) return {};
  size_t dim = 0;  // the last dimension of which one slice fits beside all that is left of it
  for (size_t i = 0; i < extents.size(); ++i) {
    if (product(extents.first(i)) <= cut_size) dim = i;
  }
  const Wide beside = product(extents.first(dim));
  const auto largest = [&](int64_t bound, bool divides, bool aligned) -> std::optional<int64_t> {
    std::optional<int64_t> best;
    for (int64_t tile = 1; tile <= std::min(bound, extents[dim]); ++tile) {
      if (beside * tile > cut_size || (divides && extents[dim] % tile != 0)) continue;
      if (!aligned || beside * tile % options.multiple == 0) best = tile;
    }
    return best;
  };
  const int64_t most = *largest(cut_size, false, false);
  int64_t tile = largest(cut_size, false, true).value_or(most);
  if (options.uniform) tile = largest(tile, true, true).value_or(*largest(tile, true, false));
  const bool unaligned = beside * tile % options.multiple != 0;
  if (tile == 1 && dim > 0) return {.dim = dim - 1, .tile = {}, .unaligned = unaligned};
  return {.dim = dim, .tile = tile, .unaligned = unaligned, .degenerate = tile == 1 && most > 1};
}

inline PriorityOrder<CutAxis> named(std::span<const int64_t> extents) {
  PriorityOrder<CutAxis> axes;
  for (size_t i = 0; i < extents.size(); ++i) axes.push_back({fmt::format("{:c}", 'a' + static_cast<char>(i)), extents[i]});
  return axes;
}

inline Extents extents_of(const PriorityOrder<CutAxis>& axes) {
  Extents extents;
  for (const CutAxis& axis : axes) extents.push_back(axis.extent);
  return extents;
}

}  // namespace tileproof::penguin
