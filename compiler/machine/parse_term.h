// The part of the machine parser that reads integer terms: figures, and the two sides of limits.
#pragma once

#include "compiler/ir/token_stream.h"
#include "compiler/machine/machine.h"

#include <string>
#include <vector>

namespace tileproof::machine {

/// What names may mean in a term.
struct TermNames {
  const std::vector<Constant>* constants = nullptr;
  std::vector<std::string_view> letters;   ///< empty outside opcodes
  std::vector<std::string_view> roles;
};

/// term := product { (+|-) product }; product := unary { (*|floordiv|mod) unary }; unary := "-" unary | INT | NAME | "points" |
/// (bytes|bits|rank|row|dims) "(" ROLE ")" | "factor" "(" term ")" | (min|max) "(" term "," term ")" | "(" term ")"
Limit::Term parse_term(ir::TokenStream& stream, const TermNames& names);

/// A term over integers and constants, as its value.
int64_t parse_figure(ir::TokenStream& stream, const std::vector<Constant>& constants);

/// The text between two tokens of the stream, without comments and with single blanks.
std::string text_between(const ir::Token& begin, const ir::Token& end);

}  // namespace tileproof::machine
