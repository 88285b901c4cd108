#include "compiler/pipeline/option.h"

#include "compiler/ir/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace tileproof::pipeline {
namespace {

bool is_integer(const OptionDeclaration& declaration) {
  return std::holds_alternative<int64_t>(declaration.default_value) ||
         std::holds_alternative<MachineConstant>(declaration.default_value);
}

/// "an integer of 1 or more".
std::string admitted(const OptionDeclaration& declaration) {
  if (std::holds_alternative<bool>(declaration.default_value)) return "true or false";
  if (!is_integer(declaration)) return fmt::format("one of {}", fmt::join(declaration.words, ", "));
  using Limits = std::numeric_limits<int64_t>;
  if (declaration.high == Limits::max())
    return declaration.low == Limits::min() ? "an integer" : fmt::format("an integer of {} or more", declaration.low);
  return fmt::format("an integer of {} to {}", declaration.low, declaration.high);
}

std::unexpected<ir::Diagnostic> refusal(const OptionDeclaration& declaration, std::string_view text) {
  const std::vector<std::string_view> words(declaration.words.begin(), declaration.words.end());
  return std::unexpected(ir::Diagnostic{{},
                                        {},
                                        fmt::format("option `{}` cannot be {}", declaration.name, ir::quoted(text)),
                                        ir::suggestion(text, words, fmt::format("give it {}", admitted(declaration)))});
}

}  // namespace

std::string to_string(const OptionValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  return std::get<std::string>(value);
}

std::expected<OptionValue, ir::Diagnostic> parse_value(const OptionDeclaration& declaration, std::string_view text) {
  if (std::holds_alternative<bool>(declaration.default_value)) {
    if (text == "true") return OptionValue(true);
    if (text == "false") return OptionValue(false);
    return refusal(declaration, text);
  }
  if (!is_integer(declaration)) {
    if (std::ranges::find(declaration.words, text) == declaration.words.end()) return refusal(declaration, text);
    return OptionValue(std::string(text));
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < declaration.low || value > declaration.high)
    return refusal(declaration, text);
  return OptionValue(value);
}

std::expected<Options, ir::Diagnostics> Options::resolve(const std::vector<OptionDeclaration>& declarations,
                                                         const GivenOptions& given, const machine::Machine* machine) {
  Options options;
  ir::Diagnostics errors;
  for (const OptionDeclaration& declaration : declarations) {
    if (const auto found = given.find(declaration.name); found != given.end()) {
      options.values_.insert(*found);
    } else if (const auto* constant = std::get_if<MachineConstant>(&declaration.default_value)) {
      const std::optional<int64_t> value = machine == nullptr ? std::nullopt : machine->constant(constant->name);
      if (value) {
        options.values_.emplace(declaration.name, *value);
        continue;
      }
      errors.push_back({{},
                        {},
                        machine == nullptr
                            ? fmt::format("option `{}` is not given, and there is no machine to take it from", declaration.name)
                            : fmt::format("option `{}` is not given, and machine {} has no constant `{}`", declaration.name,
                                          machine->name, constant->name),
                        fmt::format("name a machine that has the constant `{}`, or give the option: {}", constant->name,
                                    admitted(declaration))});
    } else if (const auto* integer = std::get_if<int64_t>(&declaration.default_value)) {
      options.values_.emplace(declaration.name, *integer);
    } else if (const auto* boolean = std::get_if<bool>(&declaration.default_value)) {
      options.values_.emplace(declaration.name, *boolean);
    } else {
      options.values_.emplace(declaration.name, std::get<std::string>(declaration.default_value));
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return options;
}

namespace {

/// The value, which a pass that asks for what it does not declare has not.
template <class Value>
const Value& value_of(const std::map<std::string, OptionValue, std::less<>>& values, std::string_view name) {
  const auto found = values.find(name);
  const Value* const value = found == values.end() ? nullptr : std::get_if<Value>(&found->second);
  if (value == nullptr) {
    fmt::print(stderr, "tileproof: a pass asks for option `{}`, which it does not declare with this type\n", name);
    std::abort();
  }
  return *value;
}

}  // namespace

int64_t Options::integer(std::string_view name) const { return value_of<int64_t>(values_, name); }
bool Options::boolean(std::string_view name) const { return value_of<bool>(values_, name); }
const std::string& Options::word(std::string_view name) const { return value_of<std::string>(values_, name); }

}  // namespace tileproof::pipeline
