// The innermost loops of a contraction, sum[j] += a[k] * b[k, j], over operands that were packed for it. The results are those of
// the operations of the domain, made one after the other with k ascending.
//
// Packed b lies in panels: `panel` neighbours j of one k are neighbours in memory, and k runs next.
#pragma once

#include <cstdint>

namespace tileproof::oracle {

inline constexpr int64_t field_panel = 4, real_panel = 16;

/// One panel modulo 2^61 - 1; all numbers are below the modulus.
void contract_field(uint64_t* sums, const uint64_t* a, const uint64_t* b, int64_t count);

/// One panel in f32: `sums` are rounded after each multiplication and each addition. `errors`: what all of these roundings add up
/// to, at most. Infinities and NaN stay visible in both.
void contract_f32(float* sums, double* errors, const float* a, const float* b, int64_t count);

}  // namespace tileproof::oracle
