// Is the map of a view injective? Affine maps whose steps nest are recognised; the rest is tried, up to a bound.
#pragma once

#include "oracle/interpret/code.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace tileproof::oracle {

/// Views of more elements are tried no further: our choice, about a second.
constexpr int64_t most_elements_tried = int64_t{1} << 22;

/// In some index every dim of `dims` takes a step longer than all shorter steps together reach.
inline bool steps_nest(const ViewCode& view, const std::vector<int64_t>& extents) {
  std::vector<bool> covered(extents.size());
  for (const IntegerCode& index : view.indices) {
    if (!index.affine) continue;
    std::vector<std::pair<int64_t, size_t>> steps;
    bool mine = true;
    for (size_t d = 0; d < extents.size(); ++d) {
      const int64_t step = index.coefficient(view.slots[d]);
      if (step == 0 || extents[d] <= 1) continue;
      mine = mine && !covered[d];
      mine = mine && step != std::numeric_limits<int64_t>::min();
      steps.emplace_back(step < 0 ? wrap_subtract(0, step) : step, d);
    }
    std::ranges::sort(steps);
    __extension__ using Exact = __int128;
    Exact reach = 0;
    for (const auto& [step, d] : steps) {
      mine = mine && step > reach;
      reach += static_cast<Exact>(step) * (extents[d] - 1);
    }
    if (!mine || reach > std::numeric_limits<int64_t>::max()) continue;  // beyond it, indices wrap onto each other
    for (const auto& [step, d] : steps) covered[d] = true;
  }
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] > 1 && !covered[d]) return false;
  }
  return true;
}

/// `evaluate` gives the value of a code in `environment`, in which the slots of the view's dims are changed.
template <class Evaluate>
Injectivity is_injective(const ViewCode& view, const std::vector<int64_t>& extents, std::vector<int64_t>& environment,
                         Evaluate evaluate) {
  int64_t count = 1;
  for (const int64_t extent : extents) {
    if (extent == 0) return Injectivity::yes;
    count = count > most_elements_tried ? count : wrap_multiply(count, std::min(extent, most_elements_tried + 1));
  }
  if (steps_nest(view, extents)) return Injectivity::yes;
  if (count > most_elements_tried) return Injectivity::undecided;
  const size_t rank = view.indices.size();
  std::vector<int64_t> places;  // `rank` indices of each element
  places.reserve(static_cast<size_t>(count) * rank);
  for (int64_t element = 0; element < count; ++element) {
    int64_t rest = element;
    for (size_t d = extents.size(); d-- > 0;) {
      environment[view.slots[d]] = rest % extents[d];
      rest /= extents[d];
    }
    for (const IntegerCode& index : view.indices) places.push_back(evaluate(index));
  }
  std::vector<const int64_t*> order;
  order.reserve(static_cast<size_t>(count));
  for (int64_t element = 0; element < count; ++element) order.push_back(places.data() + static_cast<size_t>(element) * rank);
  const auto less = [rank](const int64_t* p, const int64_t* q) { return std::lexicographical_compare(p, p + rank, q, q + rank); };
  // Most maps keep the order, and then nothing is left to sort.
  if (std::ranges::adjacent_find(order, std::not_fn(less)) == order.end()) return Injectivity::yes;
  std::ranges::sort(order, less);
  return std::ranges::adjacent_find(order, std::not_fn(less)) == order.end() ? Injectivity::yes : Injectivity::no;
}

}  // namespace tileproof::oracle
