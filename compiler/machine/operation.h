// One execution of a statement as a machine sees it: extents, and where each access lies, with all variables valued.
#pragma once

#include "compiler/machine/access.h"
#include "compiler/machine/form.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tileproof::machine {

/// More points than this are not enumerated to find out about an index that is not affine.
inline constexpr int64_t enumeration_limit = 4096;

/// The place of an access in its buffer.
struct Placement {
  std::vector<int64_t> extents;     ///< of the buffer, in elements
  std::vector<Form> dims;           ///< the index of each dimension, over the whole box of the statement
  size_t partition_rank = 0;        ///< how many of them lie on partitions; 0 where the buffer has no bar
  bool has_bar = false;
};

struct Operation {
  const StatementAccesses* text = nullptr;
  std::vector<int64_t> extents;     ///< of the statement's axes, as declared
  Box box;                          ///< all points of the axes
  Box executed;                     ///< without those that a condition on a single axis excludes
  std::vector<Placement> placements;   ///< by access
  const Lookup* lookup = nullptr;

  const ir::Statement& statement() const { return *text->statement; }
  const Access& access(size_t index) const { return text->accesses[index]; }
  /// Whether the axis takes more than one value.
  bool is_wide(uint32_t axis) const { return extents[axis] > 1; }
};

/// `lookup` must outlive the result. `extents` are those of the statement's axes; values below 1 count as 1.
Operation make_operation(const StatementAccesses& text, std::span<const int64_t> extents, const Lookup& lookup);

/// The row-major number of the partition, counted from the first of the buffer; 0 where the buffer has no bar.
Form partition_form(const Placement& placement);
/// The row-major number of the element within its partition (within the buffer, where it has no bar).
Form element_form(const Placement& placement);

/// Partitions start .. start + count - 1 of a buffer; `contiguous`: none between them is left out.
struct PartitionWindow {
  int64_t start = 0;
  int64_t count = 1;
  bool contiguous = true;
};
/// What the points of `operation.executed` touch; nullopt where that is not known (a gather on partitions, too many points).
std::optional<PartitionWindow> partition_window(const Operation& operation, size_t access);

/// Elements within a partition: the first and last touched.
struct ElementWindow {
  int64_t first = 0;
  int64_t last = 0;
};
std::optional<ElementWindow> element_window(const Operation& operation, size_t access);

/// For a dtype narrower than a byte: the bit, within its partition, of a run of neighbouring elements that does not begin a
/// byte; nullopt: all do (or it is not known).
std::optional<int64_t> unaligned_bit(const Operation& operation, size_t access);

/// How many strides the access has beside its partitions once neighbours that are contiguous are merged; unit extents count
/// nothing. An index that is not affine counts as one stride for each axis.
int64_t pattern_dims(const Operation& operation, size_t access);

}  // namespace tileproof::machine
