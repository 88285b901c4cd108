#include "tool/option.h"

#include "compiler/ir/suggestion.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace tileproof::tool {
namespace {

/// "5000", or "20M" and "8G" where `step` is what each suffix multiplies by once more. nullopt: not a count.
std::optional<uint64_t> parse_count(std::string_view text, uint64_t step) {
  uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc()) return std::nullopt;
  constexpr std::string_view suffixes = "KMGT";
  size_t power = 0;
  if (rest != end) {
    power = suffixes.find(*rest) + 1;
    if (power == 0 || rest + 1 != end) return std::nullopt;
  }
  for (; power > 0; --power) {
    if (__builtin_mul_overflow(count, step, &count)) return std::nullopt;
  }
  return count;
}

}  // namespace

void refuse(const std::string& option, const std::string& said, const std::string& why, std::string mend) {
  throw WrongUsage(fmt::format("{} cannot be {}{}", option, said.empty() ? "empty" : ir::quoted(said), why), std::move(mend));
}

void add_count(CLI::App& app, const std::string& option, uint64_t& target, uint64_t step, const std::string& help, uint64_t low) {
  app.add_option_function<std::string>(
         option,
         [&target, step, option, low](const std::string& said) {
           const std::optional<uint64_t> count = parse_count(said, step);
           if (!count) refuse(option, said, "", "give it a whole number below 2^64, such as 5000, 20M or 4G");
           if (*count < low) refuse(option, said, "", fmt::format("give it a whole number of {} and more", low));
           target = *count;
         },
         help)
      ->type_name("N");
}

void add_integer(CLI::App& app, const std::string& option, int& target, int low, int high, const std::string& help) {
  app.add_option_function<std::string>(
         option,
         [&target, low, high, option](const std::string& said) {
           int value = 0;
           const char* const end = said.data() + said.size();
           const auto [rest, error] = std::from_chars(said.data(), end, value);
           if (error != std::errc() || rest != end || value < low || value > high)
             refuse(option, said, "", fmt::format("give it a whole number of {} to {}", low, high));
           target = value;
         },
         help)
      ->type_name("N");
}

CLI::Option* add_integer(CLI::App& app, const std::string& option, int64_t& target, int64_t low, const std::string& help) {
  return app
      .add_option_function<std::string>(
          option,
          [&target, low, option](const std::string& said) {
            int64_t value = 0;
            const char* const end = said.data() + said.size();
            const auto [rest, error] = std::from_chars(said.data(), end, value);
            if (error != std::errc() || rest != end || value < low)
              refuse(option, said, "", fmt::format("give it a whole number of {} and more, below 2^63", low));
            target = value;
          },
          help)
      ->type_name("N");
}

void add_seconds(CLI::App& app, const std::string& option, double& target, const std::string& help) {
  constexpr double most = 1e9;  // our choice: thirty years
  app.add_option_function<std::string>(
         option,
         [&target, option](const std::string& said) {
           double value = 0;
           const char* const end = said.data() + said.size();
           const auto [rest, error] = std::from_chars(said.data(), end, value);
           const bool is_number = error == std::errc() && rest == end && !std::isnan(value);
           if (is_number && value == 0)
             refuse(option, said, ": nothing is done in no time",
                    fmt::format("leave {} out to wait as long as it takes", option));
           if (!is_number || value < 0 || value > most)
             refuse(option, said, "", "give it a number of seconds above 0 and up to 1e9, such as 0.5 or 60");
           target = value;
         },
         help)
      ->type_name("SECONDS");
}

}  // namespace tileproof::tool
