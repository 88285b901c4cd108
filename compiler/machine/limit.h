// Limits of an opcode, evaluated for one instruction.
#pragma once

#include "compiler/machine/unify.h"

#include <optional>
#include <span>

namespace tileproof::machine {

/// The larger factor where `n` is split into two factors as equal as can be: 12 gives 4, a prime itself. 0 and below, and beyond 2^40: n.
/// What a pair of hardware counters needs in order to count to n. Searching costs sqrt(n).
int64_t larger_factor(int64_t n);

/// The value of a side of a limit; nullopt: it speaks of a role that nothing plays, or divides by a number below 1.
std::optional<int64_t> term_value(const Limit::Term& term, std::span<const Operation> operations, const Binding& binding);

/// Why `limit` does not hold; nullopt: it holds, or it speaks of a role that nothing plays.
std::optional<Reason> broken_limit(const Limit& limit, std::span<const Operation> operations, const Binding& binding);

}  // namespace tileproof::machine
