// Integers of programs that have to do with one another.
#pragma once

#include "fuzz/reduce/subject.h"

#include <vector>

namespace tileproof::fuzz {

/// Literals of sizes, indices and conditions that change together if a size does: the extent of a dim of a buffer, the extents of
/// the axes and loops that run over it, and the numbers in the indices and conditions in which these meet. A dim of an interface
/// buffer is the same dim in both programs of a pair. Addresses and value ranges are tied to nothing.
using Tie = std::vector<ir::Expression*>;

/// All ties that hold a literal, in the order of their first one. The pointers lead into `subject`.
std::vector<Tie> ties(Subject& subject);

}  // namespace tileproof::fuzz
