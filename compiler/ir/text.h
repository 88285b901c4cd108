// `.tile` text to programs and back. parse(print(f)) == f, and print(parse(print(f))) == print(f), byte for byte.
#pragma once

#include "compiler/ir/program.h"

#include <expected>
#include <string>
#include <string_view>

namespace tileproof::ir {

/// Bounds on what the parser accepts, so that hostile text ends early.
struct TextLimits {
  size_t bytes = size_t{64} << 20;   ///< larger files are an error
  int depth = 200;                   ///< nesting of blocks and of expressions
  size_t errors = 20;                ///< at most so many are reported
  size_t nodes = 8'000'000;          ///< expressions, axes and tags, an item counted as eight: bounds the memory of the result
};

/// Syntax only; `verify` judges the meaning. Comments (`# ...`) are not kept. Errors: every one carries a place and a mend.
std::expected<File, Diagnostics> parse(std::string_view text, std::string file_name, TextLimits limits = {});

/// Canonical text, ending in a newline.
std::string print(const File& file);
std::string print(const Program& program);
std::string print(const Statement& statement);    ///< one line, without indentation or newline
std::string print(const Expression& expression);

/// Reads the whole of a file ("-" is standard input). Errors: directory, no permission, not UTF-8, larger than the limit.
std::expected<std::string, Diagnostic> read_text(const std::string& path, TextLimits limits = {},
                                                 std::string_view what = "`.tile` file");

}  // namespace tileproof::ir
