// The pass `macro-generation`: writes the loops around each tile, and what happens in it.
#pragma once

#include "compiler/pipeline/pass.h"

namespace tileproof::penguin {

/// Of each statement whose axes are cut: a `par` loop for each `B` axis in emission order; inside, operands are loaded into SBUF,
/// the statement writes a tile, and the tile is stored. Reduced `B` axes become `seq` loops around the loads and the statement,
/// and the tile outlives them.
///
///   contraction     one accumulation group in PSUM for each tile of the result, stationary and moving tiles with the contracted
///                   axes on their partitions, and a copy to SBUF before the store
///   anything else   tiles with the `P` axes on their partitions; partial results that go from block to block are kept in the
///                   accumulate dtype
///
/// A tensor with the tag `local` that all its accesses agree with becomes a buffer in SBUF: the nests leave out its loads and stores
/// (macro.h), and its indices become those of its layout (local_layout.h). Where a statement that uses it stays whole, it goes through DRAM.
///
/// Tails stay the conditions that the cuts made: on the loads, on the statement, on the store. A statement that a primitive
/// refuses stays whole. Source: seed 000, MacroGeneration and the matmul path; spec passes 1.4, 2.6 and 3.4.
pipeline::Pass macro_generation();

}  // namespace tileproof::penguin
