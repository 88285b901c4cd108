// Who reads and writes the tensors that are the program's own, and how the tiles of these statements lie on the partitions.
#pragma once

#include "compiler/penguin/local_layout.h"
#include "compiler/penguin/operation.h"
#include "compiler/transform/localize.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tileproof::penguin {

/// Why a tensor goes through DRAM.
enum class Nonlocal : uint8_t {
  seen_elsewhere,  // a view, a move, an opaque item, a `while`, an instruction or a control condition names it, or its name stands for several
  left_whole,  // a statement that uses it becomes no nest
  indirect,  // it holds indices, or is read by indices
  goes_on,  // a statement goes on from what it holds
  across_units,  // it is used in a shard or thread loop, and every unit has a memory of its own
  layouts_differ,  // its accesses do not lie on the partitions alike, or evenly, and no instruction transposes it
  partly_written,  // it would be transposed, and a statement writes a part of it
  too_large,  // SBUF does not hold it beside the tiles and the tensors that are smaller
};
/// The word of the vocabulary ("left-whole"), and one line that says what it means.
std::string_view name(Nonlocal reason);
std::string_view meaning(Nonlocal reason);
inline constexpr size_t nonlocal_count = 8;

struct TensorAccess {
  size_t statement = 0;  ///< position in whole_tensor_statements(program)
  std::optional<transform::ReadPath> path;  ///< of the read; nullopt: it is written
  std::optional<LocalLayout> layout;  ///< that its tile has; nullopt: no layout of the tensor
};

struct TensorUse {
  const ir::Buffer* tensor = nullptr;
  std::vector<TensorAccess> accesses;  ///< in textual order, of a statement the reads first
  std::optional<Nonlocal> obstacle;  ///< that stands whatever the layouts are
};

/// The tensors in DRAM that have no role, no address, and a use in a statement, in the order of their declarations. Of a program that is
/// cut; it must outlive them.
std::vector<TensorUse> tensor_uses(const ir::Program& program, const machine::Machine& machine);

}  // namespace tileproof::penguin
