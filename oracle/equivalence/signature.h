// What the domains of a check must know of both programs: the dtypes and literals that occur, and which tiers can matter.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/domain/domain.h"
#include "oracle/interpret/kinds.h"

#include <vector>

namespace tileproof::oracle {

Signature signature_of(const ir::Program& original, const ir::Program& tiled, const Kinds& kinds);

/// By Site: whether the statement narrows for these two programs (NarrowSets), by its store, its accumulation or a cast: into a
/// narrow dtype, or into any integer dtype where floats occur too.
std::vector<bool> narrowing_sites(const ir::Program& program, const Signature& signature);

/// All buffers of both programs are integers, and no float is computed in between.
bool all_integers(const Signature& signature);

}  // namespace tileproof::oracle
