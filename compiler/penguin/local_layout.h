// Where the elements of a tensor lie that stays in SBUF from the nest that writes it to those that read it.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/penguin/extents.h"
#include "compiler/penguin/tile_parts.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::penguin {

/// A dim of which an index is `stride * (lanes * block + lane) + rest`: `lane` is the partition, the other two lie along the free dimension.
struct LaneDim {
  size_t dim = 0;
  int64_t lanes = 1;  ///< partitions, at least 2
  int64_t stride = 1;  ///< elements between the lanes
  auto operator<=>(const LaneDim&) const = default;
};

/// The dims that lie on the partitions, the outermost first; none: all elements lie in one partition. Behind the bar stand the blocks of these dims,
/// where there are several, and then all dims in their order, of those on the partitions what is left of them.
///
///     z : f32[300, 3200] dram, {0, 128, 1}      z : f32[128 | 3, 3200] sbuf      z[128*mb + m, n]  is  z[m, mb, n]
struct LocalLayout {
  std::vector<LaneDim> lanes;
  auto operator<=>(const LocalLayout&) const = default;
};

/// What an access of `statement` wants: its `lanes` (axes, those of one element do not count) on the partitions. nullopt: an axis of them
/// is in no index or in several, an extent is no number, or lanes do not follow each other evenly.
std::optional<LocalLayout> layout_of(const std::vector<ir::Expression>& indices, const Names& lanes,
                                     const ir::Statement& statement, const ir::Buffer& tensor);

/// Elements in one partition. `tensor` is the whole tensor.
int64_t elements_of_a_partition(const ir::Buffer& tensor, const LocalLayout& layout, const Extents& extents);

/// The tag `local=[dim, lanes, stride, ...]` of a tensor that stays on chip; nullopt: it has none, or one that is no layout of it.
std::optional<LocalLayout> local_layout(const ir::Buffer& tensor);
/// Whether a buffer of the program has such a tag.
bool has_local_tag(const ir::Program& program);
void set_local_layout(ir::Buffer& tensor, const LocalLayout& layout);

/// Puts each of these tensors into SBUF: its declaration and all its accesses. Preconditions: the accesses of a tensor were made of some for which
/// layout_of gave its layout, and its name stands for nothing else in the program.
void lay_out(ir::Block& body, const std::map<std::string, LocalLayout>& layouts);

}  // namespace tileproof::penguin
