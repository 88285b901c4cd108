// The machines that graphs are drawn for. Small shapes already need tiling on the tight ones, so that thousands of programs a second
// try what a real machine shows only with shapes of thousands of elements.
#pragma once

#include "compiler/machine/machine.h"

#include <cstdint>
#include <span>
#include <string>

namespace tileproof::fuzz {

/// What a tile may hold, in elements: the figures that shapes are drawn about.
struct Budgets {
  int64_t partitions = 128;  ///< `pmax`, else the most partitions of a space
  int64_t free = 512;  ///< `cut_size`
  bool operator==(const Budgets&) const = default;
};
/// Our choice where a machine has no such constants: the defaults above.
Budgets budgets_of(const machine::Machine& machine);

struct GraphMachine {
  std::string name;  ///< as the user named it
  machine::Machine machine;
  Budgets budgets;
};

/// The tight variants of trn1, trn2 and trn3 (compiler/machine/tight_machine.h), and then these themselves.
std::span<const GraphMachine> graph_machines();

}  // namespace tileproof::fuzz
