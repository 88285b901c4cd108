// One operation of a workload as a nest of loops around tiles.
#pragma once

#include "fuzz/retile/workload.h"

#include <optional>
#include <set>
#include <string>

namespace tileproof::fuzz {

/// What tiling needs to know and notes.
struct TilingContext {
  Scene& scene;
  Workload& workload;                  ///< tiles and partial results join its buffers
  std::set<std::string>& rewritings;
};

/// The dtype in which partial results lose nothing: the widest of the class of the accumulate dtype that the programs know.
ir::Dtype carrier(const Workload& workload, const ir::Statement& statement);
/// Whether partial results may live in the destination itself.
bool carries_in_place(const Workload& workload, const ir::Statement& statement);

/// Appends the nest of `statement` to `out`. `consumer` is a pointwise operation on its result, to be executed in the same nest; its
/// destination is then the only result.
void tile_nest(TilingContext& context, ir::Statement statement, std::optional<ir::Statement> consumer, ir::Block& out);

}  // namespace tileproof::fuzz
