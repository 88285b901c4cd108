#include "oracle/explain/canvas.h"

#include <array>

namespace tileproof::oracle {
namespace {

constexpr uint8_t up = 1, right = 2, down = 4, left = 8;

// By strokes.
constexpr std::array<std::string_view, 16> box_characters{" ", "│", "─", "└", "│", "│", "┌", "├",
                                                          "─", "┘", "─", "┴", "┐", "┤", "┬", "┼"};

}  // namespace

Canvas::Cell& Canvas::at(size_t row, size_t column) {
  if (rows_.size() <= row) rows_.resize(row + 1);
  if (rows_[row].size() <= column) rows_[row].resize(column + 1);
  return rows_[row][column];
}

void Canvas::text(size_t row, size_t column, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) at(row, column + i) = {text[i], 0};
}

void Canvas::horizontal(size_t row, size_t first, size_t last) {
  for (size_t column = first; column <= last; ++column) {
    const int strokes = (column > first ? left : 0) | (column < last ? right : 0);
    at(row, column).strokes |= static_cast<uint8_t>(strokes);
  }
}

void Canvas::vertical(size_t column, size_t first, size_t last) {
  for (size_t row = first; row <= last; ++row) {
    const int strokes = (row > first ? up : 0) | (row < last ? down : 0);
    at(row, column).strokes |= static_cast<uint8_t>(strokes);
  }
}

void Canvas::box(size_t top, size_t left_column, size_t bottom, size_t right_column) {
  horizontal(top, left_column, right_column);
  horizontal(bottom, left_column, right_column);
  vertical(left_column, top, bottom);
  vertical(right_column, top, bottom);
}

std::vector<std::string> Canvas::lines() const {
  std::vector<std::string> lines;
  for (const std::vector<Cell>& row : rows_) {
    std::string line;
    for (const Cell& cell : row)
      line += cell.strokes != 0 ? std::string(box_characters[cell.strokes]) : std::string(1, cell.character);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tileproof::oracle
