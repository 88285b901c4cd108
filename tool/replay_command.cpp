#include "compiler/ir/suggestion.h"
#include "oracle/equivalence/report.h"
#include "oracle/pipeline/verify_pipeline.h"
#include "tool/commands.h"
#include "tool/corpus_file.h"
#include "tool/document.h"
#include "tool/in_order.h"
#include "tool/progress.h"
#include "tool/record.h"
#include "tool/shape.h"
#include "tool/shell_word.h"
#include "tool/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>

namespace tileproof::tool {
namespace {

constexpr size_t shape_width = 34;

/// A file to replay, or what is wrong with it.
struct Entry {
  std::string file;
  std::expected<CorpusCase, ir::Diagnostics> loaded;
};

struct Result {
  oracle::CheckReport report;
  ir::Diagnostics errors;        ///< not empty: the file cannot be checked
  bool as_expected = false;
  double seconds = 0;
};

oracle::CheckReport stopped(oracle::Verdict verdict, std::string reason) {
  oracle::CheckReport report;
  report.verdict = verdict;
  report.reason = std::move(reason);
  return report;
}

using Checked = std::expected<oracle::CheckReport, ir::Diagnostics>;

/// What the passes that the header names make of the program, checked after each of them.
Checked verified(const CorpusCase& one, const pipeline::Registry& passes, const CheckSettings& settings,
                 oracle::CheckOptions options) {
  const auto pipeline = pipeline::parse_pipeline(one.header.pipeline, passes);
  if (!pipeline) {
    ir::Diagnostics errors = pipeline.error();
    for (ir::Diagnostic& error : errors) {
      error.file = one.file;
      const ir::Location begins = one.header.pipeline_begins;
      error.location = {begins.line, begins.column + (error.location.column > 0 ? error.location.column - 1 : 0)};
    }
    return std::unexpected(std::move(errors));
  }
  options.timeout = settings.timeout();
  return verify_pipeline(one.programs.original.program, *pipeline, options).report;
}

/// The verdict on one file. Never throws: a file that breaks the oracle must not end the others.
Result replay(const Entry& entry, const pipeline::Registry& passes, const CheckSettings& settings, Progress& progress) {
  if (!entry.loaded) return {.report = {}, .errors = entry.loaded.error()};
  const CorpusCase& one = *entry.loaded;
  const auto begin = std::chrono::steady_clock::now();
  oracle::CheckOptions options = settings.options();
  options.machine = one.machine.get();
  options.progress = [&](const std::string& doing) { progress.show(fmt::format("{}: {}", entry.file, doing)); };
  Result result;
  try {
    progress.show(fmt::format("{}: checking", entry.file));
    Checked report =
        one.header.pipeline.empty() ? settings.check(one.programs, options, begin) : verified(one, passes, settings, options);
    if (report) {
      result.report = std::move(*report);
      result.as_expected = one.expect.met_by(result.report);
    } else {
      result.errors = std::move(report.error());
      for (ir::Diagnostic& error : result.errors) {
        if (error.file.empty()) error.file = entry.file;
      }
    }
  } catch (const std::bad_alloc&) {
    result.report = stopped(oracle::Verdict::unsupported, "out of memory");
  } catch (const std::exception& error) {
    result.report = stopped(oracle::Verdict::harness_error, error.what());
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

/// The path without what all corpus files share: "tiled/penguin/matmul".
std::string short_name(const std::string& path) {
  std::string name = std::filesystem::path(path).replace_extension().string();
  constexpr std::string_view corpus = "corpus/";
  const size_t at = name.rfind(corpus);
  return at == std::string::npos ? name : name.substr(at + corpus.size());
}

std::string shape_of(const Entry& entry) {
  return entry.loaded ? shape(entry.loaded->programs.original.program, shape_width) : "";
}

std::string machine_of(const Entry& entry) {
  return entry.loaded && !entry.loaded->machine.name.empty() ? entry.loaded->machine.name : "-";
}

std::vector<Column> columns_for(const std::vector<Entry>& entries) {
  std::vector<Column> columns{{"name", 4},          {"shape", 5},         {"machine", 7}, {"verdict", 28},
                              {"points", 14, true}, {"seconds", 8, true}, {"", 0}};
  for (const Entry& entry : entries) {
    columns[0].width = std::max(columns[0].width, short_name(entry.file).size());
    columns[1].width = std::max(columns[1].width, shape_of(entry).size());
    columns[2].width = std::max(columns[2].width, machine_of(entry).size());
  }
  return columns;
}

/// Cut where a reason is longer than the column: `explanation` has all of it.
std::string verdict_cell(const Column& column, const oracle::CheckReport& report) {
  return ir::shortened(headline(report), column.width);
}

std::string row(const std::vector<Column>& columns, const Entry& entry, const Result& result) {
  const bool checked = result.errors.empty();
  return table_row(columns, {short_name(entry.file), shape_of(entry), machine_of(entry),
                             checked ? verdict_cell(columns[3], result.report) : "bad input",
                             checked ? oracle::grouped(result.report.points) : "-", fmt::format("{:.2f}", result.seconds),
                             result.as_expected ? "" : "NOT AS EXPECTED"});
}

/// The command that shows by itself what this replay showed.
std::string single_command(const CorpusCase& one, const CheckSettings& settings) {
  const NamedProgram& original = one.programs.original;
  const NamedProgram& tiled = one.programs.tiled;
  std::vector<std::string> words{"check", shell_word(original.file)};
  if (!one.header.pipeline.empty()) words = {"verify", shell_word(original.file), "--pipeline", shell_word(one.header.pipeline)};
  if (tiled.file != original.file) words.push_back(shell_word(tiled.file));
  if (!one.machine.name.empty()) words.push_back("--machine " + shell_word(one.machine.name));
  const std::vector<std::string> more = settings.words();
  words.insert(words.end(), more.begin(), more.end());
  return fmt::format("{}", fmt::join(words, " "));
}

std::string got(const oracle::CheckReport& report) {
  if (report.findings.empty()) return oracle::headline(report);
  const oracle::Finding& decisive = report.findings.front();
  return fmt::format("{}, statement {}, buffer {}", oracle::headline(report),
                     decisive.statement.empty() ? "-" : decisive.statement, decisive.buffer.empty() ? "-" : decisive.buffer);
}

/// What a person needs to know about a file that is not as expected.
std::string explanation(const ReplayArguments& arguments, const Entry& entry, const Result& result) {
  std::string text = fmt::format("\n{}\n", entry.file);
  for (const ir::Diagnostic& error : result.errors) text += fmt::format("  {}\n", to_string(error));
  if (!entry.loaded) return text;
  text += fmt::format("  expected  {}\n", to_string(entry.loaded->expect));
  if (result.errors.empty()) text += fmt::format("  got       {}\n", got(result.report));
  return text +
         fmt::format("  see       {} {}\n", shell_word(arguments.executable), single_command(*entry.loaded, arguments.settings));
}

Json file_record(const ReplayArguments& arguments, const Entry& entry, const Result& result) {
  Json record{{"file", entry.file}};
  if (entry.loaded) {
    record["original"] = entry.loaded->programs.original.file;
    record["machine"] = entry.loaded->machine.name.empty() ? Json(nullptr) : Json(entry.loaded->machine.name);
    record["expected"] = to_string(entry.loaded->expect);
  }
  if (result.errors.empty()) {
    const oracle::CheckReport& report = result.report;
    record["verdict"] = name(report.verdict);
    record["tier"] = name(report.tier);
    record["reason"] = report.reason;
    record["finding"] = report.findings.empty() ? Json(nullptr) : Json(oracle::code(report.findings.front().id));
    record["points"] = report.points;
    record["replay"] = "tileproof " + single_command(*entry.loaded, arguments.settings);
  } else {
    record["verdict"] = "bad-input";
    record["errors"] = diagnostics_json(result.errors);
  }
  record["as_expected"] = result.as_expected;
  return record;
}

Judged judged(const ReplayArguments& arguments, const Entry& entry, const Result& result) {
  Judged one{.name = short_name(entry.file), .errors = result.errors, .as_expected = result.as_expected};
  one.subject.tiled_file = entry.file;
  if (result.errors.empty()) one.report = result.report;
  if (!entry.loaded) return one;
  const ProgramPair& programs = entry.loaded->programs;
  one.expected = to_string(entry.loaded->expect);
  one.subject = {.original_file = programs.original.file,
                 .original_program = programs.original.program.name,
                 .tiled_file = programs.tiled.file,
                 .tiled_program = programs.tiled.program.name,
                 .machine = entry.loaded->machine.name,
                 .rounding = arguments.settings.rounding,
                 .seed = arguments.settings.seed,
                 .command = single_command(*entry.loaded, arguments.settings)};
  return one;
}

/// How many were replayed, how many of them as expected, and what was left out.
struct Tally {
  uint64_t as_expected = 0, replayed = 0, originals = 0;
  uint64_t bad = 0;   ///< files that could not be checked
  bool all() const { return as_expected == replayed; }
  ExitCode exit() const { return bad > 0 ? ExitCode::bad_input : all() ? ExitCode::passes : ExitCode::refuted; }
};

std::string summary(const Tally& tally, double seconds) {
  return fmt::format("{} of {} as expected in {:.1f} s; {} {} not replayed by {}\n", tally.as_expected, tally.replayed, seconds,
                     tally.originals, tally.originals == 1 ? "original" : "originals",
                     tally.originals == 1 ? "itself" : "themselves");
}

}  // namespace

Outcome replay_command(const ReplayArguments& arguments, const pipeline::Registry& passes, Console& console) {
  const std::expected<std::vector<std::string>, ir::Diagnostics> files = corpus_files(arguments.paths);
  if (!files) return std::unexpected(files.error());
  Tally tally;
  std::vector<Entry> entries;
  for (const std::string& file : *files) {
    if (is_original(file)) {
      ++tally.originals;
    } else {
      entries.push_back({file, load_corpus_case(file)});
    }
  }
  if (entries.empty()) {
    return std::unexpected(ir::Diagnostics{{arguments.paths.front(),
                                            {},
                                            "holds no corpus file to replay",
                                            "give a folder with `.tile` files such as corpus/tiled"}});
  }

  const bool text = arguments.format == Format::text, json = arguments.format == Format::json;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Column> columns = columns_for(entries);
  if (text) console.print(table_head(columns));
  Json records = Json::array();
  std::vector<Judged> cases;
  std::string explanations;
  Progress progress;
  const auto work = [&](size_t i) { return replay(entries[i], passes, arguments.settings, progress); };
  in_order<Result>(entries.size(), arguments.jobs, work, [&](size_t i, const Result& result) {
    ++tally.replayed;
    if (result.as_expected) ++tally.as_expected;
    if (!result.errors.empty()) ++tally.bad;
    if (text) {
      progress.clear();
      console.print(row(columns, entries[i], result));
      if (!result.as_expected) explanations += explanation(arguments, entries[i], result);
    } else if (json) {
      records.push_back(file_record(arguments, entries[i], result));
    } else {
      cases.push_back(judged(arguments, entries[i], result));
    }
    return !console.closed();
  });
  progress.clear();
  if (console.closed()) return ExitCode::undecided;  // nobody listens any more: not all was replayed

  const ExitCode exit = tally.exit();
  if (text) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    console.print(explanations + "\n" + summary(tally, seconds));
  } else if (!json) {
    console.print(ci_document(arguments.format, "replay", exit, cases));
  } else {
    Json record = record_head("replay", tally.all() ? "as-expected" : "not-as-expected", exit);
    record["replayed"] = tally.replayed;
    record["as_expected"] = tally.as_expected;
    record["originals"] = tally.originals;
    record["files"] = std::move(records);
    console.print(record_text(record));
  }
  return exit;
}

}  // namespace tileproof::tool
