// Partition groups: the statements whose tiles lie on the partitions in the same way, and the tensors that flow between them.
// Source: seed 000, partition-group analysis, with the tables of edges; set equality, and what connects two statements, are our choice.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace tileproof::penguin {

enum class NestKind : uint8_t {
  normal,  // one layout: what it reads and what it writes lie on the partitions alike
  contraction,  // two: its operands by the contracted axes, its result by the stationary ones
  transposition,  // two: what was free in its operand lies on the partitions of its result
};
std::string_view name(NestKind kind);

/// A statement and the partition groups of its two sides.
struct Nest {
  NestKind kind = NestKind::normal;
  size_t source = 0;  ///< of what it reads
  size_t destination = 0;  ///< of what it writes; the same one where the nest is normal
};

/// An axis of a statement, both as positions.
struct NestAxis {
  size_t statement = 0, axis = 0;
  auto operator<=>(const NestAxis&) const = default;
};

struct PartitionGroup {
  std::vector<int64_t> partition;  ///< the axis groups that lie on the partitions, ascending
  std::vector<size_t> members;  ///< normal nests, in textual order
  std::vector<size_t> sources;  ///< contractions and transpositions that write in this layout
  std::vector<size_t> sinks;  ///< ... that read in this layout
  /// Of the members, and of the sources' and sinks' sides: the axes that do not lie on the partitions, by their axis groups.
  std::map<int64_t, std::vector<NestAxis>> others;
  size_t color = 0;  ///< groups that a relation joins differ; nothing else depends on it
  /// A partition axis group is a loop, or is reduced along the free dimension, in another nest of the group: the source warns of it.
  bool is_looped_or_reduced = false;
};

/// One statement writes a tensor, and a later one, or one in a later iteration, reads what it wrote.
struct TensorEdge {
  size_t producer = 0, consumer = 0;
  const ir::Buffer* tensor = nullptr;
  auto operator<=>(const TensorEdge&) const = default;
};

/// Statements are their positions in whole_tensor_statements(program); edges their positions in `edges`.
struct PartitionGroups {
  std::vector<std::optional<Nest>> nests;  ///< of each statement; nullopt: an axis has no class, or no group
  std::vector<PartitionGroup> groups;  ///< in the order of their first statements
  std::vector<TensorEdge> edges;  ///< by consumer, producer, and place of the declaration
  std::vector<std::vector<size_t>> producers, consumers;  ///< of each statement: the edges that end and begin there
  std::set<std::pair<size_t, size_t>> relations;  ///< groups, from and to: a nest has two sides, or an edge joins them
  std::map<int64_t, std::set<size_t>> consumer_groups;  ///< of each axis group: who reads a tensor along it
};

struct PartitionGroupsOptions {
  bool nonlocal_edges = true;  ///< also the edges through tensors that are seen from outside
  bool nests_alone = false;  ///< no more than who is in which group
};

/// Of a program whose axes have classes and axis groups (par-axes-annotation), which may be cut. It refers to the buffers of `program`,
/// which must outlive it.
///
/// Two sides are in one group if the same axis groups lie on their partitions and they touch the same local tensor, or if a row of
/// such sides joins them. The result does not depend on the order of that. Time n log n in the accesses.
PartitionGroups partition_groups(const ir::Program& program, const machine::Machine& machine,
                                 PartitionGroupsOptions options = {});

/// Whether a tensor is the program's own, so that its place and its layout are free.
bool is_local(const ir::Buffer& tensor);

}  // namespace tileproof::penguin
