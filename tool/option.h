// The kinds of options that commands take, and how a wrong value of one is refused.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::tool {

/// A command line that cannot be taken: what is wrong with it, and what to do about it.
struct WrongUsage : std::runtime_error {
  WrongUsage(const std::string& what, std::string mended) : std::runtime_error(what), mend(std::move(mended)) {}
  std::string mend;
};

/// Throws WrongUsage: the option cannot be what was said.
[[noreturn]] void refuse(const std::string& option, const std::string& said, const std::string& why, std::string mend);

/// Options of one command on its way into its arguments.
template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// An option that takes one of a few words; the first is the default.
template <class Value>
void add_choice(CLI::App& app, const std::string& option, Value& target, Choices<Value> choices, const std::string& help) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  target = choices.front().second;
  app.add_option_function<std::string>(
         option,
         [&target, choices, words, option](const std::string& said) {
           const auto found = std::ranges::find(choices, said, &std::pair<std::string, Value>::first);
           if (found == choices.end()) refuse(option, said, "", fmt::format("give it one of {}", fmt::join(words, ", ")));
           target = found->second;
         },
         help)
      ->type_name(fmt::format("{}", fmt::join(words, "|")));
}

/// An option that takes a count of `low` and more; its suffixes K, M, G and T multiply by powers of `step`.
void add_count(CLI::App& app, const std::string& option, uint64_t& target, uint64_t step, const std::string& help,
               uint64_t low = 0);

/// An option that takes a whole number of `low` to `high`.
void add_integer(CLI::App& app, const std::string& option, int& target, int low, int high, const std::string& help);

/// An option that takes a whole number of `low` and more, up to what 64 bits hold.
CLI::Option* add_integer(CLI::App& app, const std::string& option, int64_t& target, int64_t low, const std::string& help);

/// An option that takes a number of seconds above 0.
void add_seconds(CLI::App& app, const std::string& option, double& target, const std::string& help);

}  // namespace tileproof::tool
