// A picture of text, for people: at most 100 columns wide where it is printed, indented by two.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::oracle {

struct Picture {
  std::string title;
  std::vector<std::string> lines;   ///< UTF-8, without line ends
};
using Pictures = std::vector<Picture>;

/// The line that says that `count` more are not drawn; `noun` is the word for one.
inline std::string left_out(size_t count, std::string_view noun) {
  return "not drawn: " + std::to_string(count) + " more " + std::string(noun) + (count == 1 ? "" : "s");
}

inline constexpr int picture_width = 98;   ///< columns

}  // namespace tileproof::oracle
