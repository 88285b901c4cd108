// What an index is at one execution of a statement: an affine form over the axes, once loop variables and parameters have values.
#pragma once

#include "compiler/ir/program.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tileproof::machine {

/// The value of a visible parameter or loop variable.
using Lookup = std::function<int64_t(std::string_view)>;

/// The values that each axis of a statement takes, bounds inclusive: a box of points.
struct Box {
  std::vector<int64_t> low, high;
  bool is_empty() const;
  /// The number of points; saturates at 2^62.
  int64_t points() const;
};
/// 0 .. extent - 1 for each axis; an extent below 1 counts as 1.
Box whole_box(std::span<const int64_t> extents);

/// constant + sum of coefficient * axis, or (not affine) some other function of the axes in `terms`.
struct Form {
  struct Term {
    uint32_t axis = 0;  ///< position in Statement::axes
    int64_t coefficient = 0;  ///< never 0
    bool operator==(const Term&) const = default;
  };
  int64_t constant = 0;
  std::vector<Term> terms;  ///< by axis, each once; only axes with more than one value
  bool affine = true;

  bool depends_on(uint32_t axis) const;
  int64_t coefficient(uint32_t axis) const;  ///< 0 where the axis does not occur
  bool operator==(const Form&) const = default;
};

/// Least and greatest value over `box`. Precondition: affine.
int64_t least(const Form& form, const Box& box);
int64_t greatest(const Form& form, const Box& box);
/// `left * factor + right`; not affine if one of them is not.
Form multiply_add(Form left, int64_t factor, Form right);

/// The form of `expression` where the axes range over `box`. `floordiv`, `mod`, `min`, `max` and `select` are resolved where
/// the ranges decide them (`(128*c + p) floordiv 128` is `c` while p < 128); an expression that reads a buffer is not affine.
Form form_of(const ir::Expression& expression, std::span<const ir::Axis> axes, const Box& box, const Lookup& lookup);

/// The value at one point; nullopt where it reads a buffer or divides by zero.
std::optional<int64_t> value_at(const ir::Expression& expression, std::span<const ir::Axis> axes, std::span<const int64_t> point,
                                const Lookup& lookup);

/// Calls `visit(point)` for every point of the axes in `which` (the others stay at their low end). Returns false, and visits
/// nothing, if there are more than `limit` points.
bool for_each_point(const Box& box, std::span<const uint32_t> which, int64_t limit,
                    const std::function<void(std::span<const int64_t>)>& visit);

/// The largest box within `box` outside of which one of the conditions fails, as far as each condition is about a single axis.
/// Empty if a condition holds nowhere.
Box where_box(const ir::Statement& statement, const Box& box, const Lookup& lookup);

}  // namespace tileproof::machine
