// Which words may be names. The printer's text parses again only if every name of a program is one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tileproof::ir {

/// A longer name is an error (our choice), so that no message and no comparison of names is long.
inline constexpr size_t longest_name = 255;

/// Letters, digits and `_`, no digit first, at most `longest_name` bytes. Tags may be any such word, reserved or not.
bool is_word(std::string_view text);
/// A keyword, a named operator or a dtype.
bool is_reserved(std::string_view word);
/// A word that is not reserved: what buffers, views, parameters, loop variables, axes, groups, spaces and programs are called.
bool is_name(std::string_view text);
/// A name, or one of the reserved words that cannot be mistaken where an opcode stands: `reduce`, `cast` and the named operators.
bool is_opcode(std::string_view text);
/// A machine's name may also contain `-` and `.`: `ascend-910b`.
bool is_machine_name(std::string_view text);

/// The keywords that begin an item (`buffer`, `for`, ...), and those that begin a clause of a statement or an axis kind.
std::span<const std::string_view> item_keywords();
std::span<const std::string_view> clause_keywords();

}  // namespace tileproof::ir
