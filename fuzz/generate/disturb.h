// Makes a right program wrong, or at least different, and leaves it well formed.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"

namespace tileproof::fuzz {

/// One small change: a condition dropped, an index shifted, a loop or axis of another kind, a claim, an address, a statement moved,
/// repeated or gone, a declaration hoisted, another operator or name. A change that does not verify is taken back.
void disturb(ir::Program& program, Choices& choices);

}  // namespace tileproof::fuzz
