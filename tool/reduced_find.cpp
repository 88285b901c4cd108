#include "tool/reduced_find.h"

#include "compiler/ir/text.h"
#include "fuzz/hunt/command_tiler.h"
#include "fuzz/hunt/outcome.h"
#include "oracle/equivalence/report.h"
#include "tool/corpus_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace tileproof::tool {
namespace {

namespace fs = std::filesystem;
using oracle::Verdict;

std::unexpected<ir::Diagnostics> usage(std::string message, std::string mend) {
  return std::unexpected(ir::Diagnostics{{"tileproof reduce", {}, std::move(message), std::move(mend)}});
}

/// Of a find that `fuzz` has kept the original.
std::expected<NamedProgram, ir::Diagnostics> load_original(const std::string& path, const std::string& wanted) {
  const auto file = load_file(path);
  if (!file) return std::unexpected(file.error());
  if (!wanted.empty()) return choose_program(*file, wanted);
  return NamedProgram{path, file->programs.front()};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The expectation of a report; nullopt: a corpus cannot expect that.
std::optional<Expectation> expectation_of(const oracle::CheckReport& report) {
  if (report.verdict == Verdict::harness_error) return std::nullopt;
  Expectation expect{.verdict = report.verdict, .finding = {}, .tier = {}, .statement = {}, .buffer = {}};
  if (report.verdict != Verdict::refuted || report.findings.empty()) return expect;
  const oracle::Finding& decisive = report.findings.front();
  expect.finding = decisive.id;
  expect.statement = decisive.statement.empty() ? "-" : decisive.statement;
  expect.buffer = decisive.buffer.empty() ? "-" : decisive.buffer;
  return expect;
}

/// The machine as the header of the file names it: a machine file beside it.
std::string machine_beside(const std::string& machine, const std::string& output) {
  const bool is_path = machine.find_first_of("/.") != std::string::npos;
  if (!is_path || output == "-") return machine;
  const fs::path folder = fs::path(output).has_parent_path() ? fs::path(output).parent_path() : ".";
  std::error_code error;
  std::string path = fs::proximate(machine, folder, error).string();
  if (error) return machine;
  return path.find('/') == std::string::npos ? "./" + path : path;
}

/// Names every fault of the tiler by one process for each program, or for all.
fuzz::Judge command_judge(const ReduceArguments& arguments, const TimedOptions& options, const std::atomic<bool>& stop) {
  using std::chrono::milliseconds;
  const auto timeout = std::chrono::ceil<milliseconds>(std::chrono::duration<double>(arguments.pass_timeout_seconds));
  const fuzz::Tiler tiler = fuzz::command_tiler({arguments.pass_command, arguments.batch, timeout}, stop);
  return [tiler, &options](const fuzz::Subject& subject) -> fuzz::Judgement {
    fuzz::Outcome outcome = fuzz::try_tiler(tiler, subject.programs.front(), options());
    fuzz::Judgement judgement{.outcome = std::string(fuzz::name(outcome.kind)), .why = outcome.why, .pass = outcome.pass};
    if (!outcome.report) return judgement;
    judgement.tiled = std::move(outcome.made);
    judgement.report = std::move(outcome.report);
    return judgement;
  };
}

}  // namespace

std::expected<GivenFind, ir::Diagnostics> load_find(const ReduceArguments& arguments, const pipeline::Registry& passes) {
  const bool by_pipeline = !arguments.pipeline.empty(), by_command = !arguments.pass_command.empty();
  if (by_pipeline && by_command) return usage("two tilers are given", "give either --pipeline NAMES or --pass-command COMMAND");
  GivenFind given;
  NamedProgram for_machine;
  if (by_pipeline || by_command) {
    if (arguments.files.size() != 1) return usage("two programs and a tiler are given", "give the program that the tiler gets");
    if (by_pipeline) {
      const auto pipeline = pipeline::parse_pipeline(arguments.pipeline, passes, "--pipeline");
      if (!pipeline) return std::unexpected(pipeline.error());
    }
    auto original = load_original(arguments.files.front(), arguments.program);
    if (!original) return std::unexpected(std::move(original.error()));
    given.source = by_pipeline ? FindSource::pipeline : FindSource::command;
    given.subject = {.programs = {original->program}, .pipeline = arguments.pipeline};
    for_machine = std::move(*original);
  } else {
    auto pair = load_pair(arguments.files, arguments.program);
    if (!pair) return std::unexpected(std::move(pair.error()));
    given.subject = {.programs = {std::move(pair->original.program), pair->tiled.program}, .pipeline = {}};
    for_machine = std::move(pair->tiled);
  }
  auto machine = choose_machine(arguments.machine, for_machine);
  if (!machine) return std::unexpected(std::move(machine.error()));
  given.file = for_machine.file;
  given.machine = std::move(*machine);
  return given;
}

fuzz::Judge judge_of(FindSource source, const ReduceArguments& arguments, const pipeline::Registry& passes,
                     const TimedOptions& options, const std::atomic<bool>& stop) {
  switch (source) {
    case FindSource::pair: return [&](const fuzz::Subject& subject) { return fuzz::pair_judge(options())(subject); };
    case FindSource::pipeline:
      return [&](const fuzz::Subject& subject) { return fuzz::pipeline_judge(passes, options())(subject); };
    case FindSource::command: return command_judge(arguments, options, stop);
  }
  return {};
}

bool is_find(const fuzz::Judgement& judgement) {
  if (!judgement.report) return judgement.outcome != "stopped";
  const Verdict verdict = judgement.report->verdict;
  return verdict == Verdict::refuted || verdict == Verdict::unsupported || verdict == Verdict::harness_error;
}

std::string headline(const fuzz::Judgement& judgement) {
  std::string text = judgement.report        ? oracle::headline(*judgement.report)
                     : judgement.why.empty() ? judgement.outcome
                                             : fmt::format("{}: {}", judgement.outcome, first_line(judgement.why));
  if (!judgement.pass.empty() && is_find(judgement)) text += fmt::format(" after {}", judgement.pass);
  return text;
}

std::string expectation_text(const fuzz::Judgement& judgement) {
  const auto expect = judgement.report ? expectation_of(*judgement.report) : std::nullopt;
  return expect ? to_string(*expect) : headline(judgement);
}

std::string find_text(const GivenFind& given, const fuzz::Subject& subject, const fuzz::Judgement& judgement,
                      const ReduceArguments& arguments) {
  ir::File file{"", subject.programs};
  std::string text;
  if (given.source == FindSource::command) {
    text += fmt::format("# tiled by `{}`\n", first_line(arguments.pass_command));
    if (judgement.tiled) file.programs.push_back(*judgement.tiled);
  }
  if (given.source == FindSource::pipeline) text += fmt::format("# pipeline {}\n", subject.pipeline);
  if (given.machine.get() != nullptr) text += fmt::format("# machine {}\n", machine_beside(given.machine.name, arguments.output));
  const bool can_be_expected = judgement.report && expectation_of(*judgement.report);
  text += fmt::format("# {}{}\n", can_be_expected ? "expect " : "", expectation_text(judgement));
  if (file.programs.size() == 2 && file.programs[0].name == file.programs[1].name)
    file.programs[1].name += "_tiled";   // one name, one program
  return text + ir::print(file);
}

}  // namespace tileproof::tool
