// A picture of text, for people: at most 100 columns wide where it is printed, indented by two.
#pragma once

#include <string>
#include <vector>

namespace tileproof::oracle {

struct Picture {
  std::string title;
  std::vector<std::string> lines;   ///< UTF-8, without line ends
};
using Pictures = std::vector<Picture>;

inline constexpr int picture_width = 98;   ///< columns

}  // namespace tileproof::oracle
