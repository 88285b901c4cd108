// A table that a person reads: columns as wide as their contents, figures to the right.
#pragma once

#include <string>
#include <vector>

namespace tileproof::tool {

struct Column {
  std::string title;
  size_t width = 0;              ///< at least so wide; a longer cell pushes its row
  bool to_the_right = false;
};

/// One line, ending in a newline, without blanks before it.
std::string table_row(const std::vector<Column>& columns, const std::vector<std::string>& cells);

/// The titles as a row.
std::string table_head(const std::vector<Column>& columns);

}  // namespace tileproof::tool
