#include "fuzz/plant/plant_command.h"

#include "compiler/ir/suggestion.h"
#include "fuzz/plant/catalogue.h"
#include "fuzz/plant/score.h"
#include "tool/console.h"
#include "tool/document.h"
#include "tool/help_text.h"
#include "tool/option.h"
#include "tool/progress.h"
#include "tool/record.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace tileproof::plant {
namespace {

using tool::Console;
using tool::ExitCode;
using tool::Format;
using tool::Json;

struct Arguments {
  std::vector<std::string> names;   ///< empty: all
  bool list = false;
  bool show = false;
  int seeds = 5;
  double seconds = 10;
  uint64_t cases = HuntLimits{}.cases;
  uint64_t programs = ScoreOptions{}.programs;
  int jobs = 0;
  Format format = Format::text;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.footer(std::string(tool::help::plant.substr(1)) + std::string(tool::help::exit_codes));
  app.add_option("NAMES", arguments.names, "Bugs (default: all)")->type_name("");
  app.add_flag("--list", arguments.list, "Say what the bugs are, and plant none");
  app.add_flag("--show", arguments.show, "Print the smallest program that showed each bug, and what was made of it");
  tool::add_integer(app, "--seeds", arguments.seeds, 1, 1000, "Hunts for each bug (default 5)");
  tool::add_seconds(app, "--seconds", arguments.seconds, "Give up a hunt after so many seconds of a processor (default 10)");
  tool::add_count(app, "--cases", arguments.cases, 1000, "... or after so many programs (default 20K)");
  tool::add_count(app, "--programs", arguments.programs, 1000, "Programs for the right tiler (default 20K)");
  tool::add_integer(app, "--jobs", arguments.jobs, 1, 1024, "Threads (default: one for each processor)");
  tool::add_choice<Format>(app, "--format", arguments.format, {{"text", Format::text}, {"json", Format::json}},
                           "What to print: text, or one JSON record (docs/record.md)");
}

std::vector<const PlantedBug*> named(const std::vector<std::string>& names) {
  std::vector<const PlantedBug*> bugs;
  std::vector<std::string_view> all;
  for (const PlantedBug& bug : catalogue()) {
    all.push_back(bug.name);
    if (names.empty() || std::ranges::find(names, bug.name) != names.end()) bugs.push_back(&bug);
  }
  for (const std::string& name : names)
    if (std::ranges::find(all, name) == all.end())
      throw tool::WrongUsage(fmt::format("no planted bug is called {}", ir::quoted(name)),
                             ir::suggestion(name, all, "`tileproof plant --list` names them all"));
  return bugs;
}

Json bug_record(const PlantedBug& bug) { return {{"name", bug.name}, {"what", bug.what}, {"source", bug.source}}; }

Json spread(double median, double high) { return {{"median", median}, {"percentile_90", high}}; }

Json row_record(const Row& row) {
  Json record = bug_record(*row.bug);
  uint64_t touched = 0, cases = 0;
  for (const Hunt& hunt : row.hunts) touched += hunt.touched, cases += hunt.cases;
  record["found"] = row.found();
  record["cases"] = spread(row.cases(50), row.cases(90));
  record["seconds"] = spread(row.seconds(50), row.seconds(90));
  record["tried"] = cases;
  record["touched"] = touched;
  record["findings"] = row.findings();
  record["cheapest"] = row.smallest() == nullptr ? Json(nullptr) : Json(name(row.cheapest()));
  return record;
}

ExitCode exit_of(const Score& score) {
  if (score.harness_errors() > 0) return ExitCode::harness_error;
  return score.found() == score.rows.size() && score.false_alarms() == 0 ? ExitCode::passes : ExitCode::refuted;
}

std::string score_record(const Score& score) {
  const ExitCode exit = exit_of(score);
  Json record = tool::record_head("plant", exit == ExitCode::passes ? "passes" : "does-not-pass", exit);
  record["planted"] = score.rows.size();
  record["found"] = score.found();
  record["programs"] = score.right.programs;
  record["false_alarms"] = score.false_alarms();
  record["unsupported"] = score.unsupported();
  record["harness_errors"] = score.harness_errors();
  record["median_seconds"] = score.median_seconds();
  record["reasons"] = {{"false_alarms", score.right.false_alarms}, {"unsupported", score.right.unsupported}};
  record["bugs"] = Json::array();
  for (const Row& row : score.rows) record["bugs"].push_back(row_record(row));
  return tool::record_text(record);
}

std::string list_text(const std::vector<const PlantedBug*>& bugs) {
  std::string text;
  for (const PlantedBug* bug : bugs)
    text += fmt::format("{}\n  {}\n  models {}: {}\n", bug->name, bug->what, bug->source, source_named(bug->source)->about);
  return text;
}

std::string list_record(const std::vector<const PlantedBug*>& bugs) {
  Json record = tool::record_head("plant", "done", ExitCode::passes);
  record["planted"] = bugs.size();
  record["bugs"] = Json::array();
  for (const PlantedBug* bug : bugs) record["bugs"].push_back(bug_record(*bug));
  return tool::record_text(record);
}

std::string shown(const Score& score) {
  std::string text;
  for (const Row& row : score.rows)
    if (const Find* find = row.smallest())
      text += fmt::format("\n# {}: {}, {}, on {}\n{}\n{}", row.bug->name, row.bug->what, find->finding, find->machine,
                          find->original, find->tiled);
  return text;
}

ExitCode execute(const Arguments& arguments, Console& console) {
  const std::vector<const PlantedBug*> bugs = named(arguments.names);
  const bool json = arguments.format == Format::json;
  if (arguments.list) {
    console.print(json ? list_record(bugs) : list_text(bugs));
    return ExitCode::passes;
  }
  tool::Progress progress;
  ScoreOptions options;
  options.seeds = static_cast<uint64_t>(arguments.seeds);
  options.limits = {arguments.cases, arguments.seconds};
  options.programs = arguments.programs;
  options.jobs = arguments.jobs;
  options.progress = [&](const std::string& doing) { progress.show(doing); };
  const Score result = score(bugs, options);
  progress.clear();
  console.print(json ? score_record(result) : print(result) + (arguments.show ? shown(result) : ""));
  return exit_of(result);
}

}  // namespace

