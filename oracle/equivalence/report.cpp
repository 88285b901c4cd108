#include "oracle/equivalence/report.h"

#include "oracle/plural.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

namespace tileproof::oracle {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t listed = 8;  // findings, warnings and elements that the text lists; the record has them all

/// Which file a finding of this report points into.
const std::string& file_of_findings(const CheckReport& report, const CheckSubject& subject) {
  return report.verdict == Verdict::bad_original ? subject.original_file : subject.tiled_file;
}

std::string place(const std::string& file, ir::Location location) {
  return location.line == 0 ? file : fmt::format("{}:{}:{}", file, location.line, location.column);
}

std::string parameters_text(const Parameters& parameters) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : parameters) parts.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(parts, " "));
}

/// The items, the first few of them; how many there are besides.
std::string listing(const std::vector<std::string>& items, std::string_view separator = ", ") {
  const auto first = items | std::views::take(listed);
  const std::string text = fmt::format("{}", fmt::join(first.begin(), first.end(), separator));
  if (items.size() == listed + 1) return text + std::string(separator) + items.back();
  return items.size() <= listed ? text : fmt::format("{}{}and {} more", text, separator, items.size() - listed);
}

/// What was run: "all 41 values of n", "all 1,681 combinations of m and n", or the first few.
std::string parameters_run(const CheckReport& report) {
  std::vector<std::string> values;
  for (const Parameters& parameters : report.parameters) values.push_back(parameters_text(parameters));
  const bool passed = report.verdict == Verdict::tested || report.verdict == Verdict::proved;
  if (!passed || values.size() <= listed || report.counted.contains("parameter combinations left out"))
    return listing(values, "; ");
  std::vector<std::string_view> names;
  for (const auto& [name, value] : report.parameters.front()) names.push_back(name);
  return fmt::format("all {} of {}", plural(values.size(), names.size() == 1 ? "value" : "combination"), fmt::join(names, ", "));
}

/// Builds a report line by line: a word, then what it says, in a column.
class Lines {
 public:
  explicit Lines(std::string first) : text_(std::move(first) + "\n") {}

