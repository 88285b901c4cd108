#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::ir {
namespace {

Location place_of(const Expression& e, Location fallback) { return e.location == Location{} ? fallback : e.location; }

std::string shown(const Expression& e) { return quoted(print(e)); }

bool is_integer_operator(Op op) { return op == Op::floordiv || op == Op::mod || (op >= Op::bit_and && op <= Op::shift_right); }

constexpr IndexPlace subscript{"an index", true, true, true};

}  // namespace

// ---- form ----

bool Verifier::structure(const Expression& e, Location fallback, int height) {
  const Location location = place_of(e, fallback);
  if (height > TextLimits{}.depth) {
    report(location, fmt::format("an expression is more than {} operators high", TextLimits{}.depth), "split the statement");
    return false;
  }
  const bool is_leaf = e.op == Op::literal || e.op == Op::infinity || e.op == Op::nan || e.op == Op::variable;
  const bool counted = e.op == Op::read ? !e.operands.empty() : e.operands.size() == (is_leaf ? 0 : arity(e.op));
  if (!counted) {
    report(location, fmt::format("`{}` with {} operands", spelling(e.op), e.operands.size()),
           "docs/language.md lists the operands");
    return false;
  }
  if ((e.op == Op::variable || e.op == Op::read) && !is_name(e.name)) {
    report(location, fmt::format("{} is not a name", quoted(e.name)),
           "names are letters, digits and `_`, and not words of the language");
    return false;
  }
  if (e.op == Op::literal && (e.value.digits < 0 || make_decimal(e.value.digits, e.value.exponent) != e.value ||
                              std::abs(int64_t{e.value.exponent}) > greatest_exponent)) {
    report(location, fmt::format("the literal {}e{} is not in normal form", e.value.digits, e.value.exponent),
           "build it with integer() or make_decimal(), and negate it");
    return false;
  }
  return std::ranges::all_of(e.operands, [&](const Expression& operand) { return structure(operand, location, height + 1); });
}

// ---- indices ----

void Verifier::index(const Expression& e, const IndexPlace& place, Location fallback) {
  if (structure(e, fallback)) index_part(e, place, fallback);
}

bool Verifier::index_variable(const Expression& e, const IndexPlace& place, Location location) {
  const Symbol* symbol = find(e.name, location, false);
  if (symbol == nullptr) return true;
  const bool is_allowed = symbol->kind == Symbol::Kind::parameter || (symbol->kind == Symbol::Kind::loop && place.loops) ||
                          (symbol->kind == Symbol::Kind::axis && place.axes);
  if (!is_allowed) {
    report(location, fmt::format("{} cannot depend on `{}`, {}", place.what, e.name, description(symbol->kind)),
           place.loops ? "use parameters and enclosing loop variables" : "use numbers and parameters");
  }
  return symbol->kind == Symbol::Kind::parameter;
}

void Verifier::index_read(const Expression& e, const IndexPlace& place, Location location) {
  const Symbol* symbol = find(e.name, location, true);
  if (symbol == nullptr) return;
  if (!place.reads) {
    report(location, fmt::format("{} cannot depend on the contents of `{}`", place.what, e.name),
           place.loops ? "use parameters and enclosing loop variables" : "use numbers and parameters");
    return;
  }
  if (symbol->buffer != nullptr && is_float(symbol->buffer->dtype)) {
    report(location, fmt::format("{} reads `{}`, whose elements are {}", place.what, e.name, name(symbol->buffer->dtype)),
           "read an integer buffer: only those may steer an index or a condition");
  }
  indices(e.name, *symbol, e.operands, location);
}

bool Verifier::index_part(const Expression& e, const IndexPlace& place, Location fallback) {
  const Location location = place_of(e, fallback);
  const auto part = [&](size_t i) { return index_part(e.operands[i], place, location); };
  switch (e.op) {
    case Op::literal:
      if (!to_integer(e.value)) report(location, fmt::format("{} is not an integer: {}", place.what, shown(e)), "use an integer");
      return true;
    case Op::variable: return index_variable(e, place, location);
    case Op::read: index_read(e, place, location); return false;
    case Op::negate: return part(0);
    case Op::add:
    case Op::subtract:
    case Op::min:
    case Op::max: {
      const bool left = part(0), right = part(1);
      return left && right;
    }
    case Op::multiply: {
      const bool left = part(0), right = part(1);
      if (!left && !right) {
        report(location, fmt::format("{} multiplies two variables: {}", place.what, shown(e)),
               "one factor must be made of numbers and parameters");
      }
      return left && right;
    }
    case Op::floordiv:
    case Op::mod: {
      const bool left = part(0), right = part(1);
      const auto divisor = interval_of(e.operands[1]);
      if (!right) {
        report(location, fmt::format("{} divides by what is not constant: {}", place.what, shown(e)),
               "the divisor must be made of numbers and parameters");
      } else if (!divisor || divisor->low <= 0) {
        report(location, fmt::format("{} divides by what may be 0 or negative: {}", place.what, shown(e)),
               "divide by a positive number, or by a parameter whose lowest value is positive");
      }
      return left && right;
    }
    case Op::select: {
      const bool condition = truth(e.operands[0], place, location), left = part(1), right = part(2);
      return condition && left && right;
    }
    default:
      report(location, fmt::format("{} cannot use `{}`", place.what, spelling(e.op)),
             "an index has + - * floordiv mod min max, select, and reads of integer buffers");
      return true;
  }
}

