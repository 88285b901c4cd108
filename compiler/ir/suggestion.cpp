#include "compiler/ir/suggestion.h"

#include "compiler/ir/reserved.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tileproof::ir {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edit distance with swaps of neighbours, three rows at a time.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({above[j] + 1, current[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, current);
  }
  return above[b.size()];
}

constexpr size_t longest_quote = 60;

}  // namespace

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > longest_name) return std::nullopt;
  const size_t most = std::max<size_t>(1, word.size() / 3);
  std::optional<std::string_view> best;
  size_t fewest = most + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > word.size() + most || word.size() > candidate.size() + most) continue;
    const size_t changes = distance(word, candidate);
    // A word of one letter is one change away from every other one: that is no likeness.
    if (changes < fewest && changes < std::max(word.size(), candidate.size())) {
      fewest = changes;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates, std::string otherwise) {
  if (const auto candidate = nearest(word, candidates)) return fmt::format("did you mean `{}`?", *candidate);
  return otherwise;
}

std::string shortened(std::string_view text, size_t most) {
  constexpr std::string_view dots = "...";
  if (text.size() <= most) return std::string(text);
  size_t size = most - dots.size();
  const size_t blank = text.find_last_of(' ', size), end = text.find_last_not_of(' ', blank);
  if (blank != std::string_view::npos && end != std::string_view::npos)
    size = end + 1;
  else
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;   // inside of a character of UTF-8
  return std::string(text.substr(0, size)).append(dots);
}

std::string quoted(std::string_view text) {
  std::string shown = "`";
  for (const char c : text.substr(0, longest_quote)) {
    if (c >= ' ' && c <= '~') {
      shown += c;
    } else {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > longest_quote) shown += "...";
  return shown + "`";
}

}  // namespace tileproof::ir
