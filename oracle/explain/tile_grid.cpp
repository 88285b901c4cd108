#include "oracle/explain/tile_grid.h"

#include "oracle/equivalence/report.h"
#include "oracle/explain/canvas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tileproof::oracle {
namespace {

constexpr size_t most_rows = 4, most_columns = 7;   // of tiles, drawn
constexpr size_t widest_cell = 24;
constexpr size_t gap = 5;                           // columns for "..." where tiles are left out
constexpr size_t most_label_lines = 4;

/// A piece of the rows or columns, and whether pieces before it are left out.
struct Piece {
  int64_t low = 0, high = 0;   // inclusive
  bool after_gap = false;
  size_t at = 0, size = 0;     // on the canvas: between borders
};

/// The pieces to draw: all, or the first, the last two, and those around the marked index.
std::vector<Piece> chosen_pieces(const std::vector<int64_t>& cuts, int64_t marked, size_t most) {
  const size_t count = cuts.size() - 1;
  std::set<size_t> chosen;
  const auto choose = [&](size_t i) {
    if (i < count && chosen.size() < most) chosen.insert(i);
  };
  const size_t at = static_cast<size_t>(std::ranges::upper_bound(cuts, marked) - cuts.begin()) - 1;
  choose(std::min(at, count - 1));
  choose(count - 1);
  choose(0);
  choose(at + 1);
  if (at > 0) choose(at - 1);
  for (size_t i = 1; i < count && chosen.size() < most; ++i) choose(i);
  std::vector<Piece> pieces;
  size_t before = 0;
  for (const size_t i : chosen) {
    pieces.push_back({cuts[i], cuts[i + 1] - 1, i > before, 0, 0});
    before = i + 1;
  }
  return pieces;
}

std::string range_text(const Piece& piece) {
  return piece.low == piece.high ? fmt::format("{}", piece.low) : fmt::format("{}..{}", piece.low, piece.high);
}

/// "7 tiles of 512, the last of 128".
std::string cuts_text(const std::vector<int64_t>& cuts, std::string_view what) {
  const size_t count = cuts.size() - 1;
  std::set<int64_t> sizes;
  for (size_t i = 0; i + 1 < count; ++i) sizes.insert(cuts[i + 1] - cuts[i]);
  const int64_t last = cuts[count] - cuts[count - 1];
  if (count == 1) return fmt::format("{}: 1 piece of {}", what, last);
  if (sizes.size() > 1) {
    sizes.insert(last);
    return fmt::format("{}: {} pieces of {} to {}", what, count, *sizes.begin(), *sizes.rbegin());
  }
  if (*sizes.begin() == last) return fmt::format("{}: {} pieces of {}", what, count, last);
  return fmt::format("{}: {} pieces of {}, the last of {}", what, count, *sizes.begin(), last);
}

/// What tells the tiles of a buffer apart, and how a tile is labelled by it.
class Labels {
 public:
  Labels(const Written& written, std::span<const uint32_t> writers) : written_(written) {
    std::set<Site> sites;
    std::map<std::pair<Site, size_t>, std::set<int64_t>> values;
    for (const uint32_t writer : writers) {
      if (writer >= WrittenBuffer::whole) continue;
      const Execution& execution = written.executions[writer];
      sites.insert(execution.site);
      for (size_t i = 0; i < execution.loops.size(); ++i) {
        std::set<int64_t>& seen = values[{execution.site, i}];
        if (seen.size() < 2) seen.insert(execution.loops[i]);
      }
    }
    for (const auto& [at, seen] : values) {
      if (seen.size() > 1) varying_.insert(at);
    }
    sites_ = {sites.begin(), sites.end()};
  }

  std::vector<std::string> of(uint32_t writer) const {
    if (writer == WrittenBuffer::nobody) return {"not", "written"};
    if (writer == WrittenBuffer::whole) return {"move or", "opaque"};
    const Execution& execution = written_.executions[writer];
    const NestedStatement& statement = written_.statements[execution.site];
    std::vector<std::string> lines;
    for (size_t i = 0; i < execution.loops.size(); ++i) {
      if (varying_.contains({execution.site, i}))
        lines.push_back(fmt::format("{}={}", statement.loops[i]->name, execution.loops[i]));
    }
    if (lines.size() > most_label_lines) lines.erase(lines.begin(), lines.end() - most_label_lines);
    if (sites_.size() > 1 || lines.empty()) lines.push_back(statement.label);
    return lines;
  }

