// The class of an axis, and what else the passes hand on about it, as the tags of the language (docs/language.md).
#pragma once

#include "compiler/ir/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::penguin {

enum class AxisClass : uint8_t {
  partition,   // `P`: lies on the partitions of a tile; a reduced one is the contraction of a matmul
  free,        // `F`: lies along the free dimension of a tile
  block,       // `B`: a loop around tiles
};

/// nullopt: none of the three tags is there.
std::optional<AxisClass> class_of(const ir::Axis& axis);
bool is_classified(const ir::Statement& statement);   ///< every axis of it
void set_class(ir::Axis& axis, AxisClass axis_class);

const ir::Tag* find_tag(const ir::Tags& tags, std::string_view name);
/// Replaces the tag of this name, or adds it.
void set_tag(ir::Tags& tags, std::string_view name, ir::TagValue value = {});

/// `ag=N`: axes of one group index the same dimension of a tensor.
std::optional<int64_t> axis_group(const ir::Axis& axis);

/// Whether the expression depends on the axis, by itself.
bool names_axis(const ir::Expression& e, std::string_view axis);

/// Positions of the parallel axes in emission order: as they index the destination; those that do not, come last.
std::vector<size_t> parallel_axes(const ir::Statement& statement);
/// Sorts positions of axes by the numbers of their groups, the lowest priority first; where one has none they stay.
void order_by_group(const ir::Statement& statement, std::vector<size_t>& axes);
/// Positions of the axes of this class, parallel ones or (`ordered`) reduced and seq ones. In emission order: of a tile by the numbers of their
/// axis groups, the lowest first, then as they index the destination; loops as they index the destination; ordered ones as they stand in the
/// statement, which is the order of accumulation.
std::vector<size_t> axes_of(const ir::Statement& statement, AxisClass axis_class, bool ordered);

}  // namespace tileproof::penguin
