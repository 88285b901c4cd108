// The finds that a fuzzing job knows already.
#pragma once

#include "compiler/ir/diagnostic.h"

#include <expected>
#include <functional>
#include <set>
#include <string>

namespace tileproof::tool {

using Keys = std::set<std::string, std::less<>>;

/// A key a line, `FINDING STATEMENT PASS` with `-` for what is not known; behind `#` are comments. Errors: no such file, a line of other
/// than three words.
std::expected<Keys, ir::Diagnostics> read_known_finds(const std::string& path);

}  // namespace tileproof::tool
