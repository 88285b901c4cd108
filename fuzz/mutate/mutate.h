// Edits of programs rather than of bytes: what a fuzzing engine does to a `.tile` text that it has.
//
// An edited program is one that the language can spell, right or wrong: it prints, and its text parses to the same program.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"

#include <optional>
#include <string>
#include <string_view>

namespace tileproof::fuzz {

/// One edit: a number, an index, a condition, an operator; a dtype, a role, a space, an address; a kind of loop or axis, a claim; an item
/// twice, gone, elsewhere, inside of a loop or out of it; a name here or everywhere. False: the drawn edits found nothing to edit.
bool mutate(ir::File& file, Choices& choices);

/// The text after one to four edits, canonical; nullopt: it is no text of a program, or the edited one is nested too deeply or longer
/// than `most` bytes.
std::optional<std::string> mutate_text(std::string_view text, size_t most, Choices& choices);

}  // namespace tileproof::fuzz
