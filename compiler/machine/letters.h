// The second half of unification: which axes each letter of a formula stands for, given which access plays which role.
#pragma once

#include "compiler/machine/match.h"
#include "compiler/machine/unify.h"

#include <expected>

namespace tileproof::machine {

/// Binds every axis of more than one value to a letter, so that in every shape each run of dimensions is indexed by the axes of
/// its letters. An axis takes the first letter (in textual order) that occurs in the same runs and takes axes of its kind.
/// `[*]` shapes ask nothing; axes that only they use are bound to no letter.
/// Errors: Reason::Kind::axes, or space for a bar where the buffer has none.
std::expected<Binding, Reason> bind_letters(const Operation& operation, const Opcode& opcode, const Formula& formula,
                                            const Match& match, size_t number);

}  // namespace tileproof::machine
