// From what the user names on the command line to programs that are well formed.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::tool {

/// Reads, parses and verifies a file ("-": standard input). Errors: all that is wrong with it.
std::expected<ir::File, ir::Diagnostics> load_file(const std::string& path);

/// A program and the name of the file it stands in.
struct NamedProgram {
  std::string file;
  ir::Program program;
};

/// The program called `wanted`, or the only one if `wanted` is empty.
std::expected<NamedProgram, ir::Diagnostics> choose_program(const ir::File& file, const std::string& wanted);
std::expected<NamedProgram, ir::Diagnostics> load_program(const std::string& path, const std::string& wanted);

struct ProgramPair {
  NamedProgram original, tiled;
};

/// Two files, of each the program called `wanted` if that is not empty; or one file of two programs, the original first.
std::expected<ProgramPair, ir::Diagnostics> load_pair(const std::vector<std::string>& paths, const std::string& wanted);

/// The machine to judge by: `requested` (a name, a file, or "none"), else the one that `program` names; no value: none.
/// `name` is what reports call it.
struct ChosenMachine {
  std::string name;
  std::optional<machine::Machine> machine;
  const machine::Machine* get() const { return machine ? &*machine : nullptr; }
};
std::expected<ChosenMachine, ir::Diagnostics> choose_machine(const std::string& requested, const NamedProgram& program);

}  // namespace tileproof::tool
