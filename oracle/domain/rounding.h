// Exact rounding to every element type: to nearest, ties to the even code.
//
//   overflow to infinity     f64 f32 tf32 f16 bf16 e5m2 e4m3
//   saturation               e4m3fn e2m1 e8m0 (which have no infinity) and every integer
//
// e8m0 has neither a sign nor a zero: what is below its smallest power, 2^-127, becomes that power. Source of the formats: IEEE
// 754, the OCP microscaling formats, AWS Neuron's fp8_e4m3 (which keeps infinities: largest value 240). Saturation and e8m0's
// floor are our choice.
#pragma once

#include "compiler/ir/dtype.h"

#include <cstdint>

namespace tileproof::oracle {

/// What there is to know about a floating dtype. A finite value is an integer times 2^(exponent - precision + 1), where exponent
/// is that of the value, but never less than `min_exponent` (below it lie the subnormals).
struct FloatFormat {
  int precision = 53;           ///< bits of the significand, the leading one included
  int min_exponent = -1022;     ///< of the smallest normal value
  double max_finite = 0;
  bool has_infinity = true;
  bool is_signed = true;        ///< false: no zero either (e8m0)
};

/// Precondition: is_float(dtype).
const FloatFormat& float_format(ir::Dtype dtype);

/// The value of `dtype` nearest to `value`. Not a number stays what it is in every dtype, also in those that have none: it is for
/// the caller to report. Integer dtypes: to nearest even, then saturated; above 2^53 the result is the double nearest to the
/// integer (round_to_integer is exact).
double round_to(ir::Dtype dtype, double value);

/// A floating value stored into an integer dtype. Precondition: is_integer(dtype), `value` is not a NaN.
int64_t round_to_integer(ir::Dtype dtype, double value);

/// An integer stored into a narrower integer dtype: two's complement; `bool` is 0 or 1.
int64_t wrap_to_integer(ir::Dtype dtype, int64_t value);

/// The largest finite value.
double max_finite(ir::Dtype dtype);

/// |round_to(x) - x| <= unit_roundoff * |x| in the normal range of a floating dtype; 0 for integers.
double unit_roundoff(ir::Dtype dtype);

/// Whether each finite value of `inner` is a value of `outer`. Derived from the formats; a test enumerates the small dtypes.
bool contains(ir::Dtype outer, ir::Dtype inner);

}  // namespace tileproof::oracle