  /// "store#1 (line 20)", of each statement.
  std::string statements() const {
    std::vector<std::string> texts;
    for (const Site site : sites_) {
      const NestedStatement& at = written_.statements[site];
      texts.push_back(at.statement->location.line == 0 ? at.label
                                                       : fmt::format("{} (line {})", at.label, at.statement->location.line));
      if (texts.size() == 4 && sites_.size() > 4) {
        texts.push_back(fmt::format("{} more", sites_.size() - 4));
        break;
      }
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

 private:
  const Written& written_;
  std::set<std::pair<Site, size_t>> varying_;   // loops with more than one value
  std::vector<Site> sites_;
};

class Grid {
 public:
  Grid(const Written& written, const WrittenBuffer& buffer, const Slice& slice, bool marked)
      : slice_(slice), buffer_(buffer), numbers_(tile_numbers(written, buffer, slice)), marked_(marked) {
    std::vector<uint32_t> writers(buffer.writer.begin(), buffer.writer.end());
    std::ranges::sort(writers);
    writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
    labels_.emplace(written, writers);
    cuts_ = tile_cuts(numbers_, slice);
    rows_ = chosen_pieces(cuts_.rows, marked ? slice.row() : 0, most_rows);
    columns_ = chosen_pieces(cuts_.columns, marked ? slice.column() : 0, most_columns);
  }

  void draw(std::vector<std::string>& lines) {
    place();
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (size_t j = 0; j < columns_.size(); ++j) cell(i, j);
    }
    for (const Piece& column : columns_) canvas_.text(0, column.at, range_text(column).substr(0, column.size));
    for (const Piece& row : rows_) {
      canvas_.text(row.at + (row.size - 1) / 2, 0, range_text(row));
      if (row.after_gap) canvas_.text(row.at - 2, 0, "...");
    }
    for (const Piece& column : columns_) {
      if (column.after_gap) canvas_.text(0, column.at - gap, "...");
    }
    for (std::string& line : canvas_.lines()) lines.push_back(std::move(line));
    lines.push_back(fmt::format("{};  {}", cuts_text(cuts_.rows, "rows"), cuts_text(cuts_.columns, "columns")));
    if (const std::string statements = labels_->statements(); !statements.empty())
      lines.push_back(fmt::format("each box: what {} wrote last in one iteration", statements));
  }

 private:
  const Slice& slice_;
  const WrittenBuffer& buffer_;
  std::vector<uint32_t> numbers_;
  std::optional<Labels> labels_;
  TileCuts cuts_;
  std::vector<Piece> rows_, columns_;
  bool marked_;
  Canvas canvas_;

  uint32_t number(int64_t row, int64_t column) const { return numbers_[static_cast<size_t>(row * slice_.columns() + column)]; }
  bool holds_mark(const Piece& row, const Piece& column) const {
    return marked_ && row.low <= slice_.row() && slice_.row() <= row.high && column.low <= slice_.column() &&
           slice_.column() <= column.high;
  }
  std::vector<std::string> label(const Piece& row, const Piece& column) const {
    std::vector<std::string> lines = labels_->of(buffer_.writer[slice_.element(row.low, column.low)]);
    if (holds_mark(row, column)) lines.front() = "* " + lines.front();
    return lines;
  }

  /// Sizes in proportion to the pieces, but room for the labels; fewer columns where they do not fit.
  void place() {
    size_t left = 1;
    for (const Piece& row : rows_) left = std::max(left, range_text(row).size() + 1);
    while (true) {
      int64_t longest = 1;
      for (const Piece& column : columns_) longest = std::max(longest, column.high - column.low + 1);
      const size_t room = static_cast<size_t>(picture_width) - left - 1, each = room / columns_.size();
      const size_t widest = std::min(widest_cell, each > gap ? each - gap : 1);
      size_t at = left + 1;
      for (Piece& column : columns_) {
        size_t needed = range_text(column).size() + 1;
        for (const Piece& row : rows_) {
          for (const std::string& line : label(row, column)) needed = std::max(needed, line.size() + 2);
        }
        const auto share = static_cast<double>(column.high - column.low + 1) / static_cast<double>(longest);
        column.size = std::max(needed, static_cast<size_t>(share * static_cast<double>(widest)));
        if (column.after_gap) at += gap;
        column.at = at;
        at += column.size + 1;
      }
      if (at <= static_cast<size_t>(picture_width) || columns_.size() <= 1) break;
      drop_a_column();
    }
    size_t at = 2;
    for (Piece& row : rows_) {
      row.size = 1;
      for (const Piece& column : columns_) row.size = std::max(row.size, label(row, column).size());
      if (row.after_gap) at += 3;
      row.at = at;
      at += row.size + 1;
    }
  }

  /// The one before the last, unless it holds the mark.
  void drop_a_column() {
    const auto is_marked = [&](const Piece& column) {
      return marked_ && column.low <= slice_.column() && slice_.column() <= column.high;
    };
    size_t dropped = columns_.size() - 1;
    for (size_t i = columns_.size() - 1; i-- > 0;) {
      if (is_marked(columns_[i])) continue;
      dropped = i;
      break;
    }
    columns_.erase(columns_.begin() + static_cast<ptrdiff_t>(dropped));
    if (dropped < columns_.size()) columns_[dropped].after_gap = true;
  }

  void cell(size_t i, size_t j) {
    const Piece &row = rows_[i], &column = columns_[j];
    const size_t top = row.at - 1, bottom = row.at + row.size, left = column.at - 1, right = column.at + column.size;
    const auto joins = [&](bool is_next, int64_t other_row, int64_t other_column) {
      return is_next && number(other_row, other_column) == number(row.low, column.low);
    };
    const bool joins_above = joins(i > 0 && !row.after_gap, row.low - 1, column.low);
    const bool joins_left = joins(j > 0 && !column.after_gap, row.low, column.low - 1);
    if (!joins_above) canvas_.horizontal(top, left, right);
    if (!joins_left) canvas_.vertical(left, top, bottom);
    if (i + 1 == rows_.size() || rows_[i + 1].after_gap) canvas_.horizontal(bottom, left, right);
    if (j + 1 == columns_.size() || columns_[j + 1].after_gap) canvas_.vertical(right, top, bottom);
    if ((joins_above || joins_left) && !holds_mark(row, column)) return;   // labelled already
    const std::vector<std::string> lines = label(row, column);
    for (size_t k = 0; k < lines.size(); ++k) canvas_.text(row.at + k, column.at + 1, lines[k]);
  }
};

}  // namespace

std::vector<uint32_t> tile_numbers(const Written& written, const WrittenBuffer& buffer, const Slice& slice) {
  std::vector<uint32_t> numbers;
  std::map<std::pair<Site, std::vector<int64_t>>, uint32_t> known;
  std::map<uint32_t, uint32_t> of_writer;
  std::optional<uint32_t> last;   // neighbours mostly have one writer
  for (int64_t row = 0; row < slice.rows(); ++row) {
    for (int64_t column = 0; column < slice.columns(); ++column) {
      const uint32_t writer = buffer.writer[slice.element(row, column)];
      if (writer == last) {
        numbers.push_back(numbers.back());
        continue;
      }
      last = writer;
      if (const auto found = of_writer.find(writer); found != of_writer.end()) {
        numbers.push_back(found->second);
        continue;
      }
      uint32_t number = writer;
      if (writer < WrittenBuffer::whole) {
        const Execution& execution = written.executions[writer];
        number = known.try_emplace({execution.site, execution.loops}, writer).first->second;
      }
      of_writer.emplace(writer, number);
      numbers.push_back(number);
    }
  }
  return numbers;
}

TileCuts tile_cuts(std::span<const uint32_t> numbers, const Slice& slice) {
  std::vector<bool> row_cut(static_cast<size_t>(slice.rows())), column_cut(static_cast<size_t>(slice.columns()));
  const auto at = [&](size_t row, size_t column) { return numbers[row * column_cut.size() + column]; };
  for (size_t row = 0; row < row_cut.size(); ++row) {
    for (size_t column = 0; column < column_cut.size(); ++column) {
      if (row > 0 && at(row, column) != at(row - 1, column)) row_cut[row] = true;
      if (column > 0 && at(row, column) != at(row, column - 1)) column_cut[column] = true;
    }
  }
  const auto cuts = [](const std::vector<bool>& is_cut) {
    std::vector<int64_t> result{0};
    for (size_t i = 1; i < is_cut.size(); ++i) {
      if (is_cut[i]) result.push_back(static_cast<int64_t>(i));
    }
    result.push_back(static_cast<int64_t>(is_cut.size()));
    return result;
  };
  return {cuts(row_cut), cuts(column_cut)};
}

Picture tile_grid(const Written& written, const WrittenBuffer& buffer, const std::optional<std::vector<int64_t>>& mark) {
  const Slice slice(buffer.extents, mark.value_or(std::vector<int64_t>{}));
  Picture picture{fmt::format("tiles of {}", slice.text(buffer.buffer)), {}};
  if (slice.is_empty()) {
    picture.lines = {"not drawn: it has no elements"};
    return picture;
  }
  Grid(written, buffer, slice, mark.has_value()).draw(picture.lines);
  if (mark) picture.lines.push_back(fmt::format("* holds {}", element_text(buffer.buffer, *mark)));
  if (!buffer.has_iterations)
    picture.lines.emplace_back("(integers that steer the program: the statement is known, not the iteration)");
  return picture;
}

}  // namespace tileproof::oracle
