// `.tile` text as words, numbers and signs.
#pragma once

#include "compiler/ir/diagnostic.h"

#include <optional>
#include <string_view>

namespace tileproof::ir {

enum class TokenKind : uint8_t { word, number, sign, end, invalid };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;          ///< a part of the lexer's text
  Location location;
  bool first_on_line = false;     ///< where the parser may take up again after an error
  std::string_view problem;       ///< invalid: what is wrong with `text`
  std::string_view mend = {};     ///< invalid: what is written instead; empty: nobody knows
};

/// Makes tokens on demand, so that a large hostile text is never held as a list of them. A copy is a look ahead.
class Lexer {
 public:
  /// `text` must outlive the lexer and its tokens.
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token; `end` for ever after the last one.
  Token next();
  /// The next token, where a word may contain `-` and `.`, as the names of machines do.
  Token next_machine_name();

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blanks();
  Token take(TokenKind kind, size_t size, std::string_view problem = {});
  Token word(bool dashes);
  Token number();
  Token sign();

  std::string_view text_;
  size_t at_ = 0;
  size_t line_begin_ = 0;
  uint32_t line_ = 1;
  bool first_on_line_ = true;
};

/// Where a text stops being UTF-8 without NUL bytes, if it does.
struct BadByte {
  Location location;
  bool is_nul = false;
};
std::optional<BadByte> find_bad_byte(std::string_view text);

}  // namespace tileproof::ir
