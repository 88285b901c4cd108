#include "compiler/ir/text.h"
#include "fuzz/reduce/same_finding.h"
#include "oracle/equivalence/report.h"
#include "tool/commands.h"
#include "tool/corpus_file.h"
#include "tool/output_file.h"
#include "tool/program_input.h"
#include "tool/progress.h"
#include "tool/record.h"

#include <fmt/format.h>

namespace tileproof::tool {
namespace {

using oracle::Verdict;
using Seconds = std::chrono::duration<double>;

ir::Diagnostics nothing_to_reduce(const NamedProgram& tiled, const oracle::CheckReport& report) {
  return {{tiled.file,
           {},
           fmt::format("the check says {}, which is nothing to reduce", oracle::headline(report)),
           "give a pair that is refuted or unsupported"}};
}

/// As `# expect` says it.
Expectation expectation_of(const oracle::CheckReport& report) {
  Expectation expect{.verdict = report.verdict, .finding = {}, .tier = {}, .statement = {}, .buffer = {}};
  if (report.verdict != Verdict::refuted || report.findings.empty()) return expect;
  const oracle::Finding& decisive = report.findings.front();
  expect.finding = decisive.id;
  expect.statement = decisive.statement.empty() ? "-" : decisive.statement;
  expect.buffer = decisive.buffer.empty() ? "-" : decisive.buffer;
  return expect;
}

/// A file of both programs with the header of the corpus.
std::string corpus_text(const fuzz::Subject& subject, const oracle::CheckReport& report, const ChosenMachine& machine) {
  std::string text;
  if (machine.get() != nullptr) text += fmt::format("# machine {}\n", machine.name);
  text += fmt::format("# expect {}\n", to_string(expectation_of(report)));
  ir::File file{"", subject.programs};
  if (file.programs[0].name == file.programs[1].name) file.programs[1].name += "_tiled";   // one name, one program
  return text + ir::print(file);
}

Json json(const fuzz::Size& size) { return {{"operations", size.operations}, {"points", size.points}, {"bytes", size.bytes}}; }

std::string summary(const fuzz::Size& before, const fuzz::Size& after, const fuzz::Reduction& reduction,
                    const oracle::CheckReport& report, double seconds) {
  const auto line = [](std::string_view word, const fuzz::Size& size) {
    return fmt::format("{} {} operations, {} points, {} bytes\n", word, size.operations, oracle::grouped(size.points),
                       oracle::grouped(size.bytes));
  };
  return line("before:", before) + line("after: ", after) +
         fmt::format("still {}; {} after {} checks in {:.1f} s\n", oracle::headline(report), description(reduction.end),
                     reduction.tests, seconds);
}

}  // namespace

Outcome reduce_command(const ReduceArguments& arguments, Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  const std::expected<ProgramPair, ir::Diagnostics> programs = load_pair(arguments.files, arguments.program);
  if (!programs) return std::unexpected(programs.error());
  const std::expected<ChosenMachine, ir::Diagnostics> machine = choose_machine(arguments.machine, programs->tiled);
  if (!machine) return std::unexpected(machine.error());

  Progress progress;
  oracle::CheckOptions options = arguments.settings.options();
  options.machine = machine->get();
  options.threads = 1;   // a step is too short to be divided
  progress.show("checking the pair as given");
  const auto report = arguments.settings.check(*programs, options, begin);
  if (!report) {
    ir::Diagnostics errors = report.error();
    for (ir::Diagnostic& error : errors)
      if (error.file.empty()) error.file = programs->tiled.file;
    return std::unexpected(std::move(errors));
  }
  if (report->verdict != Verdict::refuted && report->verdict != Verdict::unsupported && report->verdict != Verdict::harness_error)
    return std::unexpected(nothing_to_reduce(programs->tiled, *report));

  const fuzz::Subject given{.programs = {programs->original.program, programs->tiled.program}, .pipeline = {}};
  const fuzz::Size before = fuzz::size_of(given);
  const fuzz::FindingTrait trait = fuzz::trait_of(*report, programs->tiled.program);
  fuzz::ReduceLimits limits;
  limits.tests = arguments.tests;
  if (arguments.settings.timeout_seconds > 0) {
    const Seconds left = Seconds(arguments.settings.timeout_seconds) - (std::chrono::steady_clock::now() - begin);
    limits.time = std::max(std::chrono::milliseconds(1), std::chrono::floor<std::chrono::milliseconds>(left));
  }
  limits.may_stand_for = fuzz::same_meaning(trait, options);
  limits.progress = [&](const fuzz::ReduceProgress& at) {
    progress.show(fmt::format("{}: {} checks, {} of {} operations, {} of {} bytes", at.step, at.tests, at.size.operations,
                              before.operations, at.size.bytes, before.bytes));
  };
  const fuzz::Reduction reduction = fuzz::reduce(given, fuzz::same_finding(trait, options), limits);
  const auto last = oracle::check(reduction.subject.programs[0], reduction.subject.programs[1], options);
  progress.clear();
  if (!last) return std::unexpected(last.error());

  const double seconds = Seconds(std::chrono::steady_clock::now() - begin).count();
  const fuzz::Size after = fuzz::size_of(reduction.subject);
  const std::string text = corpus_text(reduction.subject, *last, *machine);
  if (arguments.output != "-") {
    if (const std::optional<ir::Diagnostic> error = write_whole_file(arguments.output, text))
      return std::unexpected(ir::Diagnostics{*error});
  }
  if (arguments.format == Format::json) {
    Json record = record_head("reduce", "done", ExitCode::passes);
    record["expect"] = to_string(expectation_of(*last));
    record["end"] = description(reduction.end);
    record["checks"] = reduction.tests;
    record["before"] = json(before);
    record["after"] = json(after);
    record["output"] = arguments.output;
    if (arguments.output == "-") record["text"] = text;
    console.print(record_text(record));
  } else if (arguments.output == "-") {
    console.print(text);
    Console::complain(summary(before, after, reduction, *last, seconds));
  } else {
    console.print(summary(before, after, reduction, *last, seconds));
  }
  return ExitCode::passes;
}

}  // namespace tileproof::tool
