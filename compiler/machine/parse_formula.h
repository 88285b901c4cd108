// The part of the machine parser that reads formulas.
#pragma once

#include "compiler/ir/token_stream.h"
#include "compiler/machine/machine.h"

namespace tileproof::machine {

/// formula := shape UPDATE { "|" UPDATE } pattern
/// shape   := ROLE "[" ( "*" | [ runs "|" ] runs ) "]";  runs := run { "," run };  run := { LETTER | "(" LETTER ")" }
/// pattern := an expression of the language over: ROLE [shape]; "any" "(" shapes ")"; "scalar"; numbers
/// A role that stands without brackets has the shape that it was given before.
Formula parse_formula(ir::TokenStream& stream);

/// Words with a meaning of their own in an opcode: neither roles nor letters are called so.
bool is_machine_word(std::string_view word);

}  // namespace tileproof::machine
