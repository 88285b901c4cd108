#include "compiler/ir/parse_expression.h"

#include "compiler/ir/precedence.h"
#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace tileproof::ir {
namespace {

/// The operators that stand between their operands.
constexpr std::array infixes{Op::logical_or,    Op::logical_and, Op::less,      Op::less_equal, Op::greater,
                             Op::greater_equal, Op::equal,       Op::not_equal, Op::add,        Op::subtract,
                             Op::multiply,      Op::divide,      Op::floordiv,  Op::mod};

std::optional<Op> infix(const Token& token) {
  if (token.kind != TokenKind::sign && token.kind != TokenKind::word) return std::nullopt;
  const auto found = std::ranges::find(infixes, token.text, [](Op op) { return spelling(op); });
  return found == infixes.end() ? std::nullopt : std::optional(*found);
}

/// An expression with the height of its tree. Chains like `a + a + a` grow a tree without nesting in the text, and everything
/// that walks a tree is recursive: so the height has the same bound as the nesting.
struct Tree {
  Expression expression;
  int height = 1;
};

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& stream) : stream_(stream) {}

  Tree climb(int minimum);
  std::vector<Expression> operands(std::string_view close, int& height);
  Expression literal();

 private:
  Tree prefix(int minimum);
  Tree primary();
  Tree word();
  Tree call(Op op);
  Tree node(Op op, Location location, std::vector<Expression> operands, int height);

  TokenStream& stream_;
  int depth_ = 0;
};

Tree ExpressionParser::node(Op op, Location location, std::vector<Expression> operands, int height) {
  if (height > stream_.depth_limit()) {
    stream_.give_up(location, fmt::format("the expression is more than {} operators high", stream_.depth_limit()),
                    "split the statement, or sum over a reduce axis");
  }
  stream_.count_nodes(1);
  Tree tree{make(op, std::move(operands)), height};
  tree.expression.location = location;
  return tree;
}

Tree ExpressionParser::climb(int minimum) {
  Tree left = prefix(minimum);
  bool compared = false;
  for (;;) {
    const auto op = infix(stream_.current());
    if (!op || level_of(*op) < minimum) return left;
    if (is_comparison(*op)) {
      if (compared) {
        stream_.fail(stream_.location(), fmt::format("a second comparison, `{}`, in a row", spelling(*op)),
                     "write `a < b and b < c`");
      }
      compared = true;
    }
    stream_.take();
    Tree right = climb(level_of(*op) + 1);
    const Location begin = left.expression.location;
    const int height = std::max(left.height, right.height) + 1;
    std::vector<Expression> both;
    both.reserve(2);
    both.push_back(std::move(left.expression));
    both.push_back(std::move(right.expression));
    left = node(*op, begin, std::move(both), height);
  }
}

Tree ExpressionParser::prefix(int minimum) {
  const bool is_not = stream_.at("not");
  if (!is_not && !stream_.at("-")) return primary();
  const Nesting nesting(stream_, depth_, "expressions");
  const Location begin = stream_.location();
  if (is_not && minimum > level_not) stream_.fail(begin, "`not` inside an operand", "put parentheses round `not ...`");
  stream_.take();
  Tree operand = is_not ? climb(level_not) : prefix(level_unary);
  const int height = operand.height + 1;
  std::vector<Expression> operands;
  operands.push_back(std::move(operand.expression));
  return node(is_not ? Op::logical_not : Op::negate, begin, std::move(operands), height);
}

Tree ExpressionParser::primary() {
  switch (stream_.current().kind) {
    case TokenKind::number: return {literal()};
    case TokenKind::word: return word();
    default: break;
  }
  if (!stream_.at("(")) {
    stream_.unexpected("an expression", "a number, a name, `buffer[index]`, `max(a, b)`, or `(...)`");
  }
  const Nesting nesting(stream_, depth_, "expressions");
  stream_.take();
  Tree inner = climb(level_or);
  stream_.expect(")", "close the parenthesis");
  return inner;
}

Expression ExpressionParser::literal() {
  const Token token = stream_.current();
  std::string_view mantissa = token.text;
  int64_t exponent = 0;
  const std::string mend = fmt::format("at most 18 digits and a power of ten from -{0} to {0} are safe", greatest_exponent);
  if (const size_t e = mantissa.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view power = mantissa.substr(e + 1);
    if (power.front() == '+') power.remove_prefix(1);
    if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec != std::errc{}) {
      stream_.fail(token.location, fmt::format("the exponent of {} is too large", quoted(token.text)), mend);
    }
    mantissa = mantissa.substr(0, e);
  }
  std::string digits(mantissa);
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  // Zeros at either end say nothing about the value and must not count as digits of it.
  const size_t last = digits.find_last_not_of('0');
  exponent += static_cast<int64_t>(last == std::string::npos ? 0 : digits.size() - last - 1);
  digits.erase(last == std::string::npos ? 1 : last + 1);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  int64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) {
    stream_.fail(token.location, fmt::format("the number {} has too many digits", quoted(token.text)), mend);
  }
  if (value != 0 && (exponent < -greatest_exponent || exponent > greatest_exponent)) {
    stream_.fail(token.location, fmt::format("the number {} is too large or too small", quoted(token.text)), mend);
  }
  stream_.take();
  stream_.count_nodes(1);
  Expression expression;
  if (value != 0) expression.value = {value, static_cast<int32_t>(exponent)};
  expression.location = token.location;
  return expression;
}

