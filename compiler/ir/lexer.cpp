#include "compiler/ir/lexer.h"

#include "compiler/ir/reserved.h"

#include <algorithm>

namespace tileproof::ir {
namespace {

constexpr std::string_view single_signs = "{}[](),:=<>+-*/|";
constexpr std::string_view before_equals = "+*=!<>";

/// What other languages write, and what is meant by it here; the longest first.
struct ForeignSign {
  std::string_view sign, mend;
};
constexpr ForeignSign foreign_signs[] = {{"&&", "write `and`"},
                                         {"||", "write `or` in a value; conditions are joined by `and` only"},
                                         {"//", "write `floordiv`; a comment begins with `#`"},
                                         {"!", "write `not` in a value; a condition takes the opposite comparison, `>=` for `<`"},
                                         {"&", "write `and`, or `bitand(a, b)` for the bits of a value"},
                                         {"%", "write `mod`"},
                                         {"^", "write `bitxor(a, b)` in a value"},
                                         {"~", "write `not`, or `bitnot(a)` for the bits, in a value"}};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_word_part(char c) { return is_word_begin(c) || is_digit(c); }

/// Length of the UTF-8 character at the front of `text`, 0 if there is none.
size_t character_size(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::optional<BadByte> find_bad_byte(std::string_view text) {
  Location location{1, 1};
  for (size_t at = 0; at < text.size();) {
    const char byte = text[at];
    const bool is_ascii = static_cast<unsigned char>(byte) < 0x80;
    const size_t size = is_ascii ? 1 : character_size(text.substr(at, 4));
    if (size == 0 || byte == '\0') return BadByte{location, size != 0};
    if (byte == '\n') {
      location = {location.line + 1, 1};
    } else {
      location.column += static_cast<uint32_t>(size);
    }
    at += size;
  }
  return std::nullopt;
}

void Lexer::skip_blanks() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
      first_on_line_ = true;
    } else if (c == '#') {
      const size_t end = text_.find('\n', at_);
      at_ = (end == std::string_view::npos ? text_.size() : end) - 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

Token Lexer::take(TokenKind kind, size_t size, std::string_view problem) {
  Token token{kind, text_.substr(at_, size), {line_, static_cast<uint32_t>(at_ - line_begin_ + 1)}, first_on_line_, problem, {}};
  at_ += size;
  first_on_line_ = false;
  return token;
}

Token Lexer::word(bool dashes) {
  size_t size = 1;
  while (is_word_part(peek(size)) || (dashes && (peek(size) == '-' || peek(size) == '.'))) ++size;
  if (size > longest_name) return take(TokenKind::invalid, size, "a name of more than 255 characters");
  return take(TokenKind::word, size);
}

Token Lexer::number() {
  size_t size = 1;
  while (is_digit(peek(size))) ++size;
  // `0..4` is a range: a point belongs to the number only if a digit follows.
  if (peek(size) == '.' && is_digit(peek(size + 1))) {
    ++size;
    while (is_digit(peek(size))) ++size;
  }
  if (peek(size) == 'e' || peek(size) == 'E') {
    const size_t digits = size + (peek(size + 1) == '+' || peek(size + 1) == '-' ? 2 : 1);
    if (is_digit(peek(digits))) {
      size = digits;
      while (is_digit(peek(size))) ++size;
    }
  }
  if (is_word_part(peek(size))) {
    while (is_word_part(peek(size))) ++size;
    return take(TokenKind::invalid, size, "a number that runs into a word");
  }
  if (peek(size) == '.' && peek(size + 1) != '.') return take(TokenKind::invalid, size + 1, "a number that ends in a point");
  return take(TokenKind::number, size);
}

Token Lexer::sign() {
  const char first = peek(), second = peek(1);
  const bool is_pair = (first == '.' && second == '.') || (second == '=' && before_equals.contains(first));
  if (is_pair) return take(TokenKind::sign, 2);
  for (const ForeignSign& foreign : foreign_signs) {
    if (!text_.substr(at_).starts_with(foreign.sign)) continue;
    Token token = take(TokenKind::invalid, foreign.sign.size(), "a sign that has no meaning here");
    token.mend = foreign.mend;
    return token;
  }
  if (single_signs.contains(first)) return take(TokenKind::sign, 1);
  return take(TokenKind::invalid, std::max<size_t>(1, character_size(text_.substr(at_, 4))),
              "a character that has no meaning here");
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return take(TokenKind::end, 0);
  if (is_word_begin(peek())) return word(false);
  if (is_digit(peek())) return number();
  return sign();
}

Token Lexer::next_machine_name() {
  skip_blanks();
  return is_word_begin(peek()) ? word(true) : next();
}

}  // namespace tileproof::ir
