// SARIF 2.1.0, as code scanning services read it (docs/ci.md).
#pragma once

#include "tool/exit_code.h"
#include "tool/judged.h"

#include <span>
#include <string>
#include <string_view>

namespace tileproof::tool {

/// A whole log of one run, ending in a newline. A check that is not as expected gives a result for each of its findings; what
/// was not decided or not readable makes the invocation unsuccessful, with a notification. Text that is not UTF-8 is mended. No
/// times: the same checks give the same bytes.
std::string sarif(std::string_view command, ExitCode exit, std::span<const Judged> cases);

}  // namespace tileproof::tool
