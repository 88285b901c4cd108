// JUnit XML, as CI services read it (docs/ci.md).
#pragma once

#include "tool/judged.h"

#include <span>
#include <string>
#include <string_view>

namespace tileproof::tool {

/// A whole document, ending in a newline: a suite of a test case for each check, in the order given. Text that XML cannot hold
/// (control characters, what is not UTF-8) is replaced by U+FFFD. No times: the same checks give the same bytes.
std::string junit(std::string_view command, std::span<const Judged> cases);

}  // namespace tileproof::tool
