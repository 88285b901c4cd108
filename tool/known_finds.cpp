#include "tool/known_finds.h"

#include "compiler/ir/suggestion.h"
#include "compiler/ir/text.h"
#include "fuzz/hunt/outcome.h"
#include "oracle/finding.h"
#include "oracle/plural.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <vector>

namespace tileproof::tool {

namespace {

/// A word of a line, and the column where it begins.
struct Word {
  std::string_view text;
  uint32_t column = 1;
};

std::vector<Word> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  std::vector<Word> words;
  line = line.substr(0, line.find('#'));
  for (size_t at = line.find_first_not_of(blank); at != std::string_view::npos; at = line.find_first_not_of(blank, at)) {
    const size_t end = std::min(line.find_first_of(blank, at), line.size());
    words.push_back({line.substr(at, end - at), static_cast<uint32_t>(at) + 1});
    at = end;
  }
  return words;
}

/// What the first word of a key may be.
std::vector<std::string_view> finding_names() {
  std::vector<std::string_view> names;
  for (const oracle::FindingId id : oracle::all_findings()) names.push_back(oracle::name(id));
  using enum fuzz::Outcome::Kind;
  for (const fuzz::Outcome::Kind kind : {wrong, crash, hang, garbage, bad_original, harness_error}) names.push_back(name(kind));
  return names;
}

/// What the last one may be.
std::vector<std::string_view> pass_names(const pipeline::Registry& passes) {
  std::vector<std::string_view> names{"-"};
  for (const pipeline::Pass& pass : passes.passes) names.push_back(pass.name);
  return names;
}

}  // namespace

std::expected<Keys, ir::Diagnostics> read_known_finds(const std::string& path, const pipeline::Registry& passes) {
  const std::expected<std::string, ir::Diagnostic> text = ir::read_text(path, {}, "file of known finds");
  if (!text) return std::unexpected(ir::Diagnostics{text.error()});
  const std::vector<std::string_view> findings = finding_names(), known_passes = pass_names(passes);
  Keys keys;
  ir::Diagnostics errors;
  std::istringstream lines(*text);
  uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::vector<Word> words = words_of(line);
    if (words.empty()) continue;
    if (words.size() != 3) {
      errors.push_back({path,
                        {number, 1},
                        fmt::format("{} where the key of a find has three", oracle::plural(words.size(), "word")),
                        "write FINDING STATEMENT PASS as `tileproof fuzz` prints it, `-` for what is not known"});
      continue;
    }
    const auto check = [&](const Word& word, std::string_view what, const std::vector<std::string_view>& names) {
      if (std::ranges::find(names, word.text) != names.end()) return;
      errors.push_back({path,
                        {number, word.column},
                        fmt::format("no {} is called {}", what, ir::quoted(word.text)),
                        ir::suggestion(word.text, names, fmt::format("write one of {}", fmt::join(names, ", ")))});
    };
    check(words[0], "finding", findings);
    check(words[2], "pass", known_passes);
    keys.insert(fmt::format("{} {} {}", words[0].text, words[1].text, words[2].text));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return keys;
}

}  // namespace tileproof::tool
