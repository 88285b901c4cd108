#include "compiler/ir/print_expression.h"

#include "compiler/ir/precedence.h"
#include "compiler/ir/text.h"

#include <fmt/format.h>

namespace tileproof::ir {
namespace {

std::string decimal(Decimal value) {
  if (const auto whole = to_integer(value)) return fmt::format("{}", *whole);
  const std::string digits = fmt::format("{}", value.digits);
  // The place of the point, counted from the front of the digits.
  const int64_t point = static_cast<int64_t>(digits.size()) + value.exponent;
  constexpr int64_t most_leading_zeros = 4;
  const auto split = [&](int64_t at) {
    const auto front = static_cast<size_t>(at);
    return front == digits.size() ? digits : digits.substr(0, front) + "." + digits.substr(front);
  };
  if (value.exponent < 0 && point > 0) return split(point);
  if (value.exponent < 0 && point > -most_leading_zeros) return "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  return fmt::format("{}e{}", split(1), point - 1);
}

class ExpressionPrinter {
 public:
  explicit ExpressionPrinter(std::string& out) : text_(out) {}
  void expression(const Expression& e, int minimum);

 private:
  void binary(const Expression& e, int level);
  void operands(const std::vector<Expression>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text_ += ", ";
      expression(list[i], level_or);
    }
  }

  std::string& text_;
};

/// `128*m` but `x[m, k] * w[k, n]`: the spaces go where an operand is more than a word.
bool is_short(const Expression& e) { return e.op == Op::literal || e.op == Op::variable; }

void ExpressionPrinter::binary(const Expression& e, int level) {
  // Operators of one level group to the left, comparisons not at all.
  expression(e.operands[0], level == level_comparison ? level + 1 : level);
  const bool tight = (e.op == Op::multiply || e.op == Op::divide) && is_short(e.operands[0]) && is_short(e.operands[1]);
  text_ += tight ? std::string(spelling(e.op)) : fmt::format(" {} ", spelling(e.op));
  expression(e.operands[1], level + 1);
}

void ExpressionPrinter::expression(const Expression& e, int minimum) {
  const int level = level_of(e.op);
  const bool parentheses = level < minimum;
  if (parentheses) text_ += '(';
  switch (e.op) {
    case Op::literal: text_ += decimal(e.value); break;
    case Op::infinity:
    case Op::nan: text_ += spelling(e.op); break;
    case Op::variable: text_ += e.name; break;
    case Op::read:
      text_ += e.name + '[';
      operands(e.operands);
      text_ += ']';
      break;
    case Op::negate:
      text_ += '-';
      expression(e.operands[0], level_unary);
      break;
    case Op::logical_not:
      text_ += "not ";
      expression(e.operands[0], level_not);
      break;
    case Op::cast:
      text_ += fmt::format("cast({}, ", name(e.dtype));
      expression(e.operands[0], level_or);
      text_ += ')';
      break;
    default:
      if (level < level_unary) {
        binary(e, level);
      } else {
        text_ += fmt::format("{}(", spelling(e.op));
        operands(e.operands);
        text_ += ')';
      }
  }
  if (parentheses) text_ += ')';
}

}  // namespace

void append(std::string& text, const Expression& expression) { ExpressionPrinter(text).expression(expression, level_or); }

void append_condition(std::string& text, const Expression& condition) {
  ExpressionPrinter(text).expression(condition, level_not);
}

std::string print(const Expression& expression) {
  std::string text;
  append(text, expression);
  return text;
}

}  // namespace tileproof::ir
