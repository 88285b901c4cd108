// A file that is written whole or not at all.
#pragma once

#include "compiler/ir/diagnostic.h"

#include <optional>
#include <string>
#include <string_view>

namespace tileproof::tool {

/// Writes `text` to a temporary file beside `path` and renames it, so that nobody ever sees a part of it and a failure leaves
/// what was there. A path that is no regular file (a device, a pipe) is written directly. nullopt: done.
std::optional<ir::Diagnostic> write_whole_file(const std::string& path, std::string_view text);

}  // namespace tileproof::tool
