#include "compiler/machine/form.h"

#include "compiler/ir/floor_divide.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tileproof::machine {
namespace {

using ir::Expression;
using ir::Op;

constexpr int64_t most = int64_t{1} << 62;

// Indices of well-formed programs stay far below 2^62; hostile ones wrap here as they do in the interpreter.
int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t multiply(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }
int64_t floor_divide(int64_t a, int64_t b) { return b == -1 ? multiply(a, -1) : ir::floor_divide(a, b); }
int64_t floor_modulus(int64_t a, int64_t b) { return b == -1 ? 0 : add(a, -multiply(b, floor_divide(a, b))); }

Form constant(int64_t value) { return {value, {}, true}; }

/// Some function of the axes of both.
Form opaque(const Form& left, const Form& right) {
  Form both{0, {}, false};
  std::ranges::set_union(left.terms, right.terms, std::back_inserter(both.terms), {}, &Form::Term::axis, &Form::Term::axis);
  for (Form::Term& term : both.terms) term.coefficient = 1;
  return both;
}

/// Splits `form` at a positive divisor: the part that it divides, and a rest that stays within 0 .. divisor - 1, if there is one.
struct Split {
  Form quotient, rest;
};
std::optional<Split> split(const Form& form, int64_t divisor, const Box& box) {
  Split parts;
  parts.quotient.constant = floor_divide(form.constant, divisor);
  parts.rest.constant = floor_modulus(form.constant, divisor);
  for (const Form::Term& term : form.terms) {
    if (floor_modulus(term.coefficient, divisor) == 0) {
      parts.quotient.terms.push_back({term.axis, floor_divide(term.coefficient, divisor)});
    } else {
      parts.rest.terms.push_back(term);
    }
  }
  const int64_t shift = floor_divide(least(parts.rest, box), divisor);
  if (greatest(parts.rest, box) >= add(multiply(shift, divisor), divisor)) return std::nullopt;
  parts.quotient.constant = add(parts.quotient.constant, shift);
  parts.rest.constant = add(parts.rest.constant, -multiply(shift, divisor));
  return parts;
}

/// Whether `difference op 0` holds everywhere (true), nowhere (false), or here and there (nullopt).
std::optional<bool> decide(Op op, const Form& difference, const Box& box) {
  if (!difference.affine) return std::nullopt;
  const int64_t low = least(difference, box), high = greatest(difference, box);
  const auto both = [](bool always, bool never) -> std::optional<bool> {
    return always ? std::optional(true) : never ? std::optional(false) : std::nullopt;
  };
  switch (op) {
    case Op::less: return both(high < 0, low >= 0);
    case Op::less_equal: return both(high <= 0, low > 0);
    case Op::greater: return both(low > 0, high <= 0);
    case Op::greater_equal: return both(low >= 0, high < 0);
    case Op::equal: return both(low == 0 && high == 0, low > 0 || high < 0);
    case Op::not_equal: return both(low > 0 || high < 0, low == 0 && high == 0);
    default: return std::nullopt;
  }
}

class Former {
 public:
  Former(std::span<const ir::Axis> axes, const Box& box, const Lookup& lookup) : axes_(axes), box_(box), lookup_(lookup) {}

  Form form(const Expression& e) const {
    switch (e.op) {
      case Op::literal: return constant(ir::to_integer(e.value).value_or(0));
      case Op::variable: return variable(e.name);
      case Op::negate: return multiply_add(form(e.operands[0]), -1, constant(0));
      case Op::add: return multiply_add(form(e.operands[0]), 1, form(e.operands[1]));
      case Op::subtract: return multiply_add(form(e.operands[1]), -1, form(e.operands[0]));
      case Op::multiply: return product(form(e.operands[0]), form(e.operands[1]));
      case Op::floordiv:
      case Op::mod: return divide(e.op, form(e.operands[0]), form(e.operands[1]));
      case Op::min:
      case Op::max: return extreme(e.op, form(e.operands[0]), form(e.operands[1]));
      case Op::select: return choose(e);
      default: break;
    }
    Form result = constant(0);
    for (const Expression& operand : e.operands) result = opaque(result, form(operand));
    result.affine = false;
    return result;
  }

