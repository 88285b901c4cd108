#include "tool/document.h"

#include "tool/junit.h"
#include "tool/record.h"
#include "tool/sarif.h"

namespace tileproof::tool {
namespace {

/// A case for what befell the command itself.
Judged case_of(std::string_view command) {
  Judged judged;
  judged.name = command.empty() ? "tileproof" : command;
  return judged;
}

}  // namespace

std::string ci_document(Format format, std::string_view command, ExitCode exit, std::span<const Judged> cases) {
  return format == Format::junit ? junit(command, cases) : sarif(command, exit, cases);
}

std::string bad_input_document(Format format, std::string_view command, const ir::Diagnostics& errors) {
  if (format == Format::text) return {};
  if (format == Format::json) return bad_input_record(command, errors);
  Judged judged = case_of(command);
  judged.errors = errors;
  return ci_document(format, command, ExitCode::bad_input, {&judged, 1});
}

std::string stopped_document(Format format, std::string_view command, oracle::Verdict verdict, std::string_view reason) {
  const auto exit = static_cast<ExitCode>(oracle::exit_code(verdict));
  if (format == Format::text) return {};
  if (format == Format::json) return stopped_record(command, name(verdict), exit, reason);
  Judged judged = case_of(command);
  judged.report.emplace();
  judged.report->verdict = verdict;
  judged.report->reason = reason;
  return ci_document(format, command, exit, {&judged, 1});
}

}  // namespace tileproof::tool
