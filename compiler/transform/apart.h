// Whether the iterations of a loop touch different elements.
#pragma once

#include "compiler/transform/environment.h"

#include <set>
#include <string>

namespace tileproof::transform {

/// What the items of a block touch outside of what they declare.
struct Touched {
  bool is_known = true;                        ///< false: an item whose accesses are not evident (move, opaque, while, view)
  std::set<std::string> written;               ///< roots
};
Touched touched(const ir::Block& body, const Environment& environment);

/// Whether no element of `root` is touched in two iterations of `loop`, whose body `body` is: all accesses have one dim whose index is the same
/// multiple of the loop variable, plus the same expression of names that `body` and `inner` do not vary, plus what stays below the
/// multiple. `inner` are the names of other loops around that vary. Sufficient, not necessary.
bool is_apart(const std::string& root, const std::string& loop, const std::set<std::string>& inner, const ir::Block& body,
              const Environment& environment);

}  // namespace tileproof::transform
