// Steps of a proof that the solver does not find by itself in time. A step is part of the claim: it is proved before it helps.
#pragma once

#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/term.h"

namespace tileproof::prove {

/// b * d is 0 or at least b away from it, b >= 1: with it, equal numbers have equal quotients (d is the difference of two).
inline Formula apart(const Term& b, const Term& d) {
  return implies(d >= 1, b * d >= b) && implies(d <= -1, b * d <= Term(0) - b);
}

/// a / b is q, where a == b*q + r and 0 <= r < b.
inline Formula quotient_is(const Term& a, const Term& b, const Term& q) { return apart(b, a / b - q) && a / b == q; }

/// Products keep an order: b * x <= b * y where x <= y, b >= 0.
inline Formula ordered(const Term& b, const Term& x, const Term& y) { return implies(x <= y, b * x <= b * y); }

/// How the quotients rounded up and down hang together.
inline Formula trips_and_tail(const Term& extent, const Term& tile) {
  const Term up = penguin::arithmetic::trips(extent, tile), down = extent / tile;
  return apart(tile, down - (up - 1)) && apart(tile, down - up) &&
         up == choose(penguin::arithmetic::tail(extent, tile) == 0, down, down + 1);
}

}  // namespace tileproof::prove
