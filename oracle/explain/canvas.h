// Characters and box lines on a grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::oracle {

/// Grows as it is drawn on. Rows and columns count from 0; lines that meet join.
class Canvas {
 public:
  /// ASCII.
  void text(size_t row, size_t column, std::string_view text);
  /// Both ends included.
  void horizontal(size_t row, size_t first, size_t last);
  void vertical(size_t column, size_t first, size_t last);
  void box(size_t top, size_t left, size_t bottom, size_t right);

  /// UTF-8, without blanks at the ends.
  std::vector<std::string> lines() const;

 private:
  struct Cell {
    char character = ' ';
    uint8_t strokes = 0;   ///< up 1, right 2, down 4, left 8: drawn in place of the character
  };
  Cell& at(size_t row, size_t column);

  std::vector<std::vector<Cell>> rows_;
};

}  // namespace tileproof::oracle
