#include "tool/sarif.h"

#include "tool/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tileproof::tool {
namespace {

using oracle::Finding;
using oracle::FindingId;

constexpr std::string_view schema = "https://json.schemastore.org/sarif-2.1.0.json";
/// The rule of a replayed check that passes, or has no finding, where something else is expected.
constexpr std::string_view unexpected_rule = "not-as-expected";

/// A path as a URI reference: RFC 3986 unreserved characters and `/` stand for themselves, every other byte is escaped.
std::string uri(std::string_view path) {
  std::string text = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos);
    text += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return text;
}

Json text_of(std::string_view text) { return {{"text", text}}; }

Json rule(std::string_view id, std::string_view name, std::string_view summary, std::string_view page) {
  return {{"id", id},
          {"name", name},
          {"shortDescription", text_of(summary)},
          {"fullDescription", text_of(summary)},
          {"help", text_of(fmt::format("{}. Example and mend: {}", summary, page))},
          {"defaultConfiguration", {{"level", "error"}}},
          {"properties", {{"page", page}}}};
}

Json rules() {
  Json list = Json::array();
  for (const FindingId id : oracle::all_findings())
    list.push_back(rule(oracle::code(id), name(id), summary(id), oracle::page(id)));
  list.push_back(
      rule(unexpected_rule, unexpected_rule, "a replayed check gives another verdict than its file expects", "docs/ci.md"));
  return list;
}

size_t rule_index(FindingId id) {
  const auto all = oracle::all_findings();
  return static_cast<size_t>(std::ranges::find(all, id) - all.begin());
}

Json physical(const std::string& file, ir::Location at) {
  Json place{{"artifactLocation", {{"uri", uri(file)}}}};
  if (at.line > 0) place["region"] = {{"startLine", at.line}, {"startColumn", std::max(1U, at.column)}};
  return place;
}

Json location(const std::string& file, ir::Location at, const std::string& program, const std::string& statement) {
  Json place = Json::object();
  if (!file.empty()) place["physicalLocation"] = physical(file, at);
  const bool has_statement = !statement.empty() && statement != "-";
  if (!program.empty()) {
    const std::string name = has_statement ? statement : program;
    place["logicalLocations"] = {{{"name", name}, {"fullyQualifiedName", has_statement ? program + "/" + statement : program}}};
  }
  return place;
}

/// What every result says of its check.
Json properties(const Judged& judged) {
  Json bag{{"verdict", verdict_word(judged)}, {"expected", judged.expected}, {"case", judged.name}};
  if (!judged.subject.command.empty()) bag["command"] = "tileproof " + judged.subject.command;
  return bag;
}

void add_difference(Json& bag, const oracle::Difference& difference) {
  bag["original"] = difference.original;
  bag["tiled"] = difference.tiled;
  bag["input"] = difference.input;
  bag["differing"] = difference.differing;
  bag["compared"] = difference.compared;
  bag["missing"] = difference.missing;
  bag["extra"] = difference.extra;
  bag["repeated"] = difference.repeated;
}

Json finding_result(const Judged& judged, const Finding& finding, bool is_decisive) {
  const oracle::CheckReport& report = *judged.report;
  const bool in_original = report.verdict == oracle::Verdict::bad_original;
  const std::string& file = in_original ? judged.subject.original_file : judged.subject.tiled_file;
  const std::string& program = in_original ? judged.subject.original_program : judged.subject.tiled_program;
  Json bag = properties(judged);
  bag["buffer"] = finding.buffer;
  bag["element"] = finding.element;
  if (is_decisive && report.difference) add_difference(bag, *report.difference);
  if (is_decisive && judged.explanation) bag["explanation"] = oracle::pictures_record(*judged.explanation);
  const bool has_buffer = !finding.buffer.empty() && finding.buffer != "-";
  std::string text = std::string(summary(finding.id));
  if (has_buffer) text += ": " + oracle::element_text(finding.buffer, finding.element);
  if (!finding.detail.empty()) text += fmt::format(" ({})", finding.detail);
  if (judged.expected != "passes") text += fmt::format("; expected: {}", judged.expected);
  return {
      {"ruleId", oracle::code(finding.id)},
      {"ruleIndex", rule_index(finding.id)},
      {"level", "error"},
      {"message", text_of(text)},
      {"locations", Json::array({location(file, finding.location, program, finding.statement)})},
      {"partialFingerprints",
       {{"tileproof/v1", fmt::format("{}/{}/{}/{}", judged.name, oracle::code(finding.id), finding.statement, finding.buffer)}}},
      {"properties", std::move(bag)}};
}

