// The finds that a fuzzing job knows already.
#pragma once

#include "compiler/ir/diagnostic.h"
#include "compiler/pipeline/registry.h"

#include <expected>
#include <functional>
#include <set>
#include <string>

namespace tileproof::tool {

using Keys = std::set<std::string, std::less<>>;

/// A key a line, `FINDING STATEMENT PASS` with `-` for what is not known; behind `#` are comments. Errors: no such file, a line of other
/// than three words, a FINDING or PASS that there is not.
std::expected<Keys, ir::Diagnostics> read_known_finds(const std::string& path, const pipeline::Registry& passes);

}  // namespace tileproof::tool
