#include "tool/fuzz_report.h"

#include "fuzz/reduce/subject.h"
#include "oracle/plural.h"
#include "tool/record.h"
#include "tool/shell_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace tileproof::tool {

namespace {

using oracle::grouped;
using oracle::plural;
using oracle::Verdict;

constexpr size_t shown_reasons = 8;

/// Most frequent first.
std::vector<std::pair<std::string, uint64_t>> sorted(const std::map<std::string, uint64_t>& counts) {
  std::vector<std::pair<std::string, uint64_t>> list(counts.begin(), counts.end());
  std::ranges::stable_sort(list, std::greater(), [](const auto& each) { return each.second; });
  return list;
}

/// Tries the program of the find again; and the case as it was drawn.
std::string replay_words(const std::string& key, const fuzz::Find& find, const FuzzSubject& subject) {
  const FuzzArguments& arguments = subject.arguments;
  std::string words = tiler_words(arguments);
  if (subject.judges_machine && arguments.machine.empty())
    words += " --machine " + shell_word(subject.folder.machine_word(*find.original.machine));
  return words + " " + shell_word(subject.folder.path(key, find));
}

std::string case_words(const fuzz::Find& find, const FuzzSubject& subject) {
  const FuzzArguments& arguments = subject.arguments;
  if (!arguments.files.empty()) return {};
  return fmt::format("{} --seed {} --first {} --runs 1", drawing_words(arguments), arguments.seed, find.number);
}

std::string find_text(const std::string& key, const fuzz::Find& find, uint64_t count, const FuzzSubject& subject) {
  const fuzz::Size size = fuzz::size_of({{find.original.program}, {}});
  std::string text =
      fmt::format("\n{}\n  {}, the first is number {}; {}: {}, {}\n", key, plural(count, "case"), find.number,
                  find.is_reduced ? "reduced" : "as drawn", plural(size.operations, "operation"), plural(size.points, "point"));
  const auto line = [&](std::string_view title, const std::string& what) {
    if (!what.empty()) text += fmt::format("  {:8}{}\n", title, what);
  };
  const std::string program = shell_word(subject.arguments.executable);
  const auto command = [&](const std::string& words) { return words.empty() ? words : program + " " + words; };
  line("why:", find.outcome.why);
  // One line is in `why`.
  for (size_t i = 0; i < find.outcome.errors.size() && find.outcome.errors.size() > 1; ++i)
    line(i == 0 ? "stderr:" : "", find.outcome.errors[i]);
  line("file:", subject.folder.path(key, find));
  line("replay:", command(replay_words(key, find, subject)));
  line("drawn:", command(case_words(find, subject)));
  return text;
}

}  // namespace

oracle::Verdict verdict_of(const fuzz::HuntReport& report) {
  using Kind = fuzz::Outcome::Kind;
  const auto is_ours = [](const auto& each) {
    return each.second.outcome.kind == Kind::harness_error || each.second.outcome.kind == Kind::bad_original;
  };
  if (std::ranges::any_of(report.finds, is_ours)) return Verdict::harness_error;
  if (!report.finds.empty()) return Verdict::refuted;
  return report.outcomes.contains(std::string(name(Kind::passed))) ? Verdict::tested : Verdict::unsupported;
}

std::string tiler_words(const FuzzArguments& arguments) {
  std::string words = "fuzz";
  if (!arguments.pipeline.empty()) words += " --pipeline " + shell_word(arguments.pipeline);
  if (!arguments.pass_command.empty()) words += " --pass-command " + shell_word(arguments.pass_command);
  if (arguments.batch) words += " --batch";
  if (arguments.pass_timeout_seconds != FuzzArguments{}.pass_timeout_seconds)
    words += fmt::format(" --pass-timeout {}", arguments.pass_timeout_seconds);
  if (!arguments.machine.empty()) words += " --machine " + shell_word(arguments.machine);
  if (arguments.rounding == oracle::Rounding::relaxed) words += " --rounding=relaxed";
  return words;
}

std::string drawing_words(const FuzzArguments& arguments) {
  std::string words = tiler_words(arguments);
  if (!arguments.only.empty()) words += " --only " + shell_word(arguments.only);
  if (arguments.max_operations != FuzzArguments{}.max_operations)
    words += fmt::format(" --max-operations {}", arguments.max_operations);
  return words;
}

std::string fuzz_text(const fuzz::HuntReport& report, const FuzzSubject& subject) {
  const uint64_t known = report.keys.size() - report.finds.size();
  std::string text = fmt::format("{}: {}{} in {}, seed {}{}\n", name(verdict_of(report)), plural(report.finds.size(), "find"),
                                 known > 0 ? fmt::format(" and {} known", known) : "", plural(report.cases(), "case"),
                                 subject.arguments.seed, subject.is_stopped ? " (stopped)" : "");
  for (const auto& [outcome, count] : sorted(report.outcomes)) {
    text += fmt::format("  {:>10}  {}\n", grouped(count), outcome);
    const auto reasons = report.reasons.find(outcome);
    if (reasons == report.reasons.end()) continue;
    const auto list = sorted(reasons->second);
    for (size_t i = 0; i < std::min(list.size(), shown_reasons); ++i)
      text += fmt::format("  {:>10}    {}\n", grouped(list[i].second), list[i].first);
    if (list.size() > shown_reasons)
      text += fmt::format("  {:>10}    ({})\n", "", plural(list.size() - shown_reasons, "more reason"));
  }
  for (const auto& [key, find] : report.finds) text += find_text(key, find, report.keys.at(key), subject);
  if (known > 0) text += "\nknown\n";
  for (const auto& [key, count] : report.keys)
    if (!report.finds.contains(key)) text += fmt::format("  {:>10}  {}\n", grouped(count), key);
  return text;
}

std::string fuzz_record(const fuzz::HuntReport& report, const FuzzSubject& subject) {
  const FuzzArguments& arguments = subject.arguments;
  const Verdict verdict = verdict_of(report);
  Json record = record_head("fuzz", name(verdict), static_cast<ExitCode>(oracle::exit_code(verdict)));
  record["pipeline"] = arguments.pipeline.empty() ? Json() : Json(arguments.pipeline);
  record["pass_command"] = arguments.pass_command.empty() ? Json() : Json(arguments.pass_command);
  record["machine"] = arguments.machine.empty() ? Json() : Json(arguments.machine);
  record["seed"] = arguments.seed;
  record["stopped"] = subject.is_stopped;
  record["cases"] = report.cases();
  record["outcomes"] = report.outcomes;
  record["reasons"] = report.reasons;
  record["finds"] = Json::array();
  for (const auto& [key, count] : report.keys) {
    Json entry{{"key", key}, {"cases", count}};
    const auto find = report.finds.find(key);
    entry["known"] = find == report.finds.end();
    if (find != report.finds.end()) {
      entry["first"] = find->second.number;
      entry["outcome"] = name(find->second.outcome.kind);
      entry["why"] = find->second.outcome.why;
      if (!find->second.outcome.errors.empty()) entry["stderr"] = find->second.outcome.errors;
      entry["reduced"] = find->second.is_reduced;
      entry["operations"] = fuzz::size_of({{find->second.original.program}, {}}).operations;
      entry["file"] = subject.folder.path(key, find->second);
      entry["replay"] = replay_words(key, find->second, subject);
    }
    record["finds"].push_back(std::move(entry));
  }
  record["drawn"] = report.drawn.json();
  return record_text(record);
}

}  // namespace tileproof::tool
