#pragma once

#include <string_view>

namespace tileproof::tool {

/// Writes all of `text` to a file descriptor, in as many calls as it takes. Zero, or what errno said.
int write_all(int descriptor, std::string_view text);

}  // namespace tileproof::tool
