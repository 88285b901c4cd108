// What an expression over parameters can be, for all values of the parameters.
#pragma once

#include "compiler/ir/expression.h"

#include <functional>

namespace tileproof::ir {

/// Both ends included. Arithmetic saturates, so an end at the limit of int64_t means "at least so far".
struct Interval {
  int64_t low = 0;
  int64_t high = 0;
  bool is_point() const { return low == high; }
  bool operator==(const Interval&) const = default;
};

/// The range of a parameter; nullopt for every other name.
using ParameterRange = std::function<std::optional<Interval>(std::string_view)>;

/// Bounds of `e`, which need not be reached; nullopt if it names anything but parameters, uses an operator that an index may not
/// use, or divides by what may be 0 or negative.
std::optional<Interval> interval(const Expression& e, const ParameterRange& range_of);

Interval negated(Interval a);
/// Bounds of `a op b` for a binary operator of index expressions; nullopt for others, and where b of floordiv or mod may be 0 or
/// negative.
std::optional<Interval> combine(Op op, Interval a, Interval b);

/// a * b, saturating.
int64_t multiply_saturating(int64_t a, int64_t b);

}  // namespace tileproof::ir
