// What the parts of the parser share: the current token, the errors so far, and the bounds on hostile text.
#pragma once

#include "compiler/ir/lexer.h"
#include "compiler/ir/text.h"

namespace tileproof::ir {

/// Leaves the construct being parsed for the nearest place where parsing can go on. Never leaves `parse`.
struct SyntaxError {};
/// Leaves for good: the errors are as many as wanted, or a bound is reached.
struct ParsingEnds {};

class TokenStream {
 public:
  TokenStream(std::string_view text, std::string_view file_name, const TextLimits& limits)
      : lexer_(text), current_(lexer_.next()), file_name_(file_name), limits_(limits) {}

  const Token& current() const { return current_; }
  Location location() const { return current_.location; }
  bool at_end() const { return current_.kind == TokenKind::end; }
  bool at_word() const { return current_.kind == TokenKind::word; }
  /// Whether the current token is the sign or the word `text`.
  bool at(std::string_view text) const;
  /// The token after the current one.
  Token peek() const;
  /// The lexer behind the current token, to look further ahead.
  Lexer ahead() const { return lexer_; }

  Token take();
  /// The current token, after which a machine's name is expected.
  Token take_before_machine_name();
  bool take_if(std::string_view text);
  /// Takes the sign or word `text`, or fails.
  Token expect(std::string_view text, std::string mend);
  /// Takes a word that may be a name (reserved.h), or fails.
  Token expect_name(std::string_view what);
  /// Takes a dtype; a word that is none is reported with the nearest one.
  Dtype expect_dtype();
  /// Takes digits with an optional minus sign.
  int64_t expect_integer(std::string_view what);

  /// Notes an error; ends the parsing if that makes enough of them.
  void report(Location location, std::string message, std::string mend);
  [[noreturn]] void fail(Location location, std::string message, std::string mend);
  /// Fails with "expected WHAT, found ..." at the current token.
  [[noreturn]] void unexpected(std::string_view what, std::string mend);
  /// An error after which nothing sensible can follow.
  [[noreturn]] void give_up(Location location, std::string message, std::string mend);

  /// Memory is bounded by counting what the tree is made of: `weight` in expressions, an item being worth several.
  void count_nodes(size_t weight);
  int depth_limit() const { return limits_.depth; }
  Diagnostics take_errors() { return std::move(errors_); }
  bool has_errors() const { return !errors_.empty(); }

 private:
  Lexer lexer_;
  Token current_;
  std::string_view file_name_;
  TextLimits limits_;
  size_t nodes_ = 0;
  Diagnostics errors_;
};

/// One level of nesting while it lives; gives up where the text nests deeper than the limit.
class Nesting {
 public:
  Nesting(TokenStream& stream, int& depth, std::string_view what);
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

}  // namespace tileproof::ir
