#include "compiler/ir/expression.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <unordered_map>

namespace tileproof::ir {
namespace {

struct Row {
  Op op;
  std::string_view spelling;
  int arity;           // 0: the operator is not a named one with a fixed number of operands
  bool is_named;       // written NAME(operands)
};

constexpr std::array rows{
    Row{Op::literal, "literal", 0, false},
    Row{Op::infinity, "inf", 0, false},
    Row{Op::nan, "nan", 0, false},
    Row{Op::variable, "variable", 0, false},
    Row{Op::read, "read", 0, false},
    Row{Op::negate, "-", 1, false},
    Row{Op::add, "+", 2, false},
    Row{Op::subtract, "-", 2, false},
    Row{Op::multiply, "*", 2, false},
    Row{Op::divide, "/", 2, false},
    Row{Op::floordiv, "floordiv", 2, false},
    Row{Op::mod, "mod", 2, false},
    Row{Op::min, "min", 2, true},
    Row{Op::max, "max", 2, true},
    Row{Op::less, "<", 2, false},
    Row{Op::less_equal, "<=", 2, false},
    Row{Op::greater, ">", 2, false},
    Row{Op::greater_equal, ">=", 2, false},
    Row{Op::equal, "==", 2, false},
    Row{Op::not_equal, "!=", 2, false},
    Row{Op::logical_and, "and", 2, false},
    Row{Op::logical_or, "or", 2, false},
    Row{Op::logical_not, "not", 1, false},
    Row{Op::bit_and, "bitand", 2, true},
    Row{Op::bit_or, "bitor", 2, true},
    Row{Op::bit_xor, "bitxor", 2, true},
    Row{Op::bit_not, "bitnot", 1, true},
    Row{Op::shift_left, "shl", 2, true},
    Row{Op::shift_right, "shr", 2, true},
    Row{Op::exp, "exp", 1, true},
    Row{Op::log, "log", 1, true},
    Row{Op::sqrt, "sqrt", 1, true},
    Row{Op::rsqrt, "rsqrt", 1, true},
    Row{Op::tanh, "tanh", 1, true},
    Row{Op::sigmoid, "sigmoid", 1, true},
    Row{Op::silu, "silu", 1, true},
    Row{Op::softplus, "softplus", 1, true},
    Row{Op::erf, "erf", 1, true},
    Row{Op::gelu, "gelu", 1, true},
    Row{Op::sin, "sin", 1, true},
    Row{Op::cos, "cos", 1, true},
    Row{Op::abs, "abs", 1, true},
    Row{Op::sign, "sign", 1, true},
    Row{Op::floor, "floor", 1, true},
    Row{Op::ceil, "ceil", 1, true},
    Row{Op::round, "round", 1, true},
    Row{Op::cast, "cast", 1, false},
    Row{Op::select, "select", 3, true},
};

// `row` looks up by position.
static_assert([] {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<size_t>(rows[i].op) != i) return false;
  }
  return rows.back().op == Op::select;
}());

const Row& row(Op op) { return rows[static_cast<size_t>(op)]; }

}  // namespace

Decimal make_decimal(int64_t digits, int32_t exponent) {
  if (digits == 0) return {};
  while (digits % 10 == 0) {
    digits /= 10;
    ++exponent;
  }
  return {digits, exponent};
}

double to_double(Decimal decimal) {
  // strtod rounds once; digits and a power of ten multiplied as doubles would round twice.
  return std::strtod(fmt::format("{}e{}", decimal.digits, decimal.exponent).c_str(), nullptr);
}

std::optional<int64_t> to_integer(Decimal decimal) {
  if (decimal.exponent == 0) return decimal.digits;
  Decimal rest = make_decimal(decimal.digits, decimal.exponent);
  if (rest.exponent < 0) return std::nullopt;
  for (; rest.exponent > 0; --rest.exponent) {
    if (__builtin_mul_overflow(rest.digits, int64_t{10}, &rest.digits)) return std::nullopt;
  }
  return rest.digits;
}

bool Expression::operator==(const Expression& other) const {
  if (op != other.op) return false;
  switch (op) {
    case Op::literal: return value == other.value;
    case Op::infinity:
    case Op::nan: return true;
    case Op::variable: return name == other.name;
    case Op::read: return name == other.name && operands == other.operands;
    case Op::cast: return dtype == other.dtype && operands == other.operands;
    default: return operands == other.operands;
  }
}

Expression integer(int64_t value) {
  if (value >= 0) {
    Expression literal;
    literal.value = make_decimal(value, 0);
    return literal;
  }
  // A literal has no sign, and the magnitude of the lowest integer does not fit in one.
  if (value == std::numeric_limits<int64_t>::min()) return make(Op::subtract, {integer(value + 1), integer(1)});
  return make(Op::negate, {integer(-value)});
}

Expression variable(std::string name) {
  Expression expression;
  expression.op = Op::variable;
  expression.name = std::move(name);
  return expression;
}

Expression read(std::string buffer, std::vector<Expression> indices) {
  Expression expression;
  expression.op = Op::read;
  expression.name = std::move(buffer);
  expression.operands = std::move(indices);
  return expression;
}

Expression make(Op op, std::vector<Expression> operands) {
  Expression expression;
  expression.op = op;
  expression.operands = std::move(operands);
  return expression;
}

Expression cast(Dtype dtype, Expression operand) {
  Expression expression;
  expression.op = Op::cast;
  expression.dtype = dtype;
  expression.operands.push_back(std::move(operand));
  return expression;
}

std::string_view spelling(Op op) { return row(op).spelling; }

bool is_comparison(Op op) { return op >= Op::less && op <= Op::not_equal; }

bool is_function(Op op) { return op >= Op::exp && op <= Op::cos; }

size_t arity(Op op) { return static_cast<size_t>(row(op).arity); }

std::optional<Op> named_operator(std::string_view word) {
  static const auto named = [] {
    std::unordered_map<std::string_view, Op> operators;
    for (const Row& each : rows)
      if (each.is_named) operators.emplace(each.spelling, each.op);
    return operators;
  }();
  const auto found = named.find(word);
  return found == named.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tileproof::ir
