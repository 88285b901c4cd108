// The options of a pass: what it declares, and what they are in one run of it.
#pragma once

#include "compiler/ir/diagnostic.h"
#include "compiler/machine/machine.h"

#include <cstdint>
#include <expected>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tileproof::pipeline {

using OptionValue = std::variant<int64_t, bool, std::string>;

/// As a pipeline's text writes it: "256", "true", "greedy".
std::string to_string(const OptionValue& value);

/// A default that the machine decides: the value of its constant of this name (an integer).
struct MachineConstant {
  std::string name;
};

/// `NAME=VALUE` in a pipeline's text. The alternative of the default is the type: an integer, `true` or `false`, or a word.
struct OptionDeclaration {
  std::string name;
  std::variant<int64_t, bool, std::string, MachineConstant> default_value;
  int64_t low = std::numeric_limits<int64_t>::min();    ///< integers: both ends inclusive
  int64_t high = std::numeric_limits<int64_t>::max();
  std::vector<std::string> words;                       ///< words: all that are admitted
  std::string help;                                     ///< one line, with the unit
};

/// `text` as a value of the option; the error says what is wrong (`message`) and what the option takes (`mend`).
std::expected<OptionValue, ir::Diagnostic> parse_value(const OptionDeclaration& declaration, std::string_view text);

/// What the user said, by the name of the option.
using GivenOptions = std::map<std::string, OptionValue, std::less<>>;

/// All declared options of a pass with their values. Asking for an option that is not declared, or as another type, aborts:
/// that is a bug of the pass.
class Options {
 public:
  /// What was given, and defaults for the rest. Error: a default is a machine constant, and there is no machine that has it.
  /// Precondition: what was given is declared, with these types.
  static std::expected<Options, ir::Diagnostics> resolve(const std::vector<OptionDeclaration>& declarations,
                                                         const GivenOptions& given, const machine::Machine* machine);

  int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& word(std::string_view name) const;

 private:
  std::map<std::string, OptionValue, std::less<>> values_;
};

}  // namespace tileproof::pipeline
