#include "compiler/penguin/sbuf_budget.h"

#include "compiler/ir/interval.h"
#include "compiler/ir/verify.h"
#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/tile_parts.h"
#include "compiler/transform/localize.h"

#include <algorithm>
#include <vector>

namespace tileproof::penguin {
namespace {

constexpr int64_t bits_of_byte = 8;

struct TileBits {
  int64_t tiles = 0;
  int64_t per_element = 0;   ///< of all tiles that grow with the free axes
  int64_t fixed = 0;         ///< of those that do not
};

TileBits tile_bits(const ir::Statement& s, const Operation& operation, const Tensors& tensors, int64_t stationary_columns) {
  TileBits all;
  const auto grow = [&](ir::Dtype dtype) {
    ++all.tiles;
    all.per_element += ir::bits(dtype);
  };
  grow(tensors.find(s.destination)->dtype);
  if (operation.kind == OperationKind::contraction) {
    const size_t stationary = operation.contraction.stationary_operand;
    grow(operation.contraction.dtypes[1 - stationary]);
    ++all.tiles;
    all.fixed = ir::multiply_saturating(stationary_columns, ir::bits(operation.contraction.dtypes[stationary]));
    return all;
  }
  // Partial results that go from block to block have a tile of their own.
  const ir::Dtype accumulate = ir::accumulate_dtype(s, tensors.dtypes());
  if (operation.kind == OperationKind::reduction && accumulate != tensors.find(s.destination)->dtype) grow(accumulate);
  const std::vector<const ir::Expression*> reads = reads_in(s.value);
  for (auto read = reads.begin(); read != reads.end(); ++read) {
    const auto is_same = [&](const ir::Expression* each) { return *each == **read; };
    if (std::find_if(reads.begin(), read, is_same) == read) grow(tensors.find((*read)->name)->dtype);
  }
  return all;
}

}  // namespace

std::optional<int64_t> partition_bytes(const machine::Machine& machine) {
  const machine::Space* sbuf = machine.space("sbuf");
  return sbuf == nullptr ? std::nullopt : sbuf->bytes;
}

std::optional<int64_t> sbuf_budget(const ir::Statement& s, const Operation& operation, const Tensors& tensors,
                                   const machine::Machine& machine, const ComputeCutParams& params) {
  const std::optional<int64_t> bytes = partition_bytes(machine);
  if (!bytes) return std::nullopt;
  const machine::Space& sbuf = *machine.space("sbuf");
  const TileBits all = tile_bits(s, operation, tensors, params.stationary_free_cut_size);
  // Each tile may take a byte, an alignment and a row more than its elements.
  const int64_t rounding = ir::multiply_saturating(all.tiles, sbuf.alignment + sbuf.row - 1);
  const int64_t bits = ir::multiply_saturating(std::max<int64_t>(*bytes - rounding, 0), bits_of_byte) - all.fixed;
  return bits < all.per_element ? 0 : bits / all.per_element;
}

int64_t tile_bytes(const ir::Statement& s, const Operation& operation, const Tensors& tensors, const machine::Machine& machine,
                   const Extents& extents) {
  const auto product = [&](AxisClass axis_class, bool reduced) {
    int64_t elements = 1;
    for (const size_t i : axes_of(s, axis_class, reduced))
      elements = ir::multiply_saturating(elements, std::max<int64_t>(extents.largest(s.axes[i].extent), 1));
    return elements;
  };
  const int64_t lanes = product(AxisClass::partition, false);
  int64_t free = ir::multiply_saturating(product(AxisClass::free, false), product(AxisClass::free, true));
  TileBits all = tile_bits(s, operation, tensors, lanes);
  if (changes_partitions(s)) {
    free = std::max(free, lanes);
    all.per_element += ir::bits(tensors.find(s.value.name)->dtype);   // what the instruction writes may be copied once more
    ++all.tiles;
  }
  if (!partition_sum_of(s).empty()) {   // ones
    all.fixed += ir::bits(ir::accumulate_dtype(s, tensors.dtypes()));
    ++all.tiles;
  }
  const machine::Space* sbuf = machine.space("sbuf");
  const int64_t rounding = sbuf == nullptr ? 0 : sbuf->alignment + sbuf->row - 2;   // beyond whole bytes
  const int64_t bits = ir::multiply_saturating(free, all.per_element);
  return bits / bits_of_byte + all.fixed / bits_of_byte + all.tiles * (1 + rounding);
}

int64_t buffer_bytes(int64_t elements, ir::Dtype dtype, const machine::Space& space) {
  const int64_t bits = ir::multiply_saturating(elements, ir::bits(dtype));
  return (bits + bits_of_byte - 1) / bits_of_byte + space.alignment + space.row - 2;
}

}  // namespace tileproof::penguin
