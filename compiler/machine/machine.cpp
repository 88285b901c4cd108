#include "compiler/machine/machine.h"

#include "compiler/ir/suggestion.h"
#include "compiler/ir/text.h"
#include "compiler/machine/embedded.h"
#include "compiler/machine/tight_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tileproof::machine {

const RoleRule* Opcode::role(std::string_view role_name) const {
  const auto found = std::ranges::find(roles, role_name, &RoleRule::role);
  return found == roles.end() ? nullptr : &*found;
}

const LetterRule* Opcode::letter(std::string_view letter_name) const {
  const auto found = std::ranges::find(letters, letter_name, &LetterRule::letter);
  return found == letters.end() ? nullptr : &*found;
}

std::optional<int64_t> Machine::constant(std::string_view constant_name) const {
  const auto found = std::ranges::find(constants, constant_name, &Constant::name);
  return found == constants.end() ? std::nullopt : std::optional(found->value);
}

const Space* Machine::space(std::string_view space_name) const {
  const auto found = std::ranges::find(spaces, space_name, &Space::name);
  return found == spaces.end() ? nullptr : &*found;
}

std::vector<const Opcode*> Machine::alternatives(std::string_view opcode_name) const {
  std::vector<const Opcode*> result;
  for (const Opcode& opcode : opcodes) {
    if (opcode.name == opcode_name) result.push_back(&opcode);
  }
  return result;
}

std::vector<std::string> Machine::opcode_names() const {
  std::vector<std::string> names;
  for (const Opcode& opcode : opcodes) {
    if (std::ranges::find(names, opcode.name) == names.end()) names.push_back(opcode.name);
  }
  return names;
}

std::expected<Machine, ir::Diagnostics> find_machine(const std::string& name_or_path) {
  for (const auto& [name, text] : embedded_machine_files()) {
    if (name == name_or_path) return parse_machine(text, fmt::format("{}.machine", name));
  }
  if (const auto text = tight_machine_text(name_or_path)) return parse_machine(*text, name_or_path + ".machine");
  if (name_or_path.find_first_of("/") == std::string::npos && !name_or_path.ends_with(".machine")) {
    const std::vector<std::string> names = builtin_machines();
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    return std::unexpected(
        ir::Diagnostics{{name_or_path,
                         {},
                         fmt::format("no machine is called {}", ir::quoted(name_or_path)),
                         ir::suggestion(name_or_path, candidates,
                                        fmt::format("the built-in machines are {}; a file of your own ends in .machine",
                                                    fmt::join(names, ", ")))}});
  }
  auto text = ir::read_text(name_or_path);
  if (!text) {
    text.error().mend = "name a machine file that can be read";
    return std::unexpected(ir::Diagnostics{text.error()});
  }
  return parse_machine(*text, name_or_path);
}

std::vector<std::string> builtin_machines() {
  std::vector<std::string> names;
  for (const auto& [name, text] : embedded_machine_files()) names.emplace_back(name);
  for (std::string& name : tight_machines()) names.push_back(std::move(name));
  std::ranges::sort(names);
  return names;
}

}  // namespace tileproof::machine