Tree ExpressionParser::word() {
  const Token token = stream_.current();
  if (token.text == "inf" || token.text == "nan") {
    stream_.take();
    return node(token.text == "inf" ? Op::infinity : Op::nan, token.location, {}, 1);
  }
  if (token.text == "cast") return call(Op::cast);
  if (const auto op = named_operator(token.text)) return call(*op);
  if (stream_.peek().text == "(" && !is_reserved(token.text)) {
    std::vector<std::string_view> names{"cast"};
    for (int op = 0; op <= static_cast<int>(Op::select); ++op) {
      const std::string_view name = spelling(static_cast<Op>(op));
      if (named_operator(name)) names.push_back(name);
    }
    stream_.fail(token.location, fmt::format("unknown function {}", quoted(token.text)),
                 suggestion(token.text, names, fmt::format("the functions are {}", fmt::join(names, " "))));
  }
  stream_.expect_name("a name in an expression");
  if (!stream_.at("[")) {
    Tree tree = node(Op::variable, token.location, {}, 1);
    tree.expression.name = token.text;
    return tree;
  }
  const Nesting nesting(stream_, depth_, "expressions");
  stream_.take();
  int height = 1;
  std::vector<Expression> indices = operands("]", height);
  Tree tree = node(Op::read, token.location, std::move(indices), height);
  tree.expression.name = token.text;
  return tree;
}

Tree ExpressionParser::call(Op op) {
  const Nesting nesting(stream_, depth_, "expressions");
  const Token word = stream_.take();
  stream_.expect("(", fmt::format("`{}` is a function and takes its operands in parentheses", word.text));
  Dtype dtype = Dtype::f32;
  if (op == Op::cast) {
    dtype = stream_.expect_dtype();
    stream_.expect(",", "write `cast(DTYPE, expression)`");
  }
  int height = 1;
  std::vector<Expression> given = operands(")", height);
  if (given.size() != arity(op)) {
    stream_.fail(word.location, fmt::format("`{}` takes {} operand(s), here are {}", word.text, arity(op), given.size()),
                 op == Op::min || op == Op::max ? fmt::format("nest them: `{0}(a, {0}(b, c))`", word.text)
                                                : "docs/language.md lists the operands of each function");
  }
  Tree tree = node(op, word.location, std::move(given), height);
  tree.expression.dtype = dtype;
  return tree;
}

std::vector<Expression> ExpressionParser::operands(std::string_view close, int& height) {
  std::vector<Expression> list;
  do {
    Tree operand = climb(level_or);
    height = std::max(height, operand.height + 1);
    list.push_back(std::move(operand.expression));
  } while (stream_.take_if(","));
  stream_.expect(close, fmt::format("write `,` and another operand, or `{}`", close));
  return list;
}

}  // namespace

Expression parse_expression(TokenStream& stream) { return ExpressionParser(stream).climb(level_or).expression; }

std::vector<Expression> parse_conditions(TokenStream& stream) {
  std::vector<Expression> conditions;
  do {
    conditions.push_back(ExpressionParser(stream).climb(level_not).expression);
  } while (stream.take_if("and"));
  if (stream.at("or")) {
    stream.fail(stream.location(), "conditions are joined by `and` only",
                "use two statements, or an expression that holds in both cases, `min(a, b) < c` for example");
  }
  return conditions;
}

std::vector<Expression> parse_indices(TokenStream& stream) {
  if (stream.at("]")) {
    stream.fail(stream.location(), "an empty list of indices", "a buffer of one element has an index too: `x[0]`");
  }
  int height = 1;
  return ExpressionParser(stream).operands("]", height);
}

Expression parse_prim(TokenStream& stream) {
  if (stream.current().kind == TokenKind::number) return ExpressionParser(stream).literal();
  if (stream.take_if("(")) {
    Expression inner = parse_expression(stream);
    stream.expect(")", "close the parenthesis");
    return inner;
  }
  const Token name = stream.expect_name("a number, a name or `(expression)`");
  stream.count_nodes(1);
  Expression expression = variable(std::string(name.text));
  expression.location = name.location;
  return expression;
}

bool at_optional_condition(const TokenStream& stream) {
  const Token& token = stream.current();
  if (token.kind == TokenKind::number || stream.at("(") || stream.at("-") || stream.at("not")) return true;
  if (token.kind != TokenKind::word) return false;
  const Token after = stream.peek();
  if (token.text == "cast" || named_operator(token.text)) return after.text == "(";
  if (is_reserved(token.text)) return false;
  // `start load t[i] = ...` and `start load {tag} t[i] = ...`: the word is the opcode of the next statement.
  return after.text != "{" && (after.kind != TokenKind::word || infix(after));
}

}  // namespace tileproof::ir
