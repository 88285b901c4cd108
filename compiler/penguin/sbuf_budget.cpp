#include "compiler/penguin/sbuf_budget.h"

#include "compiler/ir/interval.h"
#include "compiler/ir/verify.h"

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

TileBits tile_bits(const ir::Statement& s, const Operation& operation, const Tensors& tensors, const ComputeCutParams& params) {
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
    all.fixed = ir::multiply_saturating(params.stationary_free_cut_size, ir::bits(operation.contraction.dtypes[stationary]));
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
  const TileBits all = tile_bits(s, operation, tensors, params);
  // Each tile may take a byte, an alignment and a row more than its elements.
  const int64_t rounding = ir::multiply_saturating(all.tiles, sbuf.alignment + sbuf.row - 1);
  const int64_t bits = ir::multiply_saturating(std::max<int64_t>(*bytes - rounding, 0), bits_of_byte) - all.fixed;
  return bits < all.per_element ? 0 : bits / all.per_element;
}

}  // namespace tileproof::penguin
