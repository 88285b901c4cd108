// Which buffers hold true integers. A buffer whose value can reach an index, a condition or a loop bound is index-kind: it holds
// 64-bit integers in every domain, so that control flow never depends on a domain. All others are data-kind.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/interpret/run.h"

#include <set>
#include <string>

namespace tileproof::oracle {

struct ProgramKinds {
  std::set<const ir::Buffer*> index;
  std::string unsupported;      ///< not empty: an index is computed from data, and why
};

/// Flow analysis of one program: seeds are the reads in indices, conditions, extents and loop bounds, and `common`'s inputs;
/// what is assigned to an index-kind buffer must be index-kind itself.
ProgramKinds kinds_of(const ir::Program& program, const Kinds& common);

/// The inputs that are index-kind in either program, and the borders that their patterns should hit. Source: spec rule 17, A1.
Kinds common_kinds(const ir::Program& original, const ir::Program& tiled);

/// What Kinds::borders holds where it is asked for: 512 of them at most, ascending.
std::vector<int64_t> borders_of(const ir::Program& original, const ir::Program& tiled);

}  // namespace tileproof::oracle