 private:
  Form variable(const std::string& name) const {
    for (uint32_t axis = 0; axis < axes_.size(); ++axis) {
      if (axes_[axis].name != name) continue;
      if (box_.low[axis] == box_.high[axis]) return constant(box_.low[axis]);
      return {0, {{axis, 1}}, true};
    }
    return constant(lookup_(name));
  }

  static Form product(Form left, Form right) {
    if (left.affine && left.terms.empty()) return multiply_add(std::move(right), left.constant, constant(0));
    if (right.affine && right.terms.empty()) return multiply_add(std::move(left), right.constant, constant(0));
    return opaque(left, right);
  }

  Form divide(Op op, const Form& left, const Form& right) const {
    if (left.affine && right.affine && right.terms.empty() && right.constant > 0) {
      if (const auto parts = split(left, right.constant, box_)) return op == Op::mod ? parts->rest : parts->quotient;
    }
    return opaque(left, right);
  }

  Form extreme(Op op, const Form& left, const Form& right) const {
    const Form difference = multiply_add(right, -1, left);
    if (decide(Op::less_equal, difference, box_) == true) return op == Op::min ? left : right;
    if (decide(Op::greater_equal, difference, box_) == true) return op == Op::min ? right : left;
    return opaque(left, right);
  }

  Form choose(const Expression& e) const {
    const Expression& condition = e.operands[0];
    const Form then_arm = form(e.operands[1]), else_arm = form(e.operands[2]);
    if (!ir::is_comparison(condition.op)) return opaque(form(condition), opaque(then_arm, else_arm));
    const Form left = form(condition.operands[0]), right = form(condition.operands[1]);
    if (const auto holds = decide(condition.op, multiply_add(right, -1, left), box_)) return *holds ? then_arm : else_arm;
    return opaque(opaque(left, right), opaque(then_arm, else_arm));
  }

  std::span<const ir::Axis> axes_;
  const Box& box_;
  const Lookup& lookup_;
};

/// Narrows `box` to where `difference op 0`, a bound, if it depends on one axis only. False: it holds nowhere, and the box stays.
bool narrow(Op op, const Form& difference, Box& box) {
  const bool upper = op == Op::less || op == Op::less_equal || op == Op::equal;
  const bool lower = op == Op::greater || op == Op::greater_equal || op == Op::equal;
  const int64_t strictly = op == Op::less || op == Op::greater ? -1 : 0;
  if (!difference.affine || difference.terms.size() > 1) return true;
  const int64_t above = add(difference.constant, strictly), below = add(multiply(difference.constant, -1), strictly);
  if (difference.terms.empty()) return (!upper || below >= 0) && (!lower || above >= 0);
  const auto [axis, coefficient] = difference.terms.front();
  int64_t low = box.low[axis], high = box.high[axis];
  const auto not_negative = [&](int64_t factor, int64_t constant) {  // factor * axis + constant
    if (factor > 0) {
      low = std::max(low, -floor_divide(constant, factor));
    } else {
      high = std::min(high, floor_divide(constant, -factor));
    }
  };
  if (upper) not_negative(multiply(coefficient, -1), below);
  if (lower) not_negative(coefficient, above);
  if (low > high) return false;
  box.low[axis] = low;
  box.high[axis] = high;
  return true;
}

}  // namespace

bool Box::is_empty() const {
  for (size_t i = 0; i < low.size(); ++i) {
    if (low[i] > high[i]) return true;
  }
  return false;
}

