#include "compiler/machine/parse_formula.h"

#include "compiler/ir/parse_expression.h"
#include "compiler/ir/suggestion.h"
#include "compiler/machine/parse_term.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tileproof::machine {
namespace {

using ir::Op;
using std::string_view_literals::operator""sv;

constexpr std::array words{"constant"sv, "dtypes"sv, "space"sv,      "opcode"sv, "limit"sv, "axis"sv,  "same"sv,   "mask"sv,
                           "indirect"sv, "bank"sv,   "partitions"sv, "lanes"sv,  "casts"sv, "any"sv,   "scalar"sv, "points"sv,
                           "bytes"sv,    "bits"sv,   "rank"sv,       "row"sv,    "dims"sv,  "factor"sv};

constexpr std::array updates{ir::Update::assign, ir::Update::add,     ir::Update::multiply, ir::Update::max,
                             ir::Update::min,    ir::Update::bit_and, ir::Update::bit_or,   ir::Update::bit_xor};

class FormulaParser {
 public:
  explicit FormulaParser(ir::TokenStream& stream) : stream_(stream) {}

  Formula formula() {
    const ir::Token begin = stream_.current();
    formula_.location = begin.location;
    formula_.shapes.push_back(shape());
    for (const Run& run : all_runs(formula_.shapes.front())) {
      for (const Letter& letter : run) {
        if (letter.may_miss)
          stream_.fail(begin.location, fmt::format("({}) on the destination", letter.name),
                       "every axis of a destination indexes it");
      }
    }
    do formula_.updates.push_back(update());
    while (stream_.take_if("|"));
    formula_.value = sum();
    formula_.text = text_between(begin, stream_.current());
    return std::move(formula_);
  }

 private:
  static std::vector<Run> all_runs(const Shape& shape) {
    std::vector<Run> runs = shape.free;
    runs.push_back(shape.partition);
    return runs;
  }

  std::string name(std::string_view what) {
    const ir::Token token = stream_.expect_name(what);
    if (is_machine_word(token.text)) {
      stream_.fail(token.location, fmt::format("{} is a word of machine files and cannot be {}", ir::quoted(token.text), what),
                   "choose another name");
    }
    return std::string(token.text);
  }

  ir::Update update() {
    for (const ir::Update candidate : updates) {
      const std::string_view spelling = ir::spelling(candidate);
      if (stream_.at(spelling)) {
        stream_.take();
        return candidate;
      }
      // `max=` and the like are a word and a sign.
      if (spelling.size() > 2 && stream_.at(spelling.substr(0, spelling.size() - 1)) && stream_.peek().text == "=") {
        stream_.take();
        stream_.take();
        return candidate;
      }
    }
    stream_.unexpected("an update", "one of = += *= max= min= and= or= xor=, several with `|` between them");
  }

  Shape shape() {
    Shape shape{{}, false, false, {}, {}, stream_.location()};
    shape.role = name("a role");
    stream_.expect("[", "give the role its letters: `D[p | f]`, or `D[*]` for any");
    if (stream_.take_if("*")) {
      shape.anything = true;
    } else {
      shape.free = runs();
      if (stream_.at("|")) {
        if (shape.free.size() != 1)
          stream_.fail(stream_.location(), "a `,` before the bar", "partition dimensions are one run: leave the comma out");
        stream_.take();
        shape.has_bar = true;
        shape.partition = shape.free.front();
        shape.free = runs();
      }
    }
    stream_.expect("]", "close the bracket");
    std::vector<std::string_view> seen;
    for (const Run& run : all_runs(shape)) {
      for (const Letter& letter : run) {
        if (std::ranges::find(seen, letter.name) != seen.end()) {
          stream_.fail(shape.location, fmt::format("the letter {} stands twice in {}", letter.name, shape.role),
                       "use another letter: diagonals are not supported");
        }
        seen.push_back(letter.name);
      }
    }
    return shape;
  }

  std::vector<Run> runs() {
    std::vector<Run> result(1);
    for (;;) {
      if (stream_.take_if(",")) {
        result.emplace_back();
      } else if (stream_.take_if("(")) {
        result.back().push_back({name("a letter"), true});
        stream_.expect(")", "a letter in parentheses is one that may be missing");
      } else if (stream_.at_word()) {
        result.back().push_back({name("a letter"), false});
      } else {
        return result;
      }
    }
  }

