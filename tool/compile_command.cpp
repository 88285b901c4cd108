#include "compiler/ir/text.h"
#include "tool/commands.h"
#include "tool/output_file.h"
#include "tool/program_input.h"
#include "tool/record.h"

#include <fmt/format.h>

namespace tileproof::tool {
namespace {

std::string compile_record(const CompileArguments& arguments, const ir::File& file, const std::string& text) {
  Json record = record_head("compile", "done", ExitCode::passes);
  record["file"] = arguments.file;
  record["pipeline"] = arguments.pipeline;
  record["output"] = arguments.output;
  record["programs"] = Json::array();
  for (const ir::Program& program : file.programs) record["programs"].push_back(program.name);
  if (arguments.output == "-") record["text"] = text;
  return record_text(record);
}

}  // namespace

Outcome compile_command(const CompileArguments& arguments, Console& console) {
  if (arguments.pipeline.find_first_not_of(" ,") != std::string::npos) {
    return std::unexpected(ir::Diagnostics{{"--pipeline",
                                            {},
                                            fmt::format("no pass or pipeline is called `{}`", arguments.pipeline),
                                            "leave --pipeline empty: this version has no passes"}});
  }
  std::expected<ir::File, ir::Diagnostics> file = load_file(arguments.file);
  if (!file) return std::unexpected(std::move(file.error()));
  if (!arguments.program.empty()) {
    const std::expected<NamedProgram, ir::Diagnostics> chosen = choose_program(*file, arguments.program);
    if (!chosen) return std::unexpected(chosen.error());
    file->programs = {chosen->program};
  }
  const std::string text = ir::print(*file);
  const bool to_standard_output = arguments.output == "-";
  if (!to_standard_output) {
    if (const std::optional<ir::Diagnostic> error = write_whole_file(arguments.output, text))
      return std::unexpected(ir::Diagnostics{*error});
  }
  if (arguments.format == Format::json) {
    console.print(compile_record(arguments, *file, text));
  } else if (to_standard_output) {
    console.print(text);
  }
  return ExitCode::passes;
}

}  // namespace tileproof::tool