/// A replayed check without a finding to show that is not as expected.
Json unexpected_result(const Judged& judged) {
  return {{"ruleId", unexpected_rule},
          {"ruleIndex", oracle::all_findings().size()},
          {"level", "error"},
          {"message", text_of(message(judged))},
          {"locations", Json::array({location(judged.subject.tiled_file, {1, 1}, judged.subject.tiled_program, "")})},
          {"properties", properties(judged)}};
}

Json notification(std::string_view level, std::string_view text, Json place) {
  Json notice{{"level", level}, {"message", text_of(text)}};
  if (!place.empty()) notice["locations"] = Json::array({std::move(place)});
  return notice;
}

void add_notifications(Json& notifications, const Judged& judged) {
  for (const ir::Diagnostic& error : judged.errors) {
    const std::string text = error.mend.empty() ? error.message : fmt::format("{}; {}", error.message, error.mend);
    notifications.push_back(notification("error", text, location(error.file, error.location, "", "")));
  }
  if (!judged.report) return;
  const oracle::CheckSubject& subject = judged.subject;
  const CaseOutcome what = outcome(judged);
  if (what == CaseOutcome::error || what == CaseOutcome::skipped) {
    notifications.push_back(notification(what == CaseOutcome::error ? "error" : "note", message(judged),
                                         location(subject.tiled_file, {}, subject.tiled_program, "")));
  }
  for (const Finding& warning : judged.report->warnings) {
    notifications.push_back(
        notification("warning", fmt::format("{}: {}", oracle::element_text(warning.buffer, warning.element), warning.detail),
                     location(subject.tiled_file, warning.location, subject.tiled_program, warning.statement)));
  }
}

}  // namespace

std::string sarif(std::string_view command, ExitCode exit, std::span<const Judged> cases) {
  Json results = Json::array(), notifications = Json::array();
  bool is_decided = true;
  for (const Judged& judged : cases) {
    add_notifications(notifications, judged);
    const CaseOutcome what = outcome(judged);
    is_decided = is_decided && what != CaseOutcome::error;
    if (!judged.report || judged.as_expected) continue;
    for (const Finding& finding : judged.report->findings)
      results.push_back(finding_result(judged, finding, &finding == judged.report->findings.data()));
    if (judged.report->findings.empty() && what == CaseOutcome::failure) results.push_back(unexpected_result(judged));
  }
  const Json driver{
      {"name", "Tileproof"}, {"version", TILEPROOF_VERSION}, {"semanticVersion", TILEPROOF_VERSION}, {"rules", rules()}};
  const Json invocation{{"executionSuccessful", is_decided},
                        {"exitCode", static_cast<int>(exit)},
                        {"toolExecutionNotifications", std::move(notifications)}};
  Json run{{"tool", {{"driver", driver}}},
           {"automationDetails", {{"id", fmt::format("tileproof/{}/", command)}}},
           {"invocations", Json::array({invocation})},
           {"columnKind", "unicodeCodePoints"},
           {"results", std::move(results)}};
  // Of a check without a result that could hold it.
  if (run["results"].empty() && cases.size() == 1 && cases.front().explanation)
    run["properties"]["explanation"] = oracle::pictures_record(*cases.front().explanation);
  return record_text({{"$schema", schema}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

}  // namespace tileproof::tool
