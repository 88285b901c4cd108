// A command line as text that a shell reads back.
#pragma once

#include <string>
#include <string_view>

namespace tileproof::tool {

/// The word itself, or in single quotes where a shell would take it apart.
std::string shell_word(std::string_view word);

}  // namespace tileproof::tool
