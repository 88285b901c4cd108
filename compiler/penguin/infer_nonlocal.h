// The pass `infer-nonlocal`: which tensors stay in SBUF from the nest that writes them to those that read them.
#pragma once

#include "compiler/penguin/bridge.h"
#include "compiler/penguin/tensor_uses.h"
#include "compiler/pipeline/pass.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tileproof::penguin {

/// What becomes of one of tensor_uses.
struct Residence {
  LocalLayout layout;              ///< in which it is written
  std::vector<Bridge> bridges;     ///< the layouts in which it is read besides
  int64_t bytes = 0;               ///< of one partition, transposed copies included
  std::optional<Nonlocal> reason;  ///< it goes through DRAM
};

/// A tensor stays if its writers want one layout, each reader this one or one to which an instruction transposes it, and `budget` bytes of one partition hold
/// it together with all that are smaller, or as large and declared before: so a larger budget never makes a tensor go. The order is our choice.
std::vector<Residence> residences(const ir::Program& program, const std::vector<TensorUse>& uses, const machine::Machine& machine,
                                  int64_t budget);

/// What SBUF has left beside the tiles of the statement that takes most and all that the program declares there by itself, bytes of one partition.
int64_t local_budget(const ir::Program& program, const machine::Machine& machine);

/// The pass: tags the tensors that stay (`local=[dim, lanes, stride]`), writes the transpositions between layouts, and remarks why any other tensor of
/// the program's own goes through DRAM. Source: seed 000 and spec passes 1.4 to 1.6; the rule is our choice where docs/penguin.md says so.
pipeline::Pass infer_nonlocal();

}  // namespace tileproof::penguin