int run_plant(const std::vector<std::string>& words) {
  Arguments arguments;
  Console console;
  CLI::App app{"Plant bugs, and say which are found and how fast", "tileproof plant"};
  declare(app, arguments);
  const bool json = std::ranges::find(words, "json") != words.end() || std::ranges::find(words, "--format=json") != words.end();
  const auto refuse = [&](const std::string& what, const std::string& mend) {
    const ir::Diagnostics errors{{"tileproof plant", {}, what, mend}};
    Console::complain(errors);
    console.print(tool::bad_input_document(json ? Format::json : Format::text, "plant", errors));
    return static_cast<int>(ExitCode::bad_input);
  };
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the order that CLI11 takes them in
    return static_cast<int>(execute(arguments, console));
  } catch (const CLI::CallForHelp&) {
    console.print(app.help());
    return static_cast<int>(ExitCode::passes);
  } catch (const CLI::ParseError& error) {
    std::string line = error.what();
    std::ranges::replace(line, '\n', ' ');
    return refuse(line, "`tileproof plant --help` says what it takes");
  } catch (const tool::WrongUsage& wrong) {
    return refuse(wrong.what(), wrong.mend);
  } catch (const tool::OutputError& error) {
    Console::complain(fmt::format("tileproof plant: error: {}\n", error.what()));
    return static_cast<int>(ExitCode::bad_input);
  } catch (const std::exception& error) {
    Console::complain(fmt::format("harness-error: {}\n", error.what()));
    console.print(
        tool::stopped_document(json ? Format::json : Format::text, "plant", oracle::Verdict::harness_error, error.what()));
    return static_cast<int>(ExitCode::harness_error);
  }
}

}  // namespace tileproof::plant
