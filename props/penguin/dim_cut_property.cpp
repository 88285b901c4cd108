// What every cut keeps, whatever the shape.
#include "props/penguin/cut_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tileproof::penguin {
namespace {

CutOptions any_options() { return {.uniform = *rc::gen::arbitrary<bool>(), .multiple = *multiples()}; }

DimCut cut_of(const Extents& extents, int64_t cut_size, CutOptions options = {}) {
  const auto cut = compute_cut(extents, cut_size, options);
  if (!cut) RC_FAIL(std::string(text(cut.error())));
  return *cut;
}

/// How many slices of which dimension are beside the whole ones: (i, t) as it stands, (i, none) one slice of the next.
std::pair<size_t, int64_t> place(const DimCut& cut) {
  return cut.tile ? std::pair{*cut.dim, *cut.tile} : std::pair{*cut.dim + 1, int64_t{1}};
}

RC_GTEST_PROP(ComputeCut, KeepsTheProductOfTheTileWithinTheBudget, ()) {
  const Extents extents = *extents_from(0);
  const int64_t cut_size = *cut_sizes();
  RC_ASSERT(elements(extents, cut_of(extents, cut_size, any_options())) <= cut_size);
}

RC_GTEST_PROP(ComputeCut, HoldsAnElementAndNoWholeExtentAsATile, ()) {
  const Extents extents = *extents_from(1);
  const DimCut cut = cut_of(extents, *cut_sizes(), any_options());
  RC_ASSERT(cut.dim || !cut.tile);
  if (cut.dim) RC_ASSERT(*cut.dim < extents.size());
  if (cut.tile) RC_ASSERT(*cut.tile >= 1);
  if (cut.tile) RC_ASSERT(*cut.tile < extents[*cut.dim]);
}

RC_GTEST_PROP(ComputeCut, CutsNothingExactlyWhereAllFits, ()) {
  const Extents extents = *extents_from(0);
  const int64_t cut_size = *cut_sizes();
  RC_ASSERT(!cut_of(extents, cut_size, any_options()).dim.has_value() == (product(extents) <= cut_size));
}

RC_GTEST_PROP(ComputeCut, LeavesNoRoomForAnotherSlice, ()) {
  const Extents extents = *extents_from(1);
  const int64_t cut_size = *cut_sizes();
  const DimCut cut = cut_of(extents, cut_size);
  RC_PRE(cut.dim.has_value());
  const auto [dim, slices] = place(cut);
  RC_ASSERT(dim < extents.size());
  RC_ASSERT(product(std::span(extents).first(dim)) * (slices + 1) > cut_size);
}

RC_GTEST_PROP(ComputeCut, DividesTheExtentWhereItIsUniform, ()) {
  const Extents extents = *extents_from(1);
  const DimCut cut = cut_of(extents, *cut_sizes(), {.uniform = true, .multiple = *multiples()});
  if (cut.tile) RC_ASSERT(extents[*cut.dim] % *cut.tile == 0);
}

RC_GTEST_PROP(ComputeCut, IsAlignedOrFlaggedWithNoAlignedTileInReach, ()) {
  const Extents extents = *extents_from(1);
  const int64_t cut_size = *cut_sizes();
  const CutOptions options = any_options();
  const DimCut cut = cut_of(extents, cut_size, options);
  RC_PRE(cut.dim.has_value());
  RC_ASSERT(cut.unaligned == (elements(extents, cut) % options.multiple != 0));
  if (!cut.unaligned) return;
  const size_t dim = place(cut_of(extents, cut_size)).first;
  const Wide beside = product(std::span(extents).first(dim));
  for (int64_t tile = 1; beside * tile <= cut_size && tile <= extents[dim]; ++tile) {
    if (options.uniform && extents[dim] % tile != 0) continue;
    RC_ASSERT(beside * tile % options.multiple != 0);
  }
}

RC_GTEST_PROP(ComputeCut, CutsNothingOffATile, ()) {
  const Extents extents = *extents_from(0);
  const int64_t cut_size = *cut_sizes();
  const CutOptions options = any_options();
  const auto tile = cut_axes(named(extents), cut_of(extents, cut_size, options));
  RC_ASSERT(tile.has_value());
  RC_ASSERT(cut_of(extents_of(tile->tile), cut_size, options) == DimCut{});
}

RC_GTEST_PROP(ComputeCut, IsTheBestOfAllThatTryingFinds, ()) {
  const Extents extents = *extents_from(1);
  const int64_t cut_size = *cut_sizes();
  const CutOptions options = any_options();
  RC_ASSERT(cut_of(extents, cut_size, options) == best_by_trying(extents, cut_size, options));
}

/// The same from the other end: dimensions are peeled off from the right until the rest fits.
RC_GTEST_PROP(ComputeCut, IsWhatPeelingFromTheRightGives, ()) {
  const Extents extents = *extents_from(1);
  const int64_t cut_size = *cut_sizes();
  size_t kept = extents.size();
  while (product(std::span(extents).first(kept)) > cut_size) --kept;
  DimCut peeled;
  if (kept < extents.size()) {
    const auto slices = static_cast<int64_t>(cut_size / product(std::span(extents).first(kept)));
    if (slices > 1 || kept == 0)
      peeled = {.dim = kept, .tile = slices};
    else
      peeled = {.dim = kept - 1, .tile = {}};
  }
  RC_ASSERT(cut_of(extents, cut_size) == peeled);
}

RC_GTEST_PROP(ComputeCut, KeepsItsPromisesUpToTheEndOf64Bits, ()) {
  const auto huge = rc::gen::element<int64_t>(1, 2, 3, (int64_t{1} << 31) - 1, int64_t{1} << 32, int64_t{1} << 62,
                                              std::numeric_limits<int64_t>::max());
  const Extents extents = *rc::gen::resize(4, rc::gen::container<Extents>(huge));
  const int64_t cut_size = *huge;
  const DimCut cut = cut_of(extents, cut_size);
  // Products of up to two of them fit into 128 bits; beyond that the budget is exceeded long before.
  const auto within = [&](std::span<const int64_t> some, int64_t limit) {
    Wide all = 1;
    for (const int64_t extent : some) {
      all *= extent;
      if (all > limit) return false;
    }
    return true;
  };
  if (!cut.dim) {
    RC_ASSERT(within(extents, cut_size));
    return;
  }
  RC_ASSERT(!within(extents, cut_size));
  const auto [dim, slices] = place(cut);
  RC_ASSERT(within(std::span(extents).first(dim), cut_size));
  const Wide beside = product(std::span(extents).first(dim));
  RC_ASSERT(beside * slices <= cut_size);
  RC_ASSERT(beside * (slices + 1) > cut_size);
}

}  // namespace
}  // namespace tileproof::penguin
