// Lanes: an engine that works on partitions side by side does not move data from one to another.
#pragma once

#include "compiler/machine/unify.h"

#include <optional>

namespace tileproof::machine {

/// Whether the instruction would move data between partitions: the number of the partition, as a function of the axes, differs
/// by more than a constant between two accesses that a letter puts on partitions. nullopt: it would not, or the opcode may.
std::optional<Reason> crossing_lanes(const Operation& operation, const Binding& binding, const Formula& formula);

}  // namespace tileproof::machine
