// What makes a program well formed, before any value of a parameter or any machine is known. docs/language.md lists the rules.
#pragma once

#include "compiler/ir/program.h"

namespace tileproof::ir {

/// Names (declared once among those visible, declared before use, no shadowing), ranks, dtypes, roles (an `in` buffer is never
/// written), axis kinds (`=` has no reduce axis), quasi-affine indices, constant extents (no zero, negative or overflowing
/// one; the product of bytes stays below 2^62), start and stop, moves, groups. Empty result: well formed.
Diagnostics verify(const Program& program, std::string_view file_name);
Diagnostics verify(const File& file);

/// The static type of a value expression: nullopt is a literal, which takes the type of its surroundings.
struct ValueType {
  bool is_float = false;
  bool is_f64 = false;
};
/// `dtype_of(name)` gives the dtype of a visible buffer or view, nullopt for parameters, loop variables and axes (integers).
/// Float if any part is a float, a fractional literal, an infinity, a division or a named function; casts have their own dtype.
template <class DtypeOf>
ValueType value_type(const Expression& expression, const DtypeOf& dtype_of);

/// The dtype a statement accumulates in: its own, else f64 if an operand or the destination is f64, else f32 if one is a
/// float, else i64 if one is i64, else i32.
template <class DtypeOf>
Dtype accumulate_dtype(const Statement& statement, const DtypeOf& dtype_of);

/// What values are combined in before the sum is rounded to the accumulate dtype: f64, f32, or i64 for integers.
inline Dtype combine_dtype(Dtype accumulate) {
  return !is_float(accumulate) ? Dtype::i64 : accumulate == Dtype::f64 ? Dtype::f64 : Dtype::f32;
}

/// Whether an accumulate dtype leaves no trace: integers that wrap into `to`, of no more bits, wrap the same without it.
inline bool passes_through(Dtype accumulate, Dtype to) {
  return is_integer(accumulate) && is_integer(to) && to != Dtype::boolean && bits(to) <= bits(accumulate);
}

template <class DtypeOf>
ValueType value_type(const Expression& e, const DtypeOf& dtype_of) {
  switch (e.op) {
    case Op::literal: return {to_integer(e.value) == std::nullopt, false};
    case Op::variable: return {};
    case Op::read: {
      const std::optional<Dtype> dtype = dtype_of(e.name);
      return {dtype && is_float(*dtype), dtype == Dtype::f64};
    }
    case Op::cast: return {is_float(e.dtype), e.dtype == Dtype::f64};
    default: break;
  }
  ValueType type{e.op == Op::infinity || e.op == Op::nan || e.op == Op::divide || is_function(e.op), false};
  const size_t first = e.op == Op::select ? 1 : 0;
  for (size_t i = first; i < e.operands.size(); ++i) {
    const ValueType part = value_type(e.operands[i], dtype_of);
    type.is_float |= part.is_float;
    type.is_f64 |= part.is_f64;
  }
  if (is_comparison(e.op) || e.op == Op::logical_and || e.op == Op::logical_or || e.op == Op::logical_not) return {};
  return type;
}

template <class DtypeOf>
Dtype accumulate_dtype(const Statement& statement, const DtypeOf& dtype_of) {
  if (statement.accumulate) return *statement.accumulate;
  const ValueType type = value_type(statement.value, dtype_of);
  const std::optional<Dtype> destination = dtype_of(statement.destination);
  if (type.is_f64 || destination == Dtype::f64) return Dtype::f64;
  if (type.is_float || (destination && is_float(*destination))) return Dtype::f32;
  bool wide = destination == Dtype::i64;
  const auto look = [&](const auto& self, const Expression& e) -> void {
    if (e.op == Op::read && dtype_of(e.name) == Dtype::i64) wide = true;
    if (e.op == Op::cast && e.dtype == Dtype::i64) wide = true;
    for (const Expression& operand : e.operands) self(self, operand);
  };
  look(look, statement.value);
  return wide ? Dtype::i64 : Dtype::i32;
}

}  // namespace tileproof::ir
