#include "oracle/explain/overview.h"

#include "oracle/explain/canvas.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::oracle {

std::vector<std::string> overview(const Slice& slice, std::string_view characters, size_t most_rows, size_t most_columns,
                                  const std::function<size_t(int64_t row, int64_t column)>& rank) {
  const auto step_of = [](int64_t extent, size_t most) {
    return (extent + static_cast<int64_t>(most) - 1) / static_cast<int64_t>(most);
  };
  const int64_t row_step = std::max<int64_t>(1, step_of(slice.rows(), most_rows)),
                column_step = std::max<int64_t>(1, step_of(slice.columns(), most_columns));
  const auto height = static_cast<size_t>((slice.rows() + row_step - 1) / row_step),
             width = static_cast<size_t>((slice.columns() + column_step - 1) / column_step);
  std::vector<std::string> rows(height, std::string(width, ' '));
  std::vector<size_t> ranks(height * width);
  for (int64_t row = 0; row < slice.rows(); ++row) {
    for (int64_t column = 0; column < slice.columns(); ++column) {
      size_t& highest = ranks[static_cast<size_t>(row / row_step) * width + static_cast<size_t>(column / column_step)];
      highest = std::max(highest, rank(row, column));
    }
  }
  Canvas canvas;
  const std::string last_row = fmt::format("{}", slice.rows() - 1), last_column = fmt::format("{}", slice.columns() - 1);
  const size_t left = last_row.size() + 1;
  canvas.text(0, left + 1, "0");
  if (width > last_column.size() + 1) canvas.text(0, left + 1 + width - last_column.size(), last_column);
  canvas.box(1, left, height + 2, left + width + 1);
  for (size_t i = 0; i < height; ++i) {
    for (size_t j = 0; j < width; ++j) canvas.text(i + 2, left + 1 + j, characters.substr(ranks[i * width + j], 1));
  }
  canvas.text(2, left - 2, "0");
  if (height > 1) canvas.text(height + 1, 0, last_row);
  std::vector<std::string> lines = canvas.lines();
  if (row_step * column_step > 1)
    lines.push_back(fmt::format("each character: {} x {} elements, the most telling of them", row_step, column_step));
  return lines;
}

}  // namespace tileproof::oracle
