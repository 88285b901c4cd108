#include "tool/junit.h"

#include "oracle/explain/explain.h"
#include "tool/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

namespace tileproof::tool {
namespace {

/// The text with U+FFFD for what is not UTF-8 and for the characters that XML 1.0 has no way to write.
std::string xml_text(std::string_view text) {
  const std::string utf8 = Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string result;
  for (size_t at = 0; at < utf8.size(); ++at) {
    const auto byte = static_cast<unsigned char>(utf8[at]);
    const std::string_view three = std::string_view(utf8).substr(at, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {   // U+FFFE and U+FFFF
      result += replacement;
      at += 2;
    } else if (byte < 0x20 && byte != '\t' && byte != '\n') {
      result += replacement;
    } else {
      result += utf8[at];
    }
  }
  return result;
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(xml_text(value).c_str());
}

pugi::xml_node add_property(pugi::xml_node properties, const char* name, std::string_view value) {
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
  return property;
}

/// All that the text report says, or the errors.
std::string body(const Judged& judged) {
  std::string text;
  for (const ir::Diagnostic& error : judged.errors) text += to_string(error) + "\n";
  if (judged.report) text += oracle::text_report(*judged.report, judged.subject);
  if (judged.explanation) text += to_text(*judged.explanation);
  return text;
}

void add_case(pugi::xml_node suite, std::string_view command, const Judged& judged) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", fmt::format("tileproof.{}", command));
  set(test, "name", judged.name);
  if (!judged.subject.tiled_file.empty()) set(test, "file", judged.subject.tiled_file);
  pugi::xml_node properties = test.append_child("properties");
  add_property(properties, "verdict", verdict_word(judged));
  add_property(properties, "expected", judged.expected);
  if (!judged.subject.command.empty()) add_property(properties, "replay", "tileproof " + judged.subject.command);
  const CaseOutcome what = outcome(judged);
  if (what == CaseOutcome::pass) {
    if (judged.explanation) test.append_child("system-out").text().set(xml_text(to_text(*judged.explanation)).c_str());
    return;
  }
  pugi::xml_node node = test.append_child(what == CaseOutcome::failure   ? "failure"
                                          : what == CaseOutcome::skipped ? "skipped"
                                                                         : "error");
  const bool has_finding = judged.report && !judged.report->findings.empty();
  set(node, "message", message(judged));
  if (what == CaseOutcome::skipped) return;
  set(node, "type", has_finding ? oracle::code(judged.report->findings.front().id) : verdict_word(judged));
  node.text().set(xml_text(body(judged)).c_str());
}

void add_counts(pugi::xml_node node, std::span<const Judged> cases) {
  const auto count = [&](CaseOutcome wanted) {
    return std::to_string(std::ranges::count_if(cases, [&](const Judged& judged) { return outcome(judged) == wanted; }));
  };
  set(node, "tests", std::to_string(cases.size()));
  set(node, "failures", count(CaseOutcome::failure));
  set(node, "errors", count(CaseOutcome::error));
  set(node, "skipped", count(CaseOutcome::skipped));
}

}  // namespace

std::string junit(std::string_view command, std::span<const Judged> cases) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = document.append_child("testsuites");
  set(suites, "name", "tileproof");
  add_counts(suites, cases);
  pugi::xml_node suite = suites.append_child("testsuite");
  set(suite, "name", command.empty() ? "tileproof" : fmt::format("tileproof {}", command));
  add_counts(suite, cases);
  for (const Judged& judged : cases) add_case(suite, command, judged);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace tileproof::tool
