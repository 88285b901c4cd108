#include "compiler/ir/suggestion.h"
#include "compiler/penguin/axis_cut.h"
#include "compiler/penguin/cut_arithmetic.h"
#include "compiler/penguin/cut_params.h"
#include "tool/commands.h"
#include "tool/cut_proofs.h"
#include "tool/cut_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace tileproof::tool {
namespace {

std::unexpected<ir::Diagnostics> wrong(std::string option, std::string what, std::string mend) {
  return std::unexpected(ir::Diagnostics{{std::move(option), {}, std::move(what), std::move(mend)}});
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  if (list.find_first_not_of(' ') == std::string::npos) return words;
  for (size_t begin = 0;;) {
    const size_t comma = list.find(',', begin);
    words.push_back(list.substr(begin, comma == std::string::npos ? comma : comma - begin));
    if (comma == std::string::npos) return words;
    begin = comma + 1;
  }
}

std::expected<std::vector<int64_t>, ir::Diagnostics> extents_of(const std::string& shape) {
  constexpr size_t most_dims = 64;  // our choice, far beyond what a tensor has
  std::vector<int64_t> extents;
  for (const std::string& word : words_of(shape)) {
    int64_t extent = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, extent);
    if (error != std::errc() || rest != end || extent < 0) {
      return wrong("--shape", fmt::format("{} is no extent", word.empty() ? "nothing" : ir::quoted(word)),
                   "write whole numbers of 0 and more, the highest priority first: --shape 448,16");
    }
    extents.push_back(extent);
  }
  if (extents.size() > most_dims)
    return wrong("--shape", fmt::format("{} extents are too many", extents.size()), fmt::format("give up to {}", most_dims));
  return extents;
}

std::expected<std::vector<std::string>, ir::Diagnostics> names_of(const std::string& names, size_t count) {
  std::vector<std::string> words;
  if (names.empty()) {
    for (size_t i = 0; i < count; ++i) words.push_back(fmt::format("d{}", i));
    return words;
  }
  words = words_of(names);
  if (words.size() != count) {
    return wrong("--names",
                 fmt::format("{} name{} given for {} extent{}", words.size(), words.size() == 1 ? " is" : "s are", count,
                             count == 1 ? "" : "s"),
                 "name each extent once, in the same order");
  }
  const auto is_name = [](const std::string& word) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", digits = "0123456789";
    return !word.empty() && letters.find(word.front()) != std::string_view::npos &&
           std::ranges::all_of(word, [&](char c) { return letters.find(c) != letters.npos || digits.find(c) != digits.npos; });
  };
  std::set<std::string> seen;
  for (const std::string& word : words) {
    if (!is_name(word)) {
      return wrong("--names", fmt::format("{} is no name", word.empty() ? "nothing" : ir::quoted(word)),
                   "write letters, digits and underscores, a letter first: --names m,n");
    }
    if (!seen.insert(word).second)
      return wrong("--names", fmt::format("{} is given twice", ir::quoted(word)), "give every axis a name of its own");
  }
  return words;
}

/// The figures that the command line leaves to the machine.
std::expected<void, ir::Diagnostics> take_figures(const CutArguments& arguments, CutReport& report) {
  report.cut_size = arguments.cut_size;
  report.options = {.uniform = arguments.uniform, .multiple = std::max<int64_t>(1, arguments.multiple)};
  auto chosen = choose_machine(arguments.machine, {});
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  if (!chosen->machine) return {};
  const auto params = penguin::compute_cut_params(*chosen->machine);
  if (!params) return std::unexpected(params.error());
  report.machine = chosen->name;
  const auto budget = [&] {
    switch (arguments.axes) {
      case CutAxes::partition: return params->par_axes_cut_size;
      case CutAxes::stationary: return params->stationary_free_cut_size;
      case CutAxes::moving: return params->moving_free_cut_size;
      default: return params->cut_size;
    }
  };
  if (arguments.cut_size == 0) report.cut_size = budget();
  if (arguments.multiple == 0 && arguments.axes == CutAxes::partition) report.options.multiple = params->partition_multiple;
  return {};
}

}  // namespace

Outcome cut_command(const CutArguments& arguments, Console& console) {
  CutReport report;
  if (auto taken = take_figures(arguments, report); !taken) return std::unexpected(std::move(taken.error()));
  auto extents = extents_of(arguments.shape);
  if (!extents) return std::unexpected(std::move(extents.error()));
  const auto names = names_of(arguments.names, extents->size());
  if (!names) return std::unexpected(names.error());
  for (size_t i = 0; i < extents->size(); ++i) report.axes.push_back({(*names)[i], (*extents)[i]});

  const auto cut = penguin::compute_cut(*extents, report.cut_size, report.options);
  if (!cut) return wrong("--shape", std::string(text(cut.error())), "");
  report.cut = *cut;
  const auto swap = arguments.swap ? std::optional(penguin::SwapTile{report.cut_size}) : std::nullopt;
  auto lists = penguin::cut_axes(report.axes, *cut, swap);
  if (!lists) return wrong("--swap", std::string(text(lists.error())), "leave --swap out to see the cut");
  report.lists = std::move(*lists);
  report.swapped = arguments.swap;
  ExitCode exit = ExitCode::passes;
  if (arguments.prove) {
    const penguin::CutStatement statement{*extents, report.cut_size, report.options, report.cut};
    report.proof = CutProofs().discharge(statement);
    if (report.proof->verdict == prove::Verdict::refuted) exit = ExitCode::refuted;
    if (report.proof->verdict == prove::Verdict::timeout) exit = ExitCode::undecided;
    if (report.proof->verdict == prove::Verdict::error) exit = ExitCode::harness_error;
  }
  console.print(arguments.format == Format::json ? cut_record(report, exit) : cut_text(report));
  return exit;
}

}  // namespace tileproof::tool
