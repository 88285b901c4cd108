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
  std::string name;
  std::string text;  ///< of a machine file; empty: the machine is built in
  machine::Machine machine;
  Budgets budgets;
};

/// trn1, trn2, trn3, and a tight variant of each under names such as `trn2-tight`: the same opcodes and rules with 4 to 8 partitions,
/// PSUM banks of 8 to 16 elements, and an SBUF of a few hundred elements a partition. The figures of these are our choice.
std::span<const GraphMachine> graph_machines();

}  // namespace tileproof::fuzz
