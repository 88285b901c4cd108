#include "fuzz/plant/rules.h"

#include "compiler/penguin/cut_arithmetic.h"

namespace tileproof::plant {

using penguin::ComputeCutParams;

penguin::CutRules rules_with(const Arithmetic& arithmetic) {
  penguin::CutRules rules;
  rules.partition = [arithmetic](Extents extents, const ComputeCutParams& params) {
    return arithmetic(extents, params.par_axes_cut_size, {.uniform = params.uniform_tile, .multiple = params.partition_multiple});
  };
  rules.free = [arithmetic](Extents extents, Extents protected_extents, const ComputeCutParams& params) -> Cut {
    if (const auto right = penguin::free_cut(extents, protected_extents, params); !right) return right;
    int64_t charged = 1;
    for (const int64_t extent : protected_extents) charged *= std::max<int64_t>(extent, 1);
    return arithmetic(extents, penguin::arithmetic::budget_beside(penguin::free_budget(params), charged),
                      {.uniform = params.uniform_tile});
  };
  rules.stationary = [arithmetic](Extents extents, const ComputeCutParams& params) {
    return arithmetic(extents, params.stationary_free_cut_size, {.uniform = params.uniform_tile});
  };
  rules.moving = [arithmetic](Extents extents, const ComputeCutParams& params) {
    return arithmetic(extents, params.moving_free_cut_size, {.uniform = params.uniform_tile_moving_free});
  };
  rules.reduction = arithmetic;
  return rules;
}

}  // namespace tileproof::plant
