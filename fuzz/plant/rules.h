// Rules of which one part is replaced.
#pragma once

#include "compiler/penguin/cut_rules.h"

#include <functional>

namespace tileproof::plant {

using Cut = penguin::CutRules::Cut;
using Extents = std::span<const int64_t>;
using Arithmetic = std::function<Cut(Extents, int64_t cut_size, penguin::CutOptions)>;

/// Rules whose cuts are all decided by `arithmetic` instead of penguin::compute_cut. Budgets are the right ones.
penguin::CutRules rules_with(const Arithmetic& arithmetic);

}  // namespace tileproof::plant
