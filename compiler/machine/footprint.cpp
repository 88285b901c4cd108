#include "compiler/machine/footprint.h"

#include <algorithm>

namespace tileproof::machine {
namespace {

int64_t product(std::span<const int64_t> extents) {
  int64_t result = 1;
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(result, std::max<int64_t>(extent, 0), &result)) return int64_t{1} << 60;
  }
  return std::min(result, int64_t{1} << 55);   // leaves room for the bits of an element
}

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

size_t partition_rank(const ir::Buffer& buffer, std::span<const int64_t> extents) {
  return std::min(buffer.partition_rank.value_or(0), extents.size());
}

}  // namespace

int64_t spanned_partitions(const ir::Buffer& buffer, std::span<const int64_t> extents) {
  return product(extents.first(partition_rank(buffer, extents)));
}

int64_t stored_bytes(const ir::Buffer& buffer, std::span<const int64_t> extents) {
  return round_up(product(extents.subspan(partition_rank(buffer, extents))) * ir::bits(buffer.dtype), 8) / 8;
}

int64_t allocated_bytes(const ir::Buffer& buffer, std::span<const int64_t> extents, const Space& space) {
  return round_up(stored_bytes(buffer, extents), space.bank_bytes ? *space.bank_bytes : space.alignment);
}

}  // namespace tileproof::machine
