// Variants of built-in machines with tight memories, on which small shapes already need tiling.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::machine {

/// `trn1-tight`, `trn2-tight`, `trn3-tight`.
std::vector<std::string> tight_machines();

/// The text of a machine file: the opcodes and rules of the machine before `-tight`, with 4 to 8 partitions, PSUM banks of 8 to 16
/// elements, and an SBUF of a few hundred elements a partition. nullopt: no such machine. The figures are our choice.
std::optional<std::string> tight_machine_text(std::string_view name);

}  // namespace tileproof::machine
