#include "compiler/ir/token_stream.h"

#include "compiler/ir/reserved.h"
#include "compiler/ir/suggestion.h"

#include <fmt/format.h>

#include <charconv>

namespace tileproof::ir {
namespace {

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

}  // namespace

bool TokenStream::at(std::string_view text) const {
  return (current_.kind == TokenKind::sign || current_.kind == TokenKind::word) && current_.text == text;
}

Token TokenStream::peek() const {
  Lexer copy = lexer_;
  return copy.next();
}

Token TokenStream::take() {
  const Token token = current_;
  current_ = lexer_.next();
  return token;
}

Token TokenStream::take_before_machine_name() {
  const Token token = current_;
  current_ = lexer_.next_machine_name();
  return token;
}

bool TokenStream::take_if(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

Token TokenStream::expect(std::string_view text, std::string mend) {
  if (!at(text)) unexpected(fmt::format("`{}`", text), std::move(mend));
  return take();
}

Token TokenStream::expect_name(std::string_view what) {
  if (at_word() && is_reserved(current_.text)) {
    fail(current_.location, fmt::format("`{}` is a word of the language and cannot be {}", current_.text, what),
         fmt::format("choose another name, `{}_` for example", current_.text));
  }
  if (!at_word()) unexpected(what, "write a name: letters, digits and `_`, no digit first");
  return take();
}

Dtype TokenStream::expect_dtype() {
  if (!at_word()) unexpected("a dtype", "f32, bf16, i8, ... (docs/language.md lists them)");
  const Token word = take();
  if (const auto dtype = parse_dtype(word.text)) return *dtype;
  std::vector<std::string_view> names;
  for (const Dtype dtype : all_dtypes()) names.push_back(name(dtype));
  report(word.location, fmt::format("unknown dtype {}", quoted(word.text)),
         suggestion(word.text, names, fmt::format("the dtypes are {}", fmt::join(names, " "))));
  return Dtype::f32;
}

int64_t TokenStream::expect_integer(std::string_view what) {
  const Location begin = current_.location;
  const bool negative = take_if("-");
  if (current_.kind != TokenKind::number || !is_digits(current_.text)) unexpected(what, "write an integer");
  const std::string text = (negative ? "-" : "") + std::string(take().text);
  int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
    fail(begin, fmt::format("{} does not fit in 64 bits", quoted(text)), "write a smaller integer");
  }
  return value;
}

void TokenStream::report(Location location, std::string message, std::string mend) {
  errors_.push_back({std::string(file_name_), location, std::move(message), std::move(mend)});
  if (errors_.size() >= limits_.errors) throw ParsingEnds{};
}

void TokenStream::fail(Location location, std::string message, std::string mend) {
  report(location, std::move(message), std::move(mend));
  throw SyntaxError{};
}

void TokenStream::unexpected(std::string_view what, std::string mend) {
  switch (current_.kind) {
    case TokenKind::invalid:
      fail(current_.location, fmt::format("{}: {}", quoted(current_.text), current_.problem),
           current_.mend.empty() ? fmt::format("{} is expected here", what) : std::string(current_.mend));
    case TokenKind::end: give_up(current_.location, fmt::format("the text ends where {} is expected", what), std::move(mend));
    default: fail(current_.location, fmt::format("expected {}, found {}", what, quoted(current_.text)), std::move(mend));
  }
}

void TokenStream::give_up(Location location, std::string message, std::string mend) {
  report(location, std::move(message), std::move(mend));
  throw ParsingEnds{};
}

void TokenStream::count_nodes(size_t weight) {
  nodes_ += weight;
  if (nodes_ > limits_.nodes) {
    give_up(current_.location, fmt::format("the text has more than {} nodes", limits_.nodes), "split it into several files");
  }
}

Nesting::Nesting(TokenStream& stream, int& depth, std::string_view what) : depth_(depth) {
  if (depth_ >= stream.depth_limit()) {
    stream.give_up(stream.location(), fmt::format("{} nest deeper than {}", what, stream.depth_limit()),
                   "split the construct in two");
  }
  ++depth_;
}

}  // namespace tileproof::ir
