// What a command prints for programs to read, in the format that they asked for.
#pragma once

#include "compiler/ir/diagnostic.h"
#include "tool/exit_code.h"
#include "tool/format.h"
#include "tool/judged.h"

#include <span>
#include <string>
#include <string_view>

namespace tileproof::tool {

/// JUnit XML or SARIF. Precondition: `format` is one of the two.
std::string ci_document(Format format, std::string_view command, ExitCode exit, std::span<const Judged> cases);

/// What is wrong with the input, whatever the command; empty in text, where standard error says it.
std::string bad_input_document(Format format, std::string_view command, const ir::Diagnostics& errors);

/// The command ended early for a reason that lies in no program: "unsupported" or "harness-error"; empty in text.
std::string stopped_document(Format format, std::string_view command, oracle::Verdict verdict, std::string_view reason);

}  // namespace tileproof::tool
