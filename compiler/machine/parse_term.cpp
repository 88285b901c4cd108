#include "compiler/machine/parse_term.h"

#include "compiler/ir/suggestion.h"
#include "compiler/machine/limit.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::machine {
namespace {

using Term = Limit::Term;
using ir::Op;

class TermParser {
 public:
  TermParser(ir::TokenStream& stream, const TermNames& names) : stream_(stream), names_(names) {}

  Term sum() {
    Term left = product();
    while (stream_.at("+") || stream_.at("-")) {
      const Op op = stream_.take().text == "+" ? Op::add : Op::subtract;
      left = operation(op, std::move(left), product());
    }
    return left;
  }

 private:
  static Term operation(Op op, Term left, Term right) {
    Term term{Term::Kind::operation, op, 0, {}, {}};
    term.operands.push_back(std::move(left));
    term.operands.push_back(std::move(right));
    return term;
  }
  static Term integer(int64_t value) { return {Term::Kind::integer, Op::add, value, {}, {}}; }

  Term product() {
    Term left = unary();
    for (;;) {
      const bool times = stream_.at("*"), floordiv = stream_.at("floordiv");
      if (!times && !floordiv && !stream_.at("mod")) return left;
      stream_.take();
      left = operation(times ? Op::multiply : floordiv ? Op::floordiv : Op::mod, std::move(left), unary());
    }
  }

  Term unary() {
    const ir::Nesting nesting(stream_, depth_, "terms");
    // A chain of operators grows a tree without nesting in the text; whoever walks it is recursive.
    if (++operands_ > stream_.depth_limit())
      stream_.fail(stream_.location(), "a term of too many operands", "split it into constants");
    if (stream_.take_if("-")) return operation(Op::subtract, integer(0), unary());
    if (stream_.take_if("(")) {
      Term inner = sum();
      stream_.expect(")", "close the parenthesis");
      return inner;
    }
    if (stream_.current().kind == ir::TokenKind::number) return integer(stream_.expect_integer("an integer"));
    if (!stream_.at_word()) stream_.unexpected("a figure", "an integer, a constant, or a term such as `f * bytes(D)`");
    return word();
  }

  Term word() {
    const ir::Token token = stream_.take();
    const auto of_role = [&](Term::Kind kind) {
      stream_.expect("(", fmt::format("write `{}(ROLE)`", token.text));
      Term term{kind, Op::add, 0, known(names_.roles, "role"), {}};
      stream_.expect(")", "close the parenthesis");
      return term;
    };
    if (token.text == "bytes") return of_role(Term::Kind::bytes);
    if (token.text == "bits") return of_role(Term::Kind::bits);
    if (token.text == "rank") return of_role(Term::Kind::rank);
    if (token.text == "row") return of_role(Term::Kind::row);
    if (token.text == "dims") return of_role(Term::Kind::dims);
    if (token.text == "points" && !names_.roles.empty()) return {Term::Kind::points, Op::add, 0, {}, {}};
    if (token.text == "factor" || token.text == "min" || token.text == "max") return call(token);
    if (std::ranges::find(names_.letters, token.text) != names_.letters.end())
      return {Term::Kind::letter, Op::add, 0, std::string(token.text), {}};
    const auto constant = std::ranges::find(*names_.constants, token.text, &Constant::name);
    if (constant != names_.constants->end()) return integer(constant->value);
    std::vector<std::string_view> candidates = names_.letters;
    for (const Constant& c : *names_.constants) candidates.push_back(c.name);
    stream_.fail(token.location,
                 fmt::format("{} is neither a constant nor a letter of a formula before it", ir::quoted(token.text)),
                 ir::suggestion(token.text, candidates, "declare `constant NAME = VALUE` at the top of the machine"));
  }

  Term call(const ir::Token& token) {
    stream_.expect("(", fmt::format("write `{}(...)`", token.text));
    Term first = sum();
    if (token.text == "factor") {
      stream_.expect(")", "factor takes one term");
      Term term{Term::Kind::factor, Op::add, 0, {}, {}};
      term.operands.push_back(std::move(first));
      return term;
    }
    stream_.expect(",", fmt::format("{} takes two terms", token.text));
    Term second = sum();
    stream_.expect(")", fmt::format("{} takes two terms", token.text));
    return operation(token.text == "min" ? Op::min : Op::max, std::move(first), std::move(second));
  }

  std::string known(const std::vector<std::string_view>& candidates, std::string_view what) {
    const ir::Token token = stream_.expect_name(fmt::format("a {}", what));
    if (std::ranges::find(candidates, token.text) == candidates.end()) {
      stream_.fail(token.location, fmt::format("no formula before it has the {} {}", what, ir::quoted(token.text)),
                   ir::suggestion(token.text, candidates, "name one of the formula"));
    }
    return std::string(token.text);
  }

  ir::TokenStream& stream_;
  const TermNames& names_;
  int depth_ = 0;
  int operands_ = 0;
};

}  // namespace

Term parse_term(ir::TokenStream& stream, const TermNames& names) { return TermParser(stream, names).sum(); }

int64_t parse_figure(ir::TokenStream& stream, const std::vector<Constant>& constants) {
  const ir::Location begin = stream.location();
  const Term term = parse_term(stream, {&constants, {}, {}});
  const auto value = term_value(term, {}, {});
  if (!value) stream.fail(begin, "a division by a number below 1", "divide by a positive integer");
  return *value;
}

std::string text_between(const ir::Token& begin, const ir::Token& end) {
  const char* const first = begin.text.data();
  const std::string_view whole(first, static_cast<size_t>(end.text.data() - first));
  std::string text;
  bool blank = false;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '#') {
      const size_t line_end = whole.find('\n', i);
      if (line_end == std::string_view::npos) break;
      i = line_end;
    }
    if (whole[i] == ' ' || whole[i] == '\n' || whole[i] == '\t' || whole[i] == '\r') {
      blank = true;
      continue;
    }
    if (blank && !text.empty()) text += ' ';
    blank = false;
    text += whole[i];
  }
  return text;
}

}  // namespace tileproof::machine
