// A cut of one class of axes of a statement, carried out: the axes are split, and every part has its class.
#pragma once

#include "compiler/penguin/axis_class.h"
#include "compiler/penguin/axis_cut.h"
#include "compiler/penguin/extents.h"
#include "compiler/transform/names.h"
#include "compiler/transform/refusal.h"

#include <span>
#include <string>
#include <vector>

namespace tileproof::penguin {

/// `axes` (positions in the statement, in emission order) as a priority list with their largest extents.
PriorityOrder<CutAxis> priority_list(const ir::Statement& statement, std::span<const size_t> axes, const Extents& extents);
std::vector<int64_t> extents_of(const PriorityOrder<CutAxis>& axes);

/// Classes of what the tile keeps and of what leaves it.
struct PartClasses {
  AxisClass tile = AxisClass::free;
  AxisClass rest = AxisClass::block;
  bool decayed = false;   ///< what leaves is tagged so
};

/// Splits and tags the axes of `cut`. Of a split axis, the factor that leaves takes a new name, and both get `from=NAME`; a
/// factor that loops gets `tile=N`. All or nothing. Refusals: those of transform::split_axis.
transform::Outcome<> apply_cut(ir::Statement& statement, const AxisCut& cut, PartClasses classes, transform::FreshNames& names);

/// "m 300 = 3 x 128, tail 44; n whole": for remarks.
std::string describe(const AxisCut& cut);

}  // namespace tileproof::penguin
