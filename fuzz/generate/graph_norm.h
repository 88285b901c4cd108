// Whole-tensor programs in which a tiler finds what it has instructions with several outputs for.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"
#include "fuzz/generate/graph_machine.h"

namespace tileproof::fuzz {

/// Mean and variance over some axes of a tensor, and what is normalised by them:
///
///     reduce s[j] += x[i, j, k]                  map m[j] = s[j] / N
///     reduce q[j] += (x[i, j, k] - m[j])^2       map v[j] = q[j] / N, or rsqrt(q[j] / N + 1e-5)
///     map    y[i, j, k] = (x[i, j, k] - m[j]) * v[j]
///
/// One to four axes in any order, as long as budgets and tails want; a statement among them, or what keeps statistics from being legal, now and then.
ir::Program generate_mean_variance(Choices& choices, const Budgets& budgets);

/// The gradient of a batch norm: two sums for each channel, and an elementwise statement that reads both.
ir::Program generate_norm_gradient(Choices& choices, const Budgets& budgets);

/// Scales of blocks of 8 by 4 elements, the power of two nearest to their largest magnitude over a number, and the quotients.
ir::Program generate_mx_blocks(Choices& choices, const Budgets& budgets);

}  // namespace tileproof::fuzz
