#include "tool/commands.h"

#include <fmt/format.h>

#include <cmath>

namespace tileproof::tool {

oracle::CheckOptions CheckSettings::options() const {
  oracle::CheckOptions options;
  options.rounding = rounding;
  options.seed = seed;
  options.keys = keys;
  options.max_points = max_points;
  options.max_memory = max_memory;
  options.timeout = std::chrono::milliseconds(std::llround(timeout_seconds * 1000));
  return options;
}

std::vector<std::string> CheckSettings::words() const {
  const CheckSettings defaults;
  std::vector<std::string> words;
  if (rounding == oracle::Rounding::relaxed) words.emplace_back("--rounding=relaxed");
  words.push_back(fmt::format("--seed {}", seed));
  if (keys != defaults.keys) words.push_back(fmt::format("--keys {}", keys));
  if (max_points != defaults.max_points) words.push_back(fmt::format("--max-points {}", max_points));
  if (max_memory != defaults.max_memory) words.push_back(fmt::format("--max-memory {}", max_memory));
  if (timeout_seconds > 0) words.push_back(fmt::format("--timeout {}", timeout_seconds));
  return words;
}

}  // namespace tileproof::tool
