// Where something stands in a text, and what is wrong there. Bad input gives diagnostics; it never throws and never aborts.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::ir {

/// Line and column count from 1 (columns in bytes); {0, 0} is "no place", for programs that no text stands behind.
struct Location {
  uint32_t line = 0;
  uint32_t column = 0;
  auto operator<=>(const Location&) const = default;
};

struct Diagnostic {
  std::string file;     ///< as the user named it; "-" is standard input
  Location location;
  std::string message;  ///< what is wrong
  std::string mend;     ///< what to do about it; may be empty
  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// `file:line:column: error: message; mend` (the place is left out where there is none).
std::string to_string(const Diagnostic& diagnostic);

}  // namespace tileproof::ir
