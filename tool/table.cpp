#include "tool/table.h"

#include <fmt/format.h>

namespace tileproof::tool {

std::string table_row(const std::vector<Column>& columns, const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) line += "  ";
    line += columns[i].to_the_right ? fmt::format("{:>{}}", cells[i], columns[i].width)
                                    : fmt::format("{:<{}}", cells[i], columns[i].width);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string table_head(const std::vector<Column>& columns) {
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);
  return table_row(columns, titles);
}

}  // namespace tileproof::tool