int64_t Box::points() const {
  int64_t product = 1;
  for (size_t i = 0; i < low.size(); ++i) {
    if (__builtin_mul_overflow(product, std::max<int64_t>(0, high[i] - low[i] + 1), &product) || product > most) return most;
  }
  return product;
}

Box whole_box(std::span<const int64_t> extents) {
  Box box{std::vector<int64_t>(extents.size(), 0), {}};
  box.high.reserve(extents.size());
  for (const int64_t extent : extents) box.high.push_back(std::max<int64_t>(extent, 1) - 1);
  return box;
}

bool Form::depends_on(uint32_t axis) const { return std::ranges::find(terms, axis, &Term::axis) != terms.end(); }

int64_t Form::coefficient(uint32_t axis) const {
  const auto term = std::ranges::find(terms, axis, &Term::axis);
  return term == terms.end() ? 0 : term->coefficient;
}

int64_t least(const Form& form, const Box& box) {
  int64_t value = form.constant;
  for (const auto [axis, coefficient] : form.terms)
    value = add(value, multiply(coefficient, coefficient > 0 ? box.low[axis] : box.high[axis]));
  return value;
}

int64_t greatest(const Form& form, const Box& box) {
  int64_t value = form.constant;
  for (const auto [axis, coefficient] : form.terms)
    value = add(value, multiply(coefficient, coefficient > 0 ? box.high[axis] : box.low[axis]));
  return value;
}

Form multiply_add(Form left, int64_t factor, Form right) {
  if (!left.affine || !right.affine) {
    return factor == 0 ? right : opaque(left, right);
  }
  // One of them is a number more often than not, and the list of the other one is that of the sum.
  if (left.terms.empty()) {
    right.constant = add(multiply(left.constant, factor), right.constant);
    return right;
  }
  if (right.terms.empty()) {
    left.constant = add(multiply(left.constant, factor), right.constant);
    for (Form::Term& term : left.terms) term.coefficient = multiply(term.coefficient, factor);
    std::erase_if(left.terms, [](const Form::Term& term) { return term.coefficient == 0; });
    return left;
  }
  Form sum{add(multiply(left.constant, factor), right.constant), {}, true};
  size_t i = 0, j = 0;
  while (i < left.terms.size() || j < right.terms.size()) {
    const bool take_left = i < left.terms.size() && (j == right.terms.size() || left.terms[i].axis <= right.terms[j].axis);
    Form::Term term{take_left ? left.terms[i].axis : right.terms[j].axis, 0};
    if (i < left.terms.size() && left.terms[i].axis == term.axis)
      term.coefficient = multiply(left.terms[i++].coefficient, factor);
    if (j < right.terms.size() && right.terms[j].axis == term.axis)
      term.coefficient = add(term.coefficient, right.terms[j++].coefficient);
    if (term.coefficient != 0) sum.terms.push_back(term);
  }
  return sum;
}

Form form_of(const Expression& expression, std::span<const ir::Axis> axes, const Box& box, const Lookup& lookup) {
  return Former(axes, box, lookup).form(expression);
}

std::optional<int64_t> value_at(const Expression& expression, std::span<const ir::Axis> axes, std::span<const int64_t> point,
                                const Lookup& lookup) {
  // A box of one point decides everything but reads and divisions by zero.
  const Box box{{point.begin(), point.end()}, {point.begin(), point.end()}};
  const Form form = form_of(expression, axes, box, lookup);
  return form.affine ? std::optional(form.constant) : std::nullopt;
}

bool for_each_point(const Box& box, std::span<const uint32_t> which, int64_t limit,
                    const std::function<void(std::span<const int64_t>)>& visit) {
  int64_t points = 1;
  for (const uint32_t axis : which) {
    if (__builtin_mul_overflow(points, box.high[axis] - box.low[axis] + 1, &points) || points > limit) return false;
  }
  std::vector<int64_t> point = box.low;
  for (int64_t i = 0; i < points; ++i) {
    visit(point);
    for (const uint32_t axis : which) {
      if (++point[axis] <= box.high[axis]) break;
      point[axis] = box.low[axis];
    }
  }
  return true;
}

