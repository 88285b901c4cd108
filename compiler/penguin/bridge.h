// A tensor that is read in another layout than it is written in has a transposed copy for it.
#pragma once

#include "compiler/penguin/tensor_uses.h"
#include "compiler/transform/environment.h"
#include "compiler/transform/names.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tileproof::penguin {

/// From the layout of the writers to that of some readers.
struct Bridge {
  LocalLayout from, to;
  bool operator==(const Bridge&) const = default;
};

/// Whether tiles of at most lanes x lanes elements can be transposed from one layout to the other: each has at most one dim on the partitions, the dims
/// differ, lanes are neighbours, extents are numbers, and the machine has an instruction.
bool is_bridgeable(const Bridge& bridge, const ir::Buffer& tensor, const machine::Machine& machine);

/// Whether the statement writes each element of the tensor, but for values of reduced axes: then a copy of the whole tensor reads nothing that
/// nobody wrote.
bool writes_all(const ir::Statement& statement, const ir::Buffer& tensor);

/// The transposed copy: what declares it, and the statement that fills it, behind each writer, so that it holds what the tensor holds wherever
/// readers stand.
///
///     buffer T : f32[200, 96] dram                     {0, 128, 1} to {1, 96, 1}
///     buffer T_turned : f32[200, 96] dram
///     transpose {pf} T_turned[128*mb + m, n] = T[128*mb + m, n] over mb:2 {B}, m:128 {P}, n:96 {F} where 128*mb + m < 200
///
/// Precondition: is_bridgeable. Axes are called and grouped as those of `writer` are. Source: spec passes 1.6 and 11.5.
struct BridgeStatement {
  ir::Buffer copy;
  ir::Statement fill;
};
BridgeStatement bridge_statement(const Bridge& bridge, const ir::Buffer& tensor, const std::string& copy,
                                 const ir::Statement& writer, transform::FreshNames& names);

}  // namespace tileproof::penguin
