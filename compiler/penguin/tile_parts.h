// The axes of a cut statement by what becomes of them in its nest.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/transform/environment.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::penguin {

using Names = std::vector<std::string>;

/// All in emission order.
struct Parts {
  Names loops, reduced_loops;           ///< `B`; the second ones are reduced or seq axes
  Names partition, reduced_partition;   ///< `P`
  Names free, reduced_free;             ///< `F`

  explicit Parts(const ir::Statement& s);

  /// The axes on the partitions of the tiles that are read; those of a tile that is written are `partition`.
  const Names& lanes_of_operands() const { return reduced_partition.empty() ? partition : reduced_partition; }
};

/// The axes of any statement; those on the partitions of a transposition's operand in the order in which they index it.
Parts parts_of(const ir::Statement& s);

/// The opcode that adds up along the partitions, by the tag `by` of a sum whose reduced axes lie there; empty: none.
std::string partition_sum_of(const ir::Statement& s);

/// Whether the classes of the axes are those of what is read, and P and F change places in the result.
bool changes_partitions(const ir::Statement& s);
/// P and F change places in the classes of the axes, so that they are those of the result.
void exchange_classes(ir::Statement& s);

/// The most elements that the parallel axes of this class have together.
int64_t most_elements(const ir::Statement& s, AxisClass axis_class, const transform::Environment& environment);

}  // namespace tileproof::penguin
