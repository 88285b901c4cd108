// Whether an accumulation may be cut into several.
#pragma once

#include "compiler/transform/environment.h"

namespace tileproof::transform {

/// Whether partial results of the accumulation lose nothing in elements of `dtype`, so that the accumulation may be cut into several
/// statements, or iterations, that hand on what they have by storing it there. Legal where
///   * `dtype` is the accumulate dtype, and wide (Environment::is_wide): it is rounded to nothing narrower in between;
///   * ... or of integers, and the destination has no more bits: sums and bits that wrap twice wrap once (products too, but the
///     oracle leaves these undecided);
///   * a max or min of floats: rounding is monotone, so the maximum of rounded values is the rounded maximum;
///   * a max or min of integers, all of which `dtype` and the accumulate dtype hold, so that none wraps.
/// A sum in a narrower integer dtype would survive too, but tilers keep partial results in the accumulator's dtype (our choice).
bool partials_survive(const ir::Statement& accumulation, ir::Dtype dtype, const Environment& environment);

}  // namespace tileproof::transform