namespace {

/// The one axis that the expressions name; nullopt: none, several, or a buffer.
std::optional<uint32_t> only_axis(const Expression& condition, std::span<const ir::Axis> axes) {
  std::optional<uint32_t> found;
  bool single = true;
  const auto look = [&](const auto& self, const Expression& e) -> void {
    if (e.op == Op::read) single = false;
    if (e.op == Op::variable) {
      const auto axis = std::ranges::find(axes, e.name, &ir::Axis::name);
      if (axis != axes.end()) {
        const auto at = static_cast<uint32_t>(axis - axes.begin());
        single &= !found || *found == at;
        found = at;
      }
    }
    for (const Expression& operand : e.operands) self(self, operand);
  };
  look(look, condition);
  return single ? found : std::nullopt;
}

/// How many values of an axis are tried where its conditions are no bounds as they stand.
constexpr int64_t most_tried = 4096;

/// Narrows `box` to the first and the last value of the axis at which the comparison holds. False: it holds at none.
bool narrow_by_trying(const Expression& condition, std::span<const ir::Axis> axes, uint32_t axis, const Lookup& lookup,
                      Box& box) {
  if (box.high[axis] - box.low[axis] >= most_tried) return true;
  std::vector<int64_t> point = box.low;
  std::optional<int64_t> first, last;
  for (int64_t value = box.low[axis]; value <= box.high[axis]; ++value) {
    point[axis] = value;
    const std::optional<int64_t> a = value_at(condition.operands[0], axes, point, lookup),
                                 b = value_at(condition.operands[1], axes, point, lookup);
    if (!a || !b) return true;
    const bool holds = condition.op == Op::less            ? *a < *b
                       : condition.op == Op::less_equal    ? *a <= *b
                       : condition.op == Op::greater       ? *a > *b
                       : condition.op == Op::greater_equal ? *a >= *b
                       : condition.op == Op::equal         ? *a == *b
                                                           : *a != *b;
    if (!holds) continue;
    if (!first) first = value;
    last = value;
  }
  if (!first) return false;
  box.low[axis] = *first;
  box.high[axis] = *last;
  return true;
}

}  // namespace

Box where_box(const ir::Statement& statement, const Box& box, const Lookup& lookup) {
  Box result = box;
  const auto nowhere = [&] {
    Box empty = box;
    if (empty.low.empty()) return Box{{1}, {0}};
    empty.high[0] = empty.low[0] - 1;
    return empty;
  };
  for (const Expression& condition : statement.where) {
    if (!ir::is_comparison(condition.op)) continue;
    const Form difference = multiply_add(form_of(condition.operands[1], statement.axes, box, lookup), -1,
                                         form_of(condition.operands[0], statement.axes, box, lookup));
    if (!narrow(condition.op, difference, result)) {
      // With `start`, a point none of whose reduce points holds is still set to the identity.
      const bool names_reduce_axis = std::ranges::any_of(
          difference.terms, [&](const Form::Term& term) { return statement.axes[term.axis].kind == ir::AxisKind::reduce; });
      if (!statement.start || !names_reduce_axis) return nowhere();
      continue;
    }
    const bool is_no_bound = !difference.affine || condition.op == Op::not_equal;
    const std::optional<uint32_t> axis = is_no_bound ? only_axis(condition, statement.axes) : std::nullopt;
    if (axis && !result.is_empty()) {
      const bool restricts_sums = statement.start && statement.axes[*axis].kind == ir::AxisKind::reduce;
      if (!restricts_sums && !narrow_by_trying(condition, statement.axes, *axis, lookup, result)) return nowhere();
    }
    if (condition.op == Op::not_equal && decide(Op::not_equal, difference, box) == false) return nowhere();
  }
  return result;
}

}  // namespace tileproof::machine
