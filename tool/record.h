// The JSON records of commands other than `check` (oracle/equivalence/report.h). docs/record.schema.json defines them all.
#pragma once

#include "compiler/ir/diagnostic.h"
#include "oracle/finding.h"
#include "tool/exit_code.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tileproof::tool {

using Json = nlohmann::ordered_json;

/// The fields that every record begins with.
Json record_head(std::string_view command, std::string_view verdict, ExitCode exit);

/// Indented, ending in a newline; text that is not UTF-8 is mended.
std::string record_text(const Json& record);

/// What is wrong with the input: verdict "bad-input", with all diagnostics.
std::string bad_input_record(std::string_view command, const ir::Diagnostics& diagnostics);

/// The command ended early for a reason that lies in no program: "unsupported", "bad-input" or "harness-error".
std::string stopped_record(std::string_view command, std::string_view verdict, ExitCode exit, std::string_view reason);

Json diagnostics_json(const ir::Diagnostics& diagnostics);

}  // namespace tileproof::tool
