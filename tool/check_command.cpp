#include "oracle/equivalence/report.h"
#include "oracle/explain/explain.h"
#include "tool/commands.h"
#include "tool/document.h"
#include "tool/program_input.h"
#include "tool/progress.h"
#include "tool/shell_word.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tileproof::tool {
namespace {

std::string replay_words(const CheckArguments& arguments) {
  std::vector<std::string> words{"check"};
  for (const std::string& file : arguments.files) words.push_back(shell_word(file));
  if (!arguments.program.empty()) words.push_back("--program " + shell_word(arguments.program));
  if (!arguments.machine.empty()) words.push_back("--machine " + shell_word(arguments.machine));
  const std::vector<std::string> settings = arguments.settings.words();
  words.insert(words.end(), settings.begin(), settings.end());
  return fmt::format("{}", fmt::join(words, " "));
}

std::string document(Format format, const oracle::CheckReport& report, oracle::CheckSubject subject,
                     const std::optional<oracle::Pictures>& explanation, ExitCode exit) {
  if (format == Format::text) return text_report(report, subject) + (explanation ? to_text(*explanation) : "");
  if (format == Format::json) return json_record(report, subject, explanation);
  subject.executable = "tileproof";
  const Judged judged{.name = fmt::format("{} {}", subject.original_file, subject.tiled_file),
                      .subject = subject,
                      .report = report,
                      .as_expected = exit == ExitCode::passes,
                      .explanation = explanation};
  return ci_document(format, "check", exit, {&judged, 1});
}

}  // namespace

Outcome check_command(const CheckArguments& arguments, Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  const std::expected<ProgramPair, ir::Diagnostics> programs = load_pair(arguments.files, arguments.program);
  if (!programs) return std::unexpected(programs.error());
  const std::expected<ChosenMachine, ir::Diagnostics> machine = choose_machine(arguments.machine, programs->tiled);
  if (!machine) return std::unexpected(machine.error());

  Progress progress;
  oracle::CheckOptions options = arguments.settings.options();
  options.machine = machine->get();
  options.progress = [&](const std::string& doing) { progress.show(doing); };
  std::expected<oracle::CheckReport, ir::Diagnostics> report = arguments.settings.check(*programs, options, begin);
  std::optional<oracle::Pictures> explanation;
  if (report && arguments.explain) {
    progress.show("drawing");
    explanation =
        explain(programs->original.program, programs->tiled.program, options, *report, arguments.settings.deadline(begin));
  }
  progress.clear();
  if (!report) {
    for (ir::Diagnostic& error : report.error()) {
      if (error.file.empty()) error.file = programs->tiled.file;
    }
    return std::unexpected(std::move(report.error()));
  }

  const oracle::CheckSubject subject{.original_file = programs->original.file,
                                     .original_program = programs->original.program.name,
                                     .tiled_file = programs->tiled.file,
                                     .tiled_program = programs->tiled.program.name,
                                     .machine = machine->name,
                                     .rounding = arguments.settings.rounding,
                                     .seed = arguments.settings.seed,
                                     .executable = shell_word(arguments.executable),
                                     .command = replay_words(arguments)};
  const auto exit = static_cast<ExitCode>(oracle::exit_code(report->verdict));
  console.print(document(arguments.format, *report, subject, explanation, exit));
  return exit;
}

}  // namespace tileproof::tool
