#include "tool/program_input.h"

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tileproof::tool {
namespace {

std::unexpected<ir::Diagnostics> fault(std::string file, ir::Location location, std::string message, std::string mend) {
  return std::unexpected(ir::Diagnostics{{std::move(file), location, std::move(message), std::move(mend)}});
}

/// The names in a file, for a mend: "a, b".
std::string program_names(const ir::File& file) {
  std::vector<std::string_view> names;
  for (const ir::Program& program : file.programs) names.push_back(program.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The two programs of one file.
std::expected<ProgramPair, ir::Diagnostics> load_both(const std::string& path, const std::string& wanted) {
  if (!wanted.empty())
    return fault("--program", {}, "one file holds both programs, so there is none to choose",
                 "leave --program out, or give two files");
  const std::expected<ir::File, ir::Diagnostics> file = load_file(path);
  if (!file) return std::unexpected(file.error());
  const std::vector<ir::Program>& programs = file->programs;
  if (programs.size() == 1) {
    return fault(path, {}, "one program where two are wanted",
                 "give two files, `check BEFORE AFTER`, or one file of two programs, the original first");
  }
  if (programs.size() > 2) {
    return fault(path, programs[2].location, fmt::format("{} programs where two are wanted", programs.size()),
                 "put the others into files of their own");
  }
  return ProgramPair{{path, programs[0]}, {path, programs[1]}};
}

}  // namespace

std::expected<ir::File, ir::Diagnostics> load_file(const std::string& path) {
  const std::expected<std::string, ir::Diagnostic> text = ir::read_text(path);
  if (!text) return std::unexpected(ir::Diagnostics{text.error()});
  std::expected<ir::File, ir::Diagnostics> file = ir::parse(*text, path);
  if (!file) return file;
  if (file->programs.empty()) return fault(path, {}, "no program in this file", "write `tile 1` and then `program NAME { ... }`");
  if (ir::Diagnostics errors = ir::verify(*file); !errors.empty()) return std::unexpected(std::move(errors));
  return file;
}

std::expected<NamedProgram, ir::Diagnostics> choose_program(const ir::File& file, const std::string& wanted) {
  if (wanted.empty()) {
    if (file.programs.size() == 1) return NamedProgram{file.name, file.programs.front()};
    return fault(file.name, file.programs[1].location, fmt::format("{} programs where one is wanted", file.programs.size()),
                 fmt::format("choose one with --program: {}", program_names(file)));
  }
  const auto found = std::ranges::find(file.programs, wanted, &ir::Program::name);
  if (found == file.programs.end()) {
    return fault(file.name, {}, fmt::format("no program is called `{}`", wanted),
                 fmt::format("give --program one of: {}", program_names(file)));
  }
  return NamedProgram{file.name, *found};
}

std::expected<NamedProgram, ir::Diagnostics> load_program(const std::string& path, const std::string& wanted) {
  const std::expected<ir::File, ir::Diagnostics> file = load_file(path);
  if (!file) return std::unexpected(file.error());
  return choose_program(*file, wanted);
}

std::expected<ProgramPair, ir::Diagnostics> load_pair(const std::vector<std::string>& paths, const std::string& wanted) {
  if (paths.size() == 1) return load_both(paths.front(), wanted);
  if (paths[0] == "-" && paths[1] == "-") {
    return fault("-", {}, "standard input cannot be both programs", "give one of them as a file, or both in one: `check -`");
  }
  const std::expected<NamedProgram, ir::Diagnostics> first = load_program(paths[0], wanted);
  const std::expected<NamedProgram, ir::Diagnostics> second = load_program(paths[1], wanted);
  if (!first || !second) {  // all that is wrong with either
    ir::Diagnostics errors;
    if (!first) errors = first.error();
    if (!second) errors.insert(errors.end(), second.error().begin(), second.error().end());
    return std::unexpected(std::move(errors));
  }
  return ProgramPair{*first, *second};
}

std::expected<ChosenMachine, ir::Diagnostics> choose_machine(const std::string& requested, const NamedProgram& program) {
  const std::string name = requested.empty() ? program.program.machine.value_or("") : requested;
  if (name.empty() || name == "none") return ChosenMachine{};
  std::expected<machine::Machine, ir::Diagnostics> machine = machine::find_machine(name);
  if (!machine) {
    ir::Diagnostics errors = std::move(machine.error());
    const std::string machines = fmt::format("{}", fmt::join(machine::builtin_machines(), ", "));
    for (ir::Diagnostic& error : errors) {
      if (error.file == name && error.location == ir::Location{} && error.mend.find(machines) == std::string::npos)
        error.mend += fmt::format("{} the built-in machines are {}; a file of your own ends in .machine",
                                  error.mend.ends_with('?') ? "" : ";", machines);
    }
    if (requested.empty()) {  // the program names it: that is the place to mend
      for (ir::Diagnostic& error : errors) {
        if (error.file == name && error.location == ir::Location{}) {
          error.file = program.file;
          error.location = program.program.location;
        }
      }
    }
    return std::unexpected(std::move(errors));
  }
  return ChosenMachine{name, std::move(*machine)};
}

}  // namespace tileproof::tool
