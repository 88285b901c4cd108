// The tiles of a cut cover the domain, and each point of it lies in one of them.
#include "compiler/penguin/axis_cut.h"

#include "props/penguin/cut_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tileproof::penguin {
namespace {

/// Calls f(indices) for each point of a box, the last index fastest.
template <class F>
void for_each_point(const Extents& extents, F f) {
  if (std::ranges::find(extents, 0) != extents.end()) return;
  Extents point(extents.size(), 0);
  for (;;) {
    f(point);
    size_t i = extents.size();
    while (i > 0 && ++point[i - 1] == extents[i - 1]) point[--i] = 0;
    if (i == 0) return;
  }
}

/// How often each point of the old domain is reached; points outside are left out, as the condition of the tail does.
std::vector<int> visits(const Extents& extents, const AxisCut& cut) {
  std::vector<int> count(static_cast<size_t>(product(extents)), 0);
  for_each_point(extents_of(cut.loop), [&](const Extents& loop) {
    for_each_point(extents_of(cut.tile), [&](const Extents& tile) {
      size_t at = 0;
      for (const AxisMap& map : cut.axes) {
        int64_t index = 0;
        if (map.loop) index += map.loop->coefficient * loop[map.loop->position];
        if (map.tile) index += map.tile->coefficient * tile[map.tile->position];
        if (index >= map.axis.extent) return;
        at = at * static_cast<size_t>(map.axis.extent) + static_cast<size_t>(index);
      }
      ++count[at];
    });
  });
  return count;
}

/// Small enough to visit.
Extents small_extents(int64_t low) {
  return *rc::gen::suchThat(rc::gen::resize(4, rc::gen::container<Extents>(rc::gen::inRange<int64_t>(low, 14))),
                            [](const Extents& extents) { return product(extents) <= 5000; });
}

/// Any cut of a list that is not empty, right or not by any budget.
DimCut any_cut(const Extents& extents) {
  const size_t dim = *rc::gen::inRange<size_t>(0, extents.size());
  if (*rc::gen::inRange(0, 4) == 0) return {.dim = dim, .tile = {}};
  return {.dim = dim, .tile = *rc::gen::inRange<int64_t>(1, extents[dim] + 1)};
}

bool each_once(const std::vector<int>& count) {
  return std::ranges::all_of(count, [](int visits) { return visits == 1; });
}

RC_GTEST_PROP(CutAxes, VisitsEachPointOnceWhateverTheCut, ()) {
  const Extents extents = small_extents(1);
  RC_PRE(!extents.empty());
  const auto cut = cut_axes(named(extents), any_cut(extents));
  RC_ASSERT(cut.has_value());
  RC_ASSERT(each_once(visits(extents, *cut)));
}

RC_GTEST_PROP(CutAxes, VisitsEachPointOnceUnderASwap, ()) {
  Extents extents = small_extents(1);
  const size_t dim = *rc::gen::inRange<size_t>(0, extents.size() + 1);
  const int64_t tile = *rc::gen::inRange<int64_t>(1, 8), trips = *rc::gen::inRange<int64_t>(2, 8);
  extents.insert(extents.begin() + static_cast<ptrdiff_t>(dim), tile * trips);
  const auto cut = cut_axes(named(extents), {.dim = dim, .tile = tile}, SwapTile{5000 * tile});
  RC_ASSERT(cut.has_value());
  RC_ASSERT(each_once(visits(extents, *cut)));
  RC_ASSERT(cut->tail == 0);
}

RC_GTEST_PROP(CutAxes, VisitsEachPointOnceForCutsOfComputeCut, ()) {
  const Extents extents = small_extents(0);
  const CutOptions options{.uniform = *rc::gen::arbitrary<bool>(), .multiple = *multiples()};
  const int64_t cut_size = *rc::gen::inRange<int64_t>(1, 200);
  const auto at = compute_cut(extents, cut_size, options);
  RC_ASSERT(at.has_value());
  const auto cut = cut_axes(named(extents), *at);
  RC_ASSERT(cut.has_value());
  RC_ASSERT(each_once(visits(extents, *cut)));
  RC_ASSERT(product(extents_of(cut->tile)) <= cut_size);
}

RC_GTEST_PROP(CutAxes, IteratesMoreThanTheDomainExactlyWhereThereIsATail, ()) {
  const Extents extents = *extents_from(1);
  RC_PRE(!extents.empty());
  const auto cut = cut_axes(named(extents), any_cut(extents));
  RC_ASSERT(cut.has_value());
  const Wide iterated = product(extents_of(cut->loop)) * product(extents_of(cut->tile));
  RC_ASSERT(iterated >= product(extents));
  RC_ASSERT((iterated > product(extents)) == (cut->tail != 0));
}

RC_GTEST_PROP(CutAxes, HasTheTailThatTheTripsLeave, ()) {
  const int64_t extent = *rc::gen::inRange<int64_t>(2, 2000);
  const int64_t tile = *rc::gen::inRange<int64_t>(1, extent);
  const auto cut = cut_axes(named(Extents{extent}), {.dim = 0, .tile = tile});
  RC_ASSERT(cut.has_value());
  const int64_t last = cut->tail == 0 ? tile : cut->tail;
  RC_ASSERT((cut->trips - 1) * tile + last == extent);
  RC_ASSERT(last >= 1);
  RC_ASSERT(last <= tile);
}

RC_GTEST_PROP(CutAxes, KeepsTheOrderOfTheInputInBothLists, ()) {
  const Extents extents = *extents_from(1);
  RC_PRE(!extents.empty());
  const auto cut = cut_axes(named(extents), any_cut(extents));
  RC_ASSERT(cut.has_value());
  for (const PriorityOrder<CutAxis>& list : {cut->loop, cut->tile})
    RC_ASSERT(std::ranges::is_sorted(list, {}, [](const CutAxis& axis) { return axis.name.front(); }));
}

}  // namespace
}  // namespace tileproof::penguin