  static Pattern operation(Op op, std::vector<Pattern> operands) {
    return {Pattern::Kind::operation, op, {}, {}, std::move(operands)};
  }
  static std::vector<Pattern> pair(Pattern left, Pattern right) {
    std::vector<Pattern> both;
    both.push_back(std::move(left));
    both.push_back(std::move(right));
    return both;
  }

  Pattern sum() {
    Pattern left = product();
    while (stream_.at("+") || stream_.at("-")) {
      const Op op = stream_.take().text == "+" ? Op::add : Op::subtract;
      left = operation(op, pair(std::move(left), product()));
    }
    return left;
  }

  Pattern product() {
    Pattern left = unary();
    while (stream_.at("*") || stream_.at("/")) {
      const Op op = stream_.take().text == "*" ? Op::multiply : Op::divide;
      left = operation(op, pair(std::move(left), unary()));
    }
    return left;
  }

  Pattern unary() {
    const ir::Nesting nesting(stream_, depth_, "formulas");
    // A chain of operators grows a tree without nesting in the text; whoever walks it is recursive.
    if (++operands_ > stream_.depth_limit()) stream_.fail(stream_.location(), "a formula of too many operands", "use `any(...)`");
    if (stream_.take_if("-")) {
      std::vector<Pattern> operand;
      operand.push_back(unary());
      return operation(Op::negate, std::move(operand));
    }
    if (stream_.take_if("(")) {
      Pattern inner = sum();
      stream_.expect(")", "close the parenthesis");
      return inner;
    }
    if (stream_.current().kind == ir::TokenKind::number)
      return {Pattern::Kind::literal, Op::literal, ir::parse_prim(stream_).value, {}, {}};
    if (!stream_.at_word())
      stream_.unexpected("a formula", "roles such as `A[p | f]`, `any(...)`, `scalar`, or operators over them");
    if (stream_.take_if("scalar")) return {Pattern::Kind::scalar, Op::literal, {}, {}, {}};
    if (stream_.take_if("any")) return any();
    if (const auto op = ir::named_operator(stream_.current().text)) return call(*op);
    return role();
  }

  Pattern any() {
    Pattern pattern{Pattern::Kind::any, Op::literal, {}, {}, {}};
    stream_.expect("(", "write `any(A[p | f], ...)`, or `any()` for an expression that reads nothing");
    while (!stream_.at(")")) {
      pattern.shapes.push_back(formula_.shapes.size());
      formula_.shapes.push_back(shape());
      if (!stream_.take_if(",")) break;
    }
    stream_.expect(")", "close the parenthesis");
    return pattern;
  }

  Pattern call(Op op) {
    const ir::Token token = stream_.take();
    stream_.expect("(", fmt::format("write `{}(...)`", token.text));
    std::vector<Pattern> operands;
    do operands.push_back(sum());
    while (stream_.take_if(","));
    stream_.expect(")", "close the parenthesis");
    if (operands.size() != ir::arity(op)) {
      stream_.fail(token.location, fmt::format("{} takes {} operands and has {}", token.text, ir::arity(op), operands.size()),
                   "give it as many as it takes");
    }
    return operation(op, std::move(operands));
  }

  Pattern role() {
    const ir::Token token = stream_.current();
    const size_t index = formula_.shapes.size();
    if (stream_.peek().text == "[") {
      formula_.shapes.push_back(shape());
    } else {
      const auto earlier = std::ranges::find(formula_.shapes, token.text, &Shape::role);
      if (earlier == formula_.shapes.end()) {
        stream_.fail(token.location, fmt::format("the role {} has no letters", ir::quoted(token.text)),
                     "write them in brackets: `A[p | f]`");
      }
      const Shape copy = *earlier;
      formula_.shapes.push_back(copy);
      stream_.take();
    }
    return {Pattern::Kind::role, Op::read, {}, {index}, {}};
  }

  ir::TokenStream& stream_;
  Formula formula_;
  int depth_ = 0;
  int operands_ = 0;
};

}  // namespace

bool is_machine_word(std::string_view word) { return std::ranges::find(words, word) != words.end(); }

Formula parse_formula(ir::TokenStream& stream) { return FormulaParser(stream).formula(); }

}  // namespace tileproof::machine