/// A condition whose outcome is known without any data: comparisons of index expressions, joined by and, or, not.
bool Verifier::truth(const Expression& e, const IndexPlace& place, Location fallback) {
  const Location location = place_of(e, fallback);
  bool is_constant = true;
  if (is_comparison(e.op)) {
    for (const Expression& operand : e.operands) is_constant &= index_part(operand, place, location);
  } else if (e.op == Op::logical_and || e.op == Op::logical_or || e.op == Op::logical_not) {
    for (const Expression& operand : e.operands) is_constant &= truth(operand, place, location);
  } else {
    report(location, fmt::format("a condition in {} is not a comparison: {}", place.what, shown(e)), "compare it: `... != 0`");
  }
  return is_constant;
}

void Verifier::conditions(const std::vector<Expression>& list, const IndexPlace& place, Location fallback) {
  for (const Expression& condition : list) {
    if (!structure(condition, fallback)) continue;
    const Location location = place_of(condition, fallback);
    if (!is_comparison(condition.op)) {
      const bool is_joined = condition.op == Op::logical_and;
      report(
          location, fmt::format("{} is not a comparison: {}", place.what, shown(condition)),
          is_joined ? "leave out the parentheses: `and` joins comparisons" : "write one comparison, or several joined by `and`");
      continue;
    }
    truth(condition, place, location);
  }
}

void Verifier::indices(const std::string& name, const Symbol& symbol, const std::vector<Expression>& list, Location fallback) {
  if (list.size() != symbol.rank) {
    report(fallback, fmt::format("`{}` has {} dim(s), and {} indices are given", name, symbol.rank, list.size()),
           "give one index for each dim");
  }
  for (const Expression& e : list) index_part(e, subscript, fallback);
}

bool Verifier::names_reduce_axis(const Expression& e) const {
  if (e.op == Op::variable) {
    const Symbol* symbol = scope_.find(e.name);
    return symbol != nullptr && symbol->kind == Symbol::Kind::axis && symbol->axis_kind == AxisKind::reduce;
  }
  return std::ranges::any_of(e.operands, [&](const Expression& operand) { return names_reduce_axis(operand); });
}

// ---- values ----

bool Verifier::value(const Expression& e, Location fallback) {
  return structure(e, fallback) && value_class(e, fallback) == ValueClass::floating;
}

void Verifier::integers_only(const Expression& e, const std::vector<ValueClass>& operands, Location location) {
  if (std::ranges::find(operands, ValueClass::floating) == operands.end()) return;
  std::string mend = "cast the operand: `cast(i32, ...)`";
  if (e.op == Op::floordiv) mend = "write `floor(a / b)`";
  if (e.op == Op::mod) mend = "write `a - floor(a / b) * b`";
  if (!is_integer_operator(e.op)) mend = "compare it: `... != 0`";
  report(location, fmt::format("`{}` needs integers, and an operand is a float: {}", spelling(e.op), shown(e)), std::move(mend));
}

Verifier::ValueClass Verifier::value_class(const Expression& e, Location fallback) {
  const Location location = place_of(e, fallback);
  switch (e.op) {
    case Op::literal: return to_integer(e.value) ? ValueClass::literal : ValueClass::floating;
    case Op::infinity:
    case Op::nan: return ValueClass::floating;
    case Op::variable: find(e.name, location, false); return ValueClass::integer;
    case Op::read: {
      const Symbol* symbol = find(e.name, location, true);
      if (symbol == nullptr) return ValueClass::literal;
      indices(e.name, *symbol, e.operands, location);
      if (symbol->buffer == nullptr) return ValueClass::literal;
      return is_float(symbol->buffer->dtype) ? ValueClass::floating : ValueClass::integer;
    }
    default: break;
  }
  std::vector<ValueClass> operands;
  for (const Expression& operand : e.operands) operands.push_back(value_class(operand, location));
  const bool is_logical = e.op == Op::logical_and || e.op == Op::logical_or || e.op == Op::logical_not;
  if (is_logical || is_integer_operator(e.op)) integers_only(e, operands, location);
  if ((e.op == Op::floordiv || e.op == Op::mod) && e.operands[1] == integer(0)) {
    report(location, fmt::format("a division by 0: {}", shown(e)), "divide by something else");
  }
  if (e.op == Op::cast) return is_float(e.dtype) ? ValueClass::floating : ValueClass::integer;
  if (is_logical || is_comparison(e.op)) return ValueClass::integer;
  if (e.op == Op::divide || is_function(e.op)) return ValueClass::floating;
  if (e.op == Op::select) {
    if (operands[0] == ValueClass::floating) {
      report(location, fmt::format("the condition of a select is a float: {}", shown(e.operands[0])), "compare it: `... != 0`");
    }
    operands.erase(operands.begin());
  }
  return std::ranges::max(operands);
}

}  // namespace tileproof::ir
