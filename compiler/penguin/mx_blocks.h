// Quantisation into MX blocks, as a program that knows no instruction for it writes it.
#pragma once

#include "compiler/machine/machine.h"
#include "compiler/penguin/operation.h"
#include "compiler/transform/environment.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::penguin {

/// Two statements of one block: the largest magnitude of each block, divided by a number, into e8m0; and the quotients by it. The second one may
/// walk the elements as the first does, or one by one:
///
///     reduce s[k, f] max= abs(x[8*k + r, 4*f + q]) / 448           over k:12, f:130, r:8 reduce, q:4 reduce start
///     map    y[8*k + r, 4*f + q] = x[8*k + r, 4*f + q] / s[k, f]   over k:12, f:130, r:8, q:4
///     map    y[i, j] = x[i, j] / s[i floordiv 8, j floordiv 4]     over i:96, j:520
struct MxBlocks {
  size_t scale = 0, quotient = 0;  ///< positions in the block, ascending
  std::string row, row_in_block, pack, in_pack;  ///< axes of the scale: k, r, f and q
  std::vector<ir::Expression> elements;  ///< the indices of y by the axes of the scale
};

/// Why the instruction does not take their place.
enum class NoBlocks : uint8_t {
  other_blocks,  // blocks of another shape than the instruction has
  other_dtypes,  // dtypes that the instruction does not take
  part_of_blocks,  // a block is not whole, or a condition leaves elements out
  other_elements,  // the quotients are not of the elements that the scales are of
  varying_blocks,  // an extent is no number, or there is no block
  touched_between,  // the tensor, scales or quotients are touched between the two
};
/// The word of the passes' vocabulary ("other-blocks"), and one line that says what it means.
std::string_view name(NoBlocks reason);
std::string_view meaning(NoBlocks reason);
inline constexpr size_t no_blocks_count = 6;

/// The statement that block[index], a maximum of magnitudes into e8m0, is the scale for; nullopt: it is none, or nothing is divided by it.
std::optional<size_t> quotient_by(const ir::Block& block, size_t index);

/// What the scale and the quotient are to the instruction. `environment` has entered the block.
std::expected<MxBlocks, NoBlocks> mx_blocks(const ir::Block& block, size_t scale, size_t quotient, const Tensors& tensors,
                                            const machine::Machine& machine, const transform::Environment& environment);

}  // namespace tileproof::penguin
