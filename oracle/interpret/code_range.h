// Which values an integer code can have: what decides whether its arithmetic may wrap.
#pragma once

#include "compiler/ir/interval.h"
#include "oracle/interpret/integer_code.h"

#include <functional>
#include <vector>

namespace tileproof::oracle {

/// All 64-bit integers.
ir::Interval all_integers();

/// Bounds (both ends included) of the value of `code`, where `slots` bounds each slot and `dtype_of` names the dtype behind an access
/// that is read. Where an operation may wrap its result is all_integers(), and so is that of bit operations and shifts. Poison apart.
ir::Interval range_of(const IntegerCode& code, const std::vector<ir::Interval>& slots,
                      const std::function<ir::Dtype(uint32_t access)>& dtype_of);

/// Whether a - b has the sign of the comparison of a and b, with room for what is added to it (2^62 on either side).
bool differ_without_wrapping(ir::Interval a, ir::Interval b);

}  // namespace tileproof::oracle
