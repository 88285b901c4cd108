// "Did you mean ...?": the known word that a misspelt one is nearest to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tileproof::ir {

/// The candidate with the fewest single-letter changes (insert, delete, replace, swap of neighbours) from `word`, the first of
/// equals; none if even that one differs in more than a third of the word. Capital letters count as small ones.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "did you mean `X`?" where a candidate is near, else `otherwise`.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates, std::string otherwise);

/// The text, if it has at most `most` bytes (3 and more); else its front up to the end of a word, or of a character where there is no such end,
/// and `...`.
std::string shortened(std::string_view text, size_t most);

/// The text in backquotes, made fit for a message: shortened, and bytes that are not printable ASCII as `\xNN`.
std::string quoted(std::string_view text);

}  // namespace tileproof::ir
