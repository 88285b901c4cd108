// Index expressions in the form in which a person writes them: 128*mb + m, not 128*(mb) + m + 0.
#pragma once

#include "compiler/ir/expression.h"

#include <optional>
#include <vector>

namespace tileproof::transform {

/// A sum of literal multiples of atoms, and a number. An atom is a variable, a read, or an operation other than a sum.
struct Linear {
  struct Term {
    ir::Expression atom;
    int64_t factor = 1;
  };
  std::vector<Term> terms;   ///< in the order in which the atoms first occur; atoms differ, no factor is 0
  int64_t constant = 0;

  /// 0 where `name` is no term. (It may occur inside of an atom.)
  int64_t factor_of(std::string_view name) const;
};

/// nullopt: a factor does not fit in 64 bits, or a literal is no integer.
std::optional<Linear> linear(const ir::Expression& e);
/// The first positive term first, so that no sum begins with a sign that it can do without.
ir::Expression expression(Linear sum);

/// An index expression or a comparison of two that means the same for all values, arithmetic modulo 2^64 included: sums
/// collected, literals computed. What does not fit in 64 bits stays as it is.
ir::Expression fold(ir::Expression e);

}  // namespace tileproof::transform
