// Whether a machine has an instruction for a tile, asked of its opcodes as the oracle asks them.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tileproof::penguin {

/// `transpose` of a tile of `rows` partitions by `columns` elements in sbuf into `space`, where the elements keep their dtype.
bool transposes(const machine::Machine& machine, std::string_view space, ir::Dtype dtype, int64_t rows, int64_t columns);

/// The memory in which an instruction leaves the transposed tile: "psum" or "sbuf"; empty: there is none.
std::string transposing_space(const machine::Machine& machine, ir::Dtype dtype, int64_t rows, int64_t columns);

/// `partition_reduce` of a tile of `rows` partitions by `columns` elements of dtype `from`, in sbuf, into one partition of elements of
/// dtype `to`, as the update `update` and accumulated in `from`.
bool reduces_partitions(const machine::Machine& machine, ir::Update update, ir::Dtype from, ir::Dtype to, int64_t rows,
                        int64_t columns);

/// `matmul` of a column of ones and a tile of `rows` partitions by `columns` elements, both of this dtype in sbuf, into psum, accumulated in this dtype.
bool sums_by_matmul(const machine::Machine& machine, ir::Dtype dtype, int64_t rows, int64_t columns);

}  // namespace tileproof::penguin
