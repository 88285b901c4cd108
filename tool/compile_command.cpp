#include "compiler/ir/text.h"
#include "compiler/pipeline/run_pipeline.h"
#include "tool/commands.h"
#include "tool/document.h"
#include "tool/output_file.h"
#include "tool/program_input.h"
#include "tool/record.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::tool {
namespace {

/// The programs of a file with what their passes made and said.
struct Compiled {
  ir::File file;
  std::vector<pipeline::Remark> remarks;
  std::vector<std::pair<std::string, ir::Program>> stages;   // those shown: the pass, and what it made
};

/// A pass that could not go on: how the command ends, and why.
struct Stopped {
  oracle::Verdict verdict;
  ir::Diagnostics diagnostics;
};

std::expected<void, Stopped> compile(const CompileArguments& arguments, const pipeline::Pipeline& pipeline,
                                     const machine::Machine* machine, ir::Program& program, Compiled& compiled) {
  for (const pipeline::Step& step : pipeline.steps) {
    std::expected<pipeline::Stage, pipeline::Failure> stage = run_step(program, step, machine);
    if (!stage) {
      pipeline::Failure failure = std::move(stage.error());
      const bool refused = failure.kind == pipeline::Failure::Kind::refused;
      for (ir::Diagnostic& error : failure.diagnostics) {
        if (refused) error.file = arguments.file;
        error.message = fmt::format("pass {}{}: {}", failure.pass, refused ? "" : " makes an ill-formed program", error.message);
      }
      return std::unexpected(
          Stopped{refused ? oracle::Verdict::unsupported : oracle::Verdict::harness_error, std::move(failure.diagnostics)});
    }
    program = std::move(stage->program);
    std::ranges::move(stage->remarks, std::back_inserter(compiled.remarks));
    if (arguments.stages.show(step.pass.name)) compiled.stages.emplace_back(step.pass.name, program);
  }
  return {};
}

std::string compile_record(const CompileArguments& arguments, const Compiled& compiled, const std::string& text) {
  Json record = record_head("compile", "done", ExitCode::passes);
  record["file"] = arguments.file;
  record["pipeline"] = arguments.pipeline;
  record["output"] = arguments.output;
  record["programs"] = Json::array();
  for (const ir::Program& program : compiled.file.programs) record["programs"].push_back(program.name);
  record["remarks"] = remarks_json(compiled.remarks);
  if (!compiled.stages.empty()) {
    record["stages"] = Json::array();
    for (const auto& [pass, program] : compiled.stages)
      record["stages"].push_back({{"pass", pass}, {"text", ir::print(program)}});
  }
  if (arguments.output == "-") record["text"] = text;
  return record_text(record);
}

/// The machine that each program is compiled for.
std::expected<std::vector<ChosenMachine>, ir::Diagnostics> machines_of(const CompileArguments& arguments, const ir::File& file) {
  std::vector<ChosenMachine> machines;
  for (const ir::Program& program : file.programs) {
    std::expected<ChosenMachine, ir::Diagnostics> machine = choose_machine(arguments.machine, {arguments.file, program});
    if (!machine) return std::unexpected(std::move(machine.error()));
    machines.push_back(std::move(*machine));
  }
  return machines;
}

}  // namespace

Outcome compile_command(const CompileArguments& arguments, const pipeline::Registry& passes, Console& console) {
  const auto pipeline = chosen_pipeline(arguments.pipeline, passes, arguments.stages.pass);
  if (!pipeline) return std::unexpected(pipeline.error());
  std::expected<ir::File, ir::Diagnostics> file = load_file(arguments.file);
  if (!file) return std::unexpected(std::move(file.error()));
  if (!arguments.program.empty()) {
    const std::expected<NamedProgram, ir::Diagnostics> chosen = choose_program(*file, arguments.program);
    if (!chosen) return std::unexpected(chosen.error());
    file->programs = {chosen->program};
  }
  const auto machines = machines_of(arguments, *file);
  if (!machines) return std::unexpected(machines.error());

  Compiled compiled{.file = std::move(*file), .remarks = {}, .stages = {}};
  for (size_t i = 0; i < compiled.file.programs.size(); ++i) {
    const auto done = compile(arguments, *pipeline, (*machines)[i].get(), compiled.file.programs[i], compiled);
    if (!done) {
      Console::complain(done.error().diagnostics);
      console.print(
          stopped_document(arguments.format, "compile", done.error().verdict, to_string(done.error().diagnostics.front())));
      return static_cast<ExitCode>(oracle::exit_code(done.error().verdict));
    }
  }
  const std::string text = ir::print(compiled.file);
  const bool to_standard_output = arguments.output == "-";
  if (!to_standard_output) {
    if (const std::optional<ir::Diagnostic> error = write_whole_file(arguments.output, text))
      return std::unexpected(ir::Diagnostics{*error});
  }
  if (arguments.format == Format::json) {
    console.print(compile_record(arguments, compiled, text));
    return ExitCode::passes;
  }
  for (const auto& [pass, program] : compiled.stages) Console::complain(stage_text(program, pass));
  for (const pipeline::Remark& remark : compiled.remarks) {
    if (remark.kind == pipeline::RemarkKind::declined) Console::complain(remark_text(remark, arguments.file) + "\n");
  }
  if (to_standard_output) console.print(text);
  return ExitCode::passes;
}

}  // namespace tileproof::tool
