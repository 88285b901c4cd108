// The part of the parser that reads expressions and conditions.
#pragma once

#include "compiler/ir/expression.h"
#include "compiler/ir/token_stream.h"

namespace tileproof::ir {

Expression parse_expression(TokenStream& stream);
/// `comparison and comparison ...`: the parts between the outermost `and`s.
std::vector<Expression> parse_conditions(TokenStream& stream);
/// `expression, expression, ... ]` after the `[`, at least one.
std::vector<Expression> parse_indices(TokenStream& stream);
/// A number, a name, or an expression in parentheses: what may stand where more would run into the words that follow.
Expression parse_prim(TokenStream& stream);
/// Whether the current token begins a condition after `start` or `stop`, and not the next clause or item.
bool at_optional_condition(const TokenStream& stream);

}  // namespace tileproof::ir
