// One kind of expression serves indices, conditions and values; the verifier says which operators each may use.
#pragma once

#include "compiler/ir/diagnostic.h"
#include "compiler/ir/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::ir {

/// The closed list of operators. docs/language.md gives the meaning of each.
enum class Op : uint8_t {
  literal,                                     // 3, 0.125, 1e-6: an exact decimal
  infinity,                                    // inf (a negative one is negate(infinity))
  nan,                                         // nan
  variable,                                    // a parameter, loop variable or axis, as an integer
  read,                                        // BUFFER[index, ...]
  negate,
  add,
  subtract,
  multiply,
  divide,     // divide: real division, also of integers
  floordiv,
  mod,                               // integers; the divisor is a positive constant in an index; mod is never negative
  min,
  max,                                    // written min(a, b)
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,        // of bools: a and b, a or b, not a
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right,   // written bitand(a, b), ...; shift_right is arithmetic
  exp,
  log,
  sqrt,
  rsqrt,
  tanh,
  sigmoid,
  silu,
  softplus,
  erf,
  gelu,
  sin,
  cos,
  abs,
  sign,
  floor,
  ceil,
  round,               // round: to nearest, ties to even
  cast,                                        // cast(DTYPE, a): rounds inside an expression
  select,                                      // select(c, a, b)
};

/// digits * 10^exponent, exactly; normalised: digits has no trailing decimal zero, and zero is {0, 0}.
struct Decimal {
  int64_t digits = 0;
  int32_t exponent = 0;
  auto operator<=>(const Decimal&) const = default;
};

/// Literals are at most digits * 10^400 and at least digits * 10^-400: beyond every dtype, and cheap to make exact (our choice).
inline constexpr int32_t greatest_exponent = 400;

/// The normal form of digits * 10^exponent.
Decimal make_decimal(int64_t digits, int32_t exponent);
/// The nearest double.
double to_double(Decimal decimal);
/// The value as an integer, if it is one that fits.
std::optional<int64_t> to_integer(Decimal decimal);

struct Expression {
  Op op = Op::literal;
  Decimal value;                    ///< literal
  std::string name;                 ///< variable: its name; read: the buffer or view
  Dtype dtype = Dtype::f32;         ///< cast: the target
  std::vector<Expression> operands; ///< read: the indices; otherwise the operands in the order written
  Location location;                ///< not part of the value: == ignores it

  bool operator==(const Expression& other) const;
};

/// Shorthands for building expressions.
Expression integer(int64_t value);
Expression variable(std::string name);
Expression read(std::string buffer, std::vector<Expression> indices);
Expression make(Op op, std::vector<Expression> operands);
Expression cast(Dtype dtype, Expression operand);

/// The word or sign that stands for `op` in text ("+", "floordiv", "max", "exp", ...).
std::string_view spelling(Op op);
bool is_comparison(Op op);
/// A named function of floating values (exp ... cos): one that the exact tiers keep opaque or expand by definition.
bool is_function(Op op);
/// How many operands `op` takes; 0 for literals, variables and reads.
size_t arity(Op op);
/// The operator that is written `word(operand, ...)`: min, max, select, the bit operations and the functions, but not cast.
std::optional<Op> named_operator(std::string_view word);

}  // namespace tileproof::ir
