// Pairs of programs that are right by construction: a whole-tensor program, and what a tiler makes of it.
//
// Each rewriting is applied only where its legality is evident from the form of the workload (workload.h); nothing is decided by
// running or checking anything. The rewritings, by the names under which the distribution counts them:
//
//   of operations   unequal parts   an axis in two parts, each a nest of its own
//                   rfactor         partial results of the chunks of a reduce axis in a tensor, merged by a second reduction
//                   relayout        an operand copied with its dims permuted
//                   view            an operand or result through a flattening, reshaping or transposing view
//                   fuse            a pointwise operation inside of the nest of the one before it
//   of nests        split           the outer factor of an axis becomes a loop ("tail": the extent is no multiple of the tile)
//                   clamped tail    the last tile moved back instead, where counting an element twice changes nothing
//                   strip-mine      ... in two loops
//                   interchange     loops in another order than that of the axes
//                   partial results a reduction carried over the iterations of a loop, by `start` in the first one
//                   localize operand, localize result: a tile of a tensor in a buffer of its own ("window": with halo)
//                   hoist           its load outside of loops that it does not depend on
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"

#include <set>
#include <string>

namespace tileproof::fuzz {

struct RetiledPair {
  ir::Program original, tiled;
  std::set<std::string> rewritings;   ///< which of the above; empty: the programs are identical
};

struct RetileOptions {
  int64_t most_points = 40;        ///< of one statement of the original, about
  unsigned identity_percent = 10;  ///< of the pairs are not rewritten at all
};

/// Both programs are well formed, whatever the choices are.
RetiledPair retile(Choices& choices, const RetileOptions& options = {});

}  // namespace tileproof::fuzz
