#include "compiler/ir/reserved.h"

#include "compiler/ir/dtype.h"
#include "compiler/ir/expression.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tileproof::ir {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array items{"buffer"sv, "view"sv, "for"sv, "if"sv, "while"sv, "group"sv, "move"sv, "opaque"sv};
constexpr std::array clauses{"over"sv, "where"sv, "start"sv, "stop"sv, "acc"sv, "clobbers"sv, "reduce"sv, "seq"sv};
// Only before a dtype is `acc` a clause; everywhere else it is what people call an accumulator.
constexpr std::string_view not_reserved = "acc";
constexpr std::array others{"tile"sv, "program"sv, "param"sv, "else"sv,    "and"sv,   "or"sv,    "not"sv, "mod"sv,   "floordiv"sv,
                            "in"sv,   "out"sv,     "inout"sv, "at"sv,      "valid"sv, "range"sv, "par"sv, "shard"sv, "thread"sv,
                            "as"sv,   "tags"sv,    "kind"sv,  "machine"sv, "cast"sv,  "inf"sv,   "nan"sv};

// The C library's character classes follow the locale; the language does not.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// All reserved words by their first letter: they are looked up for every name of every program that is verified.
const std::array<std::vector<std::string_view>, 128>& reserved_words() {
  static const auto words = [] {
    std::array<std::vector<std::string_view>, 128> all;
    const auto add = [&](std::string_view word) {
      if (word != not_reserved && !word.empty()) all[static_cast<unsigned char>(word.front()) % all.size()].push_back(word);
    };
    for (const std::string_view word : items) add(word);
    for (const std::string_view word : clauses) add(word);
    for (const std::string_view word : others) add(word);
    for (const Dtype dtype : all_dtypes()) add(name(dtype));
    for (int op = 0; op <= static_cast<int>(Op::select); ++op) {
      if (named_operator(spelling(static_cast<Op>(op)))) add(spelling(static_cast<Op>(op)));
    }
    return all;
  }();
  return words;
}

bool begins_as_word(std::string_view text) { return !text.empty() && text.size() <= longest_name && is_letter(text.front()); }

}  // namespace

bool is_word(std::string_view text) {
  return begins_as_word(text) && std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_reserved(std::string_view word) {
  if (word.empty()) return false;
  const auto& words = reserved_words()[static_cast<unsigned char>(word.front()) % reserved_words().size()];
  return std::ranges::find(words, word) != words.end();
}

bool is_name(std::string_view text) { return is_word(text) && !is_reserved(text); }

bool is_opcode(std::string_view text) {
  return is_word(text) && (!is_reserved(text) || text == "reduce" || text == "cast" || named_operator(text));
}

bool is_machine_name(std::string_view text) {
  return begins_as_word(text) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.'; });
}

std::span<const std::string_view> item_keywords() { return items; }
std::span<const std::string_view> clause_keywords() { return clauses; }

}  // namespace tileproof::ir
