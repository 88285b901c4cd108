#include "tool/commands.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::tool {

oracle::CheckOptions CheckSettings::options() const {
  oracle::CheckOptions options;
  options.rounding = rounding;
  options.seed = seed;
  options.keys = keys;
  options.max_points = max_points;
  options.max_memory = max_memory;
  options.threads = threads;
  return options;
}

std::expected<oracle::CheckReport, ir::Diagnostics> CheckSettings::check(const ProgramPair& programs,
                                                                         oracle::CheckOptions options,
                                                                         std::chrono::steady_clock::time_point begin) const {
  if (timeout_seconds > 0) {
    using Seconds = std::chrono::duration<double>;
    const Seconds left = Seconds(timeout_seconds) - (std::chrono::steady_clock::now() - begin);
    options.timeout = std::chrono::floor<std::chrono::milliseconds>(left);
    if (options.timeout.count() < 1) {  // which the oracle would take for no limit
      oracle::CheckReport report;
      report.verdict = oracle::Verdict::timeout;
      report.reason = "the time is over; raise --timeout";
      return report;
    }
  }
  return oracle::check(programs.original.program, programs.tiled.program, options);
}

std::chrono::milliseconds CheckSettings::timeout() const {
  if (timeout_seconds <= 0) return std::chrono::milliseconds{0};
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(std::chrono::duration<double>(timeout_seconds));
  return std::max(whole, std::chrono::milliseconds{1});
}

std::chrono::steady_clock::time_point CheckSettings::deadline(std::chrono::steady_clock::time_point begin) const {
  using Clock = std::chrono::steady_clock;
  if (timeout_seconds <= 0) return Clock::time_point::max();
  return begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_seconds));
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
