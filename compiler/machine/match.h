// The first half of unification: which read of a statement plays which role of a formula, by the shape of the expression alone.
#pragma once

#include "compiler/machine/machine.h"
#include "compiler/machine/operation.h"

#include <optional>
#include <vector>

namespace tileproof::machine {

/// A read that an `any(...)` covers, and the shapes that it may have.
struct FreeRead {
  size_t access = 0;
  std::vector<size_t> shapes;      ///< indices into Formula::shapes
};

struct Match {
  std::vector<std::optional<size_t>> access_of_shape;   ///< by shape of the formula; shapes of `any` stay empty
  std::vector<FreeRead> free_reads;
};

/// All ways in which the update and the value of the statement have the form of `formula`: operands of commutative operators
/// in either order. A cast is looked through where it changes nothing: into a dtype that holds every value of what it casts,
/// into the destination's own at the root of an assignment, or anywhere if `casts`.
std::vector<Match> match_value(const Operation& operation, const Formula& formula, bool casts);

}  // namespace tileproof::machine
