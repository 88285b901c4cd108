#include "tool/record.h"

#include "oracle/equivalence/report.h"

namespace tileproof::tool {

Json record_head(std::string_view command, std::string_view verdict, ExitCode exit) {
  return {{"tileproof", oracle::record_version}, {"command", command}, {"verdict", verdict}, {"exit", static_cast<int>(exit)}};
}

std::string record_text(const Json& record) { return record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json diagnostics_json(const ir::Diagnostics& diagnostics) {
  Json errors = Json::array();
  for (const ir::Diagnostic& d : diagnostics) {
    errors.push_back(
        {{"file", d.file}, {"line", d.location.line}, {"column", d.location.column}, {"message", d.message}, {"mend", d.mend}});
  }
  return errors;
}

std::string bad_input_record(std::string_view command, const ir::Diagnostics& diagnostics) {
  Json record = record_head(command, "bad-input", ExitCode::bad_input);
  record["errors"] = diagnostics_json(diagnostics);
  return record_text(record);
}

std::string stopped_record(std::string_view command, std::string_view verdict, ExitCode exit, std::string_view reason) {
  Json record = record_head(command, verdict, exit);
  record["reason"] = reason;
  return record_text(record);
}

}  // namespace tileproof::tool
