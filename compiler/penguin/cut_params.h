// What steers the cuts of one operation, and the cuts that follow. Source: seed 000, compute_cut_params; its field
// stop_condition is left out (nothing but the name is known), lhs is called stationary and rhs moving. The names of the fields
// are all that the source has: what each means is our choice.
#pragma once

#include "compiler/ir/diagnostic.h"
#include "compiler/machine/machine.h"
#include "compiler/penguin/dim_cut.h"

namespace tileproof::penguin {

/// Budgets are elements. A `_cut_idx` is an index into the priority list that is cut: dimensions right of it stay out of the
/// tile in any case. A `_cut_tilesize` is the most elements of that dimension.
struct ComputeCutParams {
  std::optional<size_t> par_axes_cut_idx;
  int64_t par_axes_cut_size =
      0;   ///< partitions; the machine's `pmax`, at most its `lanes_count` where the engines have fewer lanes
  int64_t partition_multiple = 1;  ///< partitions; the machine's `partition_multiple`

  std::optional<size_t> free_axes_cut_idx;
  /// Elements in one partition of a tile, protected ones included, where the operation is no matmul. The first that is there
  /// counts: override_tile_size (the user's word), free_axes_cut_size (this operation's), free_cut_size (the pass's),
  /// default_free_cut_size (the pipeline's), cut_size (the machine's).
  std::optional<int64_t> override_tile_size;
  std::optional<int64_t> free_axes_cut_size;
  std::optional<int64_t> free_cut_size;
  std::optional<int64_t> default_free_cut_size;
  int64_t cut_size = 0;  ///< the machine's `cut_size`

  std::optional<size_t> stationary_free_cut_idx;
  std::optional<int64_t> stationary_free_cut_tilesize;
  int64_t stationary_free_cut_size = 0;  ///< columns of the stationary operand; the machine's `stationary_free`
  std::optional<size_t> moving_free_cut_idx;
  std::optional<int64_t> moving_free_cut_tilesize;
  int64_t moving_free_cut_size = 0;  ///< columns of the moving operand: `moving_free`, at most one bank, `psum_bank_f32`

  bool uniform_tile = false;              ///< partition, free and stationary cuts leave no tail
  bool uniform_tile_moving_free = false;  ///< moving cuts leave no tail

  bool operator==(const ComputeCutParams&) const = default;
};

/// The defaults of a machine. Errors: constants that the machine does not have or that are below 1, all of them.
std::expected<ComputeCutParams, ir::Diagnostics> compute_cut_params(const machine::Machine& machine);

/// Elements of a tile in one partition where the operation is no matmul.
int64_t free_budget(const ComputeCutParams& params);

/// Which partition axes are in the tile. Where they do not all fit whole, the product is a multiple of partition_multiple, or
/// the cut is flagged `unaligned`. `extents` in priority order, as in all of these.
/// Errors of this and of those below: those of compute_cut, no_such_dim, tile_without_dim, tile_out_of_range.
std::expected<DimCut, CutError> partition_cut(std::span<const int64_t> extents, const ComputeCutParams& params);

/// Which free axes are in the tile. `extents` are those that may be cut. The protected ones (reduced axes) stay whole, and are
/// charged first. Error: needs_cascade, where the protected ones alone are over the budget.
std::expected<DimCut, CutError> free_cut(std::span<const int64_t> extents, std::span<const int64_t> protected_extents,
                                         const ComputeCutParams& params);

/// Which columns of the stationary, and of the moving operand of a matmul are in the tile.
std::expected<DimCut, CutError> stationary_cut(std::span<const int64_t> extents, const ComputeCutParams& params);
std::expected<DimCut, CutError> moving_cut(std::span<const int64_t> extents, const ComputeCutParams& params);

}  // namespace tileproof::penguin
