#include "tool/known_finds.h"

#include "compiler/ir/text.h"
#include "oracle/plural.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <sstream>
#include <vector>

namespace tileproof::tool {

std::expected<Keys, ir::Diagnostics> read_known_finds(const std::string& path) {
  const std::expected<std::string, ir::Diagnostic> text = ir::read_text(path);
  if (!text) return std::unexpected(ir::Diagnostics{text.error()});
  Keys keys;
  ir::Diagnostics errors;
  std::istringstream lines(*text);
  uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.size() == 3)
      keys.insert(fmt::format("{}", fmt::join(words, " ")));
    else if (!words.empty())
      errors.push_back({path,
                        {number, 1},
                        fmt::format("{} where the key of a find has three", oracle::plural(words.size(), "word")),
                        "write FINDING STATEMENT PASS as `tileproof fuzz` prints it, `-` for what is not known"});
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return keys;
}

}  // namespace tileproof::tool
