// Rounding rational numbers to the element types, exactly: to nearest, ties to the even code (docs/language.md).
#pragma once

#include "compiler/ir/dtype.h"

#include <gmpxx.h>

#include <optional>

namespace tileproof::fuzz {

mpz_class floor_of(const mpq_class& value);
/// To nearest, ties to even.
mpz_class nearest_integer(const mpq_class& value);
/// The value of a floating dtype nearest to `value`; nullopt: infinite, with the sign of `value`.
std::optional<mpq_class> nearest_of(ir::Dtype dtype, const mpq_class& value);
/// Two's complement of an integer; `bool` is 0 or 1.
mpz_class wrap(ir::Dtype dtype, const mpz_class& value);

}  // namespace tileproof::fuzz
