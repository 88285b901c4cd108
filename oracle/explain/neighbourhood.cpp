#include "oracle/explain/neighbourhood.h"

#include "oracle/equivalence/report.h"
#include "oracle/explain/canvas.h"
#include "oracle/explain/overview.h"
#include "oracle/explain/tile_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tileproof::oracle {
namespace {

constexpr int64_t whole_rows = 16, whole_columns = 80;    // slices up to this size are drawn whole
constexpr int64_t rows_around = 2, columns_around = 24;   // on each side of the element
constexpr size_t overview_rows = 4, overview_columns = 80;
constexpr std::string_view characters = ".#?-";           // in the order of Mark
constexpr std::string_view legend = ". equal   # different   ? undefined   - not written";

/// The indices from low to high around `at`, moved inside the extent.
std::pair<int64_t, int64_t> window(int64_t at, int64_t around, int64_t extent) {
  const int64_t low = std::clamp<int64_t>(at - around, 0, std::max<int64_t>(0, extent - 2 * around - 1));
  return {low, std::min(extent - 1, low + 2 * around)};
}

bool fits(const Slice& slice) { return slice.rows() <= whole_rows && slice.columns() <= whole_columns; }

/// Each element near the one that the slice goes through, which is drawn as X, with the borders of the tiles.
std::vector<std::string> zoom(const Slice& slice, const Comparison& comparison, std::span<const uint32_t> tiles) {
  const TileCuts cuts = tile_cuts(tiles, slice);
  const bool is_whole = fits(slice);
  const auto [top, bottom] = window(slice.row(), is_whole ? whole_rows : rows_around, slice.rows());
  const auto [left, right] = window(slice.column(), is_whole ? whole_columns : columns_around, slice.columns());
  const auto is_cut = [](const std::vector<int64_t>& at, int64_t index) { return std::ranges::binary_search(at, index); };
  // Where each index is drawn: a border before it takes a place of its own.
  const auto places = [&](const std::vector<int64_t>& at, int64_t low, int64_t high, size_t begin) {
    std::vector<size_t> result;
    for (int64_t i = low; i <= high; ++i) {
      if (i > low && is_cut(at, i)) ++begin;
      result.push_back(begin++);
    }
    return result;
  };
  const size_t margin = fmt::format("{}", bottom).size() + 2;
  const std::vector<size_t> rows = places(cuts.rows, top, bottom, 2), columns = places(cuts.columns, left, right, margin);
  Canvas canvas;
  canvas.text(0, columns.front(), fmt::format("{}", left));
  const std::string last = fmt::format("{}", right);
  if (columns.back() > columns.front() + 2 * last.size()) canvas.text(0, columns.back() + 1 - last.size(), last);
  canvas.box(1, margin - 1, rows.back() + 1, columns.back() + 1);
  for (int64_t row = top; row <= bottom; ++row) {
    const size_t y = rows[static_cast<size_t>(row - top)];
    if (row == top || row == bottom || row == slice.row()) canvas.text(y, 0, fmt::format("{}", row));
    if (row > top && is_cut(cuts.rows, row)) canvas.horizontal(y - 1, margin - 1, columns.back() + 1);
    for (int64_t column = left; column <= right; ++column) {
      const bool is_it = row == slice.row() && column == slice.column();
      const auto mark = static_cast<size_t>(comparison.marks[slice.element(row, column)]);
      canvas.text(y, columns[static_cast<size_t>(column - left)], is_it ? "X" : characters.substr(mark, 1));
    }
  }
  for (int64_t column = left + 1; column <= right; ++column) {
    if (is_cut(cuts.columns, column)) canvas.vertical(columns[static_cast<size_t>(column - left)] - 1, 1, rows.back() + 1);
  }
  return canvas.lines();
}

}  // namespace

Pictures neighbourhood(const Written& written, const WrittenBuffer& buffer, const Comparison& comparison,
                       const std::vector<int64_t>& element) {
  const Slice slice(buffer.extents, element);
  Pictures pictures;
  if (!fits(slice)) {
    Picture& all = pictures.emplace_back(fmt::format("equal and different elements of {}", slice.text(buffer.buffer)),
                                         std::vector<std::string>{});
    all.lines = overview(slice, ".-?#", overview_rows, overview_columns, [&](int64_t row, int64_t column) -> size_t {
      switch (comparison.marks[slice.element(row, column)]) {
        case Mark::different: return 3;
        case Mark::undefined: return 2;
        case Mark::unwritten: return 1;
        default: return 0;
      }
    });
    all.lines.emplace_back(legend);
  }
  Picture& near =
      pictures.emplace_back(fmt::format("around {}", element_text(buffer.buffer, element)), std::vector<std::string>{});
  near.lines = zoom(slice, comparison, tile_numbers(written, buffer, slice));
  const auto count = [&](Mark mark) { return std::ranges::count(comparison.marks, mark); };
  near.lines.push_back(fmt::format("X the element   {}", legend));
  near.lines.push_back(fmt::format("in exact runs ({}) {} of {} elements are different, {} undefined, {} not written",
                                   fmt::join(comparison.tiers, ", "), count(Mark::different), comparison.marks.size(),
                                   count(Mark::undefined), count(Mark::unwritten)));
  if (comparison.marks[slice.element(slice.row(), slice.column())] == Mark::equal)
    near.lines.emplace_back("the element itself is equal in an exact run: what tells it apart is in the report");
  return pictures;
}

}  // namespace tileproof::oracle
