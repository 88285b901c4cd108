// What every cut keeps (docs/cut.md), judged in 128-bit arithmetic and without a line of the cut arithmetic.
#pragma once

#include "compiler/penguin/dim_cut.h"
#include "fuzz/generate/choices.h"

#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tileproof::fuzz {

struct CutCase {
  std::vector<int64_t> extents;  ///< elements, highest priority first
  int64_t cut_size = 1;
  penguin::CutOptions options;
};

/// Up to six extents about the cut size: 0, 1, small ones, primes, powers of two and their neighbours, up to the end of 64 bits; seldom
/// what is no extent, no cut size or no multiple.
CutCase draw_cut(Choices& choices);
/// `--shape 3,1000 --cut-size 512 --uniform --multiple 32`: as `tileproof cut` takes it.
std::string to_string(const CutCase& cut_case);

using ComputeCut =
    std::function<std::expected<penguin::DimCut, penguin::CutError>(std::span<const int64_t>, int64_t, penguin::CutOptions)>;

/// The first of these that does not hold, in words; empty: all hold.
///
///   errors        exactly for extents, cut sizes and multiples that are none
///   budget        the tile holds at most `cut_size` elements, and everything exactly where everything fits
///   maximality    another slice, or another aligned one, or the next larger divisor, does not fit
///   alignment     a cut tile is a multiple, or flagged with no aligned tile within the budget
///   idempotence   a tile is not cut again
///   coverage      trips and tail make up the extent
///   bijection     each element of a small domain is in one tile at one place, under a swap as well
std::string broken_by_cut(const CutCase& cut_case, const ComputeCut& compute_cut = penguin::compute_cut);

}  // namespace tileproof::fuzz