  void add(std::string_view word, std::string_view said) {
    if (!said.empty()) text_ += fmt::format("  {:<11} {}\n", word, said);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string warning_text(const Finding& warning, const std::string& file) {
  return fmt::format("{} at {}: {}", warning.statement, place(file, warning.location),
                     warning.detail.empty() ? element_text(warning.buffer, warning.element) : warning.detail);
}

void add_difference(Lines& lines, const Difference& difference, const CheckSubject& subject) {
  lines.add("differs",
            fmt::format("{} is the smallest index that differs ({} of {})", element_text(difference.buffer, difference.element),
                        grouped(difference.differing), plural(difference.compared, "element")));
  lines.add("original", difference.original);
  lines.add("tiled", difference.tiled);
  lines.add("input", difference.input);
  lines.add("missing", listing(difference.missing));
  lines.add("extra", listing(difference.extra));
  lines.add("repeated", listing(difference.repeated));
  if (difference.writer != "-" && !difference.writer.empty()) {
    lines.add("written by", fmt::format("{} at {}", difference.writer, place(subject.tiled_file, difference.writer_location)));
  }
}

void add_runs(Lines& lines, const CheckReport& report, const CheckSubject& subject) {
  if (report.keys > 0) {
    lines.add("compared", fmt::format("{} of each run, {}, seed {}", plural(report.compared, "element"),
                                      plural(static_cast<uint64_t>(report.keys), "key"), subject.seed));
  }
  lines.add("patterns", listing(report.patterns));
  lines.add("parameters", parameters_run(report));
  if (!report.failing_parameters.empty()) lines.add("fails at", parameters_text(report.failing_parameters));
  if (report.pattern_matters) lines.add("fails with", "pattern " + text(report.failing_pattern, report.failing_level));
  for (const auto& [what, count] : report.counted) lines.add("counted", fmt::format("{}: {}", what, grouped(count)));
  lines.add("machine", subject.machine.empty() ? "none named: no machine limits were judged" : subject.machine);
  if (subject.rounding == Rounding::relaxed) lines.add("rounding", "relaxed");
  lines.add("points", grouped(report.points));
}

Json location_json(const std::string& file, ir::Location location) {
  return {{"file", file}, {"line", location.line}, {"column", location.column}};
}

/// What findings and warnings have in common.
void add_place(Json& json, const Finding& finding, const std::string& file) {
  json["statement"] = finding.statement.empty() ? "-" : finding.statement;
  json["buffer"] = finding.buffer.empty() ? "-" : finding.buffer;
  json["element"] = finding.element;
  json["at"] = location_json(file, finding.location);
  json["detail"] = finding.detail;
}

Json difference_json(const Difference& difference, const CheckSubject& subject) {
  return {{"buffer", difference.buffer},
          {"element", difference.element},
          {"original", difference.original},
          {"tiled", difference.tiled},
          {"input", difference.input},
          {"differing", difference.differing},
          {"compared", difference.compared},
          {"missing", difference.missing},
          {"extra", difference.extra},
          {"repeated", difference.repeated},
          {"writer", difference.writer.empty() ? "-" : difference.writer},
          {"at", location_json(subject.tiled_file, difference.writer_location)}};
}

Json program_json(const std::string& file, const std::string& program) { return {{"file", file}, {"program", program}}; }

}  // namespace

std::string grouped(uint64_t count) {
  std::string digits = std::to_string(count);
  for (ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string page(FindingId id) { return fmt::format("docs/findings/{}.md", code(id)); }

std::string element_text(std::string_view buffer, std::span<const int64_t> element) {
  return element.empty() ? std::string(buffer) : fmt::format("{}[{}]", buffer, fmt::join(element, ", "));
}

std::string finding_text(const Finding& finding, const std::string& file) {
  std::string text = fmt::format("{} ({})", name(finding.id), code(finding.id));
  if (finding.statement != "-" && !finding.statement.empty()) text += fmt::format(" in {}", finding.statement);
  if (finding.buffer != "-" && !finding.buffer.empty())
    text += fmt::format(" on {}", element_text(finding.buffer, finding.element));
  text += fmt::format(", {}", place(file, finding.location));
  if (!finding.detail.empty()) text += fmt::format(": {}", finding.detail);
  return text;
}

nlohmann::ordered_json finding_record(const Finding& finding, const std::string& file) {
  Json json{{"id", code(finding.id)}, {"name", name(finding.id)}, {"page", page(finding.id)}};
  add_place(json, finding, file);
  return json;
}

std::string headline(const CheckReport& report) {
  const std::string_view verdict = name(report.verdict);
  switch (report.verdict) {
    case Verdict::refuted:
    case Verdict::bad_original:
      if (!report.findings.empty()) {
        const FindingId id = report.findings.front().id;
        return fmt::format("{}: {} ({})", verdict, name(id), code(id));
      }
      break;
    case Verdict::proved:
    case Verdict::tested:
      if (report.tier != Tier::none) return fmt::format("{}: {}", verdict, name(report.tier));
      break;
    default: break;
  }
  return report.reason.empty() ? std::string(verdict) : fmt::format("{}: {}", verdict, report.reason);
}

std::string text_report(const CheckReport& report, const CheckSubject& subject) {
  const std::string& file = file_of_findings(report, subject);
  Lines lines(headline(report));
  lines.add("programs", fmt::format("{} ({}) and {} ({})", subject.original_file, subject.original_program, subject.tiled_file,
                                    subject.tiled_program));
  if (!report.findings.empty()) {
    if (!report.reason.empty()) lines.add("reason", report.reason);
    lines.add("meaning", summary(report.findings.front().id));
  }
  if (report.difference) add_difference(lines, *report.difference, subject);
  for (const Finding& finding : report.findings | std::views::take(listed)) lines.add("finding", finding_text(finding, file));
  if (report.findings.size() > listed) lines.add("finding", fmt::format("and {} more", report.findings.size() - listed));
  for (const Finding& warning : report.warnings | std::views::take(listed))
    lines.add("warning", warning_text(warning, subject.tiled_file));
  if (report.warnings.size() > listed) lines.add("warning", fmt::format("and {} more", report.warnings.size() - listed));
  const bool tier_in_headline = report.verdict == Verdict::tested || report.verdict == Verdict::proved;
  if (report.tier != Tier::none && !tier_in_headline) lines.add("tier", name(report.tier));
  add_runs(lines, report, subject);
  if (!report.findings.empty()) lines.add("page", page(report.findings.front().id));
  lines.add("replay", fmt::format("{} {}", subject.executable, subject.command));
  return lines.take();
}

nlohmann::ordered_json pictures_record(const Pictures& pictures) {
  Json list = Json::array();
  for (const Picture& picture : pictures) list.push_back({{"title", picture.title}, {"lines", picture.lines}});
  return list;
}

std::string json_record(const CheckReport& report, const CheckSubject& subject, const std::optional<Pictures>& explanation) {
  const std::string& file = file_of_findings(report, subject);
  Json json{{"tileproof", record_version},
            {"command", "check"},
            {"verdict", name(report.verdict)},
            {"exit", exit_code(report.verdict)},
            {"tier", name(report.tier)},
            {"reason", report.reason},
            {"original", program_json(subject.original_file, subject.original_program)},
            {"tiled", program_json(subject.tiled_file, subject.tiled_program)},
            {"machine", subject.machine.empty() ? Json(nullptr) : Json(subject.machine)},
            {"rounding", subject.rounding == Rounding::strict ? "strict" : "relaxed"},
            {"seed", subject.seed}};
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings) json["findings"].push_back(finding_record(finding, file));
  json["warnings"] = Json::array();
  for (const Finding& warning : report.warnings) {
    Json& entry = json["warnings"].emplace_back(Json::object());
    add_place(entry, warning, subject.tiled_file);
  }
  json["difference"] = report.difference ? difference_json(*report.difference, subject) : Json(nullptr);
  json["counted"] = Json(report.counted);
  if (report.counted.empty()) json["counted"] = Json::object();
  json["points"] = report.points;
  json["compared"] = report.compared;
  json["keys"] = report.keys;
  json["patterns"] = report.patterns;
  json["failing_pattern"] = report.pattern_matters ? Json(text(report.failing_pattern, report.failing_level)) : Json(nullptr);
  json["parameters"] = Json::array();
  for (const Parameters& parameters : report.parameters) json["parameters"].push_back(Json(parameters));
  json["failing_parameters"] = report.failing_parameters.empty() ? Json(nullptr) : Json(report.failing_parameters);
  json["replay"] = "tileproof " + subject.command;
  if (explanation) json["explanation"] = pictures_record(*explanation);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tileproof::oracle
