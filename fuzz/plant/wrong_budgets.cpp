// How much a tile takes: the budgets that cuts are given.
#include "compiler/penguin/cut_arithmetic.h"
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/rules.h"

namespace tileproof::plant {
namespace {

using penguin::ComputeCutParams;
using penguin::CutOptions;
using penguin::CutRules;
using penguin::DimCut;

CutRules one_more() {
  return rules_with(
      [](Extents extents, int64_t cut_size, CutOptions options) { return penguin::compute_cut(extents, cut_size + 1, options); });
}

CutRules bytes_for_elements() {
  constexpr int64_t bytes_of_f32 = 4;
  CutRules rules;
  rules.moving = [](Extents extents, ComputeCutParams params) {
    params.moving_free_cut_size *= bytes_of_f32;
    return penguin::moving_cut(extents, params);
  };
  return rules;
}

CutRules exchanged() {
  CutRules rules;
  const auto exchange = [](ComputeCutParams params) {
    std::swap(params.stationary_free_cut_size, params.moving_free_cut_size);
    return params;
  };
  rules.stationary = [exchange](Extents extents, const ComputeCutParams& params) {
    return penguin::stationary_cut(extents, exchange(params));
  };
  rules.moving = [exchange](Extents extents, const ComputeCutParams& params) {
    return penguin::moving_cut(extents, exchange(params));
  };
  return rules;
}

CutRules hard_coded() {
  CutRules rules;
  rules.partition = [](Extents extents, ComputeCutParams params) {
    params.par_axes_cut_size = 128;
    return penguin::partition_cut(extents, params);
  };
  rules.moving = [](Extents extents, ComputeCutParams params) {
    params.moving_free_cut_size = 512;
    return penguin::moving_cut(extents, params);
  };
  return rules;
}

CutRules protected_for_nothing() {
  CutRules rules;
  rules.free = [](Extents extents, Extents, const ComputeCutParams& params) { return penguin::free_cut(extents, {}, params); };
  return rules;
}

CutRules each_axis_alone() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions) -> Cut {
    for (size_t i = 0; i < extents.size(); ++i)
      if (extents[i] > cut_size) return DimCut{.dim = i, .tile = cut_size};
    return DimCut{};
  });
}

CutRules gives_up() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) -> Cut {
    if (!extents.empty() && extents[0] > cut_size) return DimCut{};
    return penguin::compute_cut(extents, cut_size, options);
  });
}

CutRules reduction_whole() {
  CutRules rules;
  rules.free = [](Extents extents, Extents protected_extents, const ComputeCutParams& params) {
    const auto cut = penguin::free_cut(extents, protected_extents, params);
    return cut || cut.error() != penguin::CutError::needs_cascade ? cut : penguin::compute_cut(extents, 1);
  };
  return rules;
}

CutRules one_element() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) -> Cut {
    const auto right = penguin::compute_cut(extents, cut_size, options);
    if (!right || !right->dim || extents[0] < 2) return right;
    return DimCut{.dim = 0, .tile = 1, .unaligned = 1 % options.multiple != 0};
  });
}

CutRules power_of_two() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) {
    auto cut = penguin::compute_cut(extents, cut_size, options);
    if (!cut || !cut->tile) return cut;
    int64_t power = 1;
    while (power * 2 <= *cut->tile) power *= 2;
    cut->tile = power;
    return cut;
  });
}

CutRules back_to_the_first() {
  return rules_with([](Extents extents, int64_t cut_size, CutOptions options) {
    auto cut = penguin::compute_cut(extents, cut_size, options);
    if (cut && cut->dim && !cut->tile && *cut->dim > 0) cut->dim = 0;
    return cut;
  });
}

}  // namespace

std::vector<PlantedBug> wrong_budgets() {
  return {
      {"one-element-over", "a tile may hold one element more than the budget", "decisions A.2", one_more()},
      {"bytes-for-elements", "the bank of a matmul is counted in bytes where elements are meant", "passes 7.3(b)",
       bytes_for_elements()},
      {"budgets-exchanged", "stationary and moving columns take each other's budget", "passes 3.4(c)", exchanged()},
      {"budgets-of-another-machine", "128 lanes and 512 columns whatever the machine", "decisions D.3", hard_coded()},
      {"protected-not-charged", "reduced axes that stay whole are not charged to the budget", "passes 2.4(a)",
       protected_for_nothing()},
      {"each-axis-alone", "each axis is held against the whole budget, the product of the tile against none", "bugs.tsv B007",
       each_axis_alone()},
      {"gives-up-at-the-first", "a first axis beyond the budget leaves all axes whole", "bugs.tsv B038", gives_up()},
      {"reduction-never-cut", "reduced axes beyond the budget stay whole", "bugs.tsv B068", reduction_whole()},
      {"one-element-tiles", "whatever is cut is cut to one element", "decisions A.2", one_element(), true},
      {"power-of-two-tiles", "tiles are rounded down to a power of two", "decisions A.2", power_of_two(), true},
      {"back-to-the-first", "where not two slices fit, all but the first axis loops", "decisions A.2", back_to_the_first(), true},
  };
}

}  // namespace tileproof::plant
