#include "compiler/penguin/cut_params.h"

#include "compiler/penguin/cut_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::penguin {
namespace {

namespace ar = arithmetic;

/// The last dimension that may enter the tile, and how much of it.
struct Bound {
  std::optional<size_t> dim;
  std::optional<int64_t> tile;
};

/// The product of the extents; needs_cascade where it is beyond the limit.
std::expected<int64_t, CutError> product_within(std::span<const int64_t> extents, int64_t limit) {
  if (std::ranges::any_of(extents, [](int64_t extent) { return extent < 0; })) return std::unexpected(CutError::negative_extent);
  if (std::ranges::find(extents, 0) != extents.end()) return 0;
  int64_t product = 1;
  for (const int64_t extent : extents) {
    if (ar::exceeds(product, extent, limit)) return std::unexpected(CutError::needs_cascade);
    product *= extent;
  }
  return product;
}

std::expected<DimCut, CutError> bounded_cut(std::span<const int64_t> extents, int64_t cut_size, CutOptions options, Bound bound) {
  if (!bound.dim && bound.tile) return std::unexpected(CutError::tile_without_dim);
  if (!bound.dim) return compute_cut(extents, cut_size, options);
  if (*bound.dim >= extents.size()) return std::unexpected(CutError::no_such_dim);
  if (bound.tile) {
    if (*bound.tile < 1) return std::unexpected(CutError::tile_out_of_range);
    const auto left = product_within(extents.first(*bound.dim), cut_size);
    if (left && *left > 0 && !ar::exceeds(*left, *bound.tile, cut_size)) cut_size = *left * *bound.tile;
  }
  const std::span<const int64_t> admitted = extents.first(*bound.dim + 1);
  auto cut = compute_cut(admitted, cut_size, options);
  if (!cut || cut->dim || admitted.size() == extents.size()) return cut;
  const auto product = product_within(admitted, cut_size);
  return DimCut{.dim = bound.dim, .tile = {}, .unaligned = product && *product % options.multiple != 0, .degenerate = false};
}

/// Notes each constant that is not there.
struct Constants {
  const machine::Machine& machine;
  ir::Diagnostics missing;

  int64_t operator()(std::string_view name) {
    const std::optional<int64_t> value = machine.constant(name);
    if (value && *value >= 1) return *value;
    missing.push_back(
        {machine.name,
         {},
         fmt::format("cuts need the constant {}, which this machine {}", name, value ? "sets below 1" : "does not have"),
         fmt::format("write `constant {} = N` in the machine file, or name another machine", name)});
    return 1;
  }
};

}  // namespace

std::expected<ComputeCutParams, ir::Diagnostics> compute_cut_params(const machine::Machine& machine) {
  Constants constant{machine, {}};
  ComputeCutParams params;
  const int64_t partitions = constant("pmax");
  params.par_axes_cut_size = std::min(partitions, machine.constant("lanes_count").value_or(partitions));
  params.partition_multiple = constant("partition_multiple");
  params.cut_size = constant("cut_size");
  params.stationary_free_cut_size = constant("stationary_free");
  params.moving_free_cut_size = std::min(constant("moving_free"), constant("psum_bank_f32"));
  if (!constant.missing.empty()) return std::unexpected(std::move(constant.missing));
  return params;
}

int64_t free_budget(const ComputeCutParams& params) {
  for (const std::optional<int64_t>& size :
       {params.override_tile_size, params.free_axes_cut_size, params.free_cut_size, params.default_free_cut_size}) {
    if (size) return *size;
  }
  return params.cut_size;
}

std::expected<DimCut, CutError> partition_cut(std::span<const int64_t> extents, const ComputeCutParams& params) {
  return bounded_cut(extents, params.par_axes_cut_size, {.uniform = params.uniform_tile, .multiple = params.partition_multiple},
                     {params.par_axes_cut_idx, {}});
}

std::expected<DimCut, CutError> free_cut(std::span<const int64_t> extents, std::span<const int64_t> protected_extents,
                                         const ComputeCutParams& params) {
  const int64_t budget = free_budget(params);
  if (budget < 1) return std::unexpected(CutError::cut_size_below_one);
  const auto charged = product_within(protected_extents, budget);
  if (!charged) return std::unexpected(charged.error());
  const int64_t rest = *charged == 0 ? budget : ar::budget_beside(budget, *charged);
  return bounded_cut(extents, rest, {.uniform = params.uniform_tile}, {params.free_axes_cut_idx, {}});
}

std::expected<DimCut, CutError> stationary_cut(std::span<const int64_t> extents, const ComputeCutParams& params) {
  return bounded_cut(extents, params.stationary_free_cut_size, {.uniform = params.uniform_tile},
                     {params.stationary_free_cut_idx, params.stationary_free_cut_tilesize});
}

std::expected<DimCut, CutError> moving_cut(std::span<const int64_t> extents, const ComputeCutParams& params) {
  return bounded_cut(extents, params.moving_free_cut_size, {.uniform = params.uniform_tile_moving_free},
                     {params.moving_free_cut_idx, params.moving_free_cut_tilesize});
}

}  // namespace tileproof::penguin
