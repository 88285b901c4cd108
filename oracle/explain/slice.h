// The two dimensions of a buffer that a picture shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::oracle {

/// A plane of rows and columns through an element. Of more than two dims longer than 1 the last two are shown; the others stay
/// at the element's index. Fewer dims are a row of columns, or one element.
class Slice {
 public:
  /// `through` may be empty: element 0 of every dim. Indices outside their extents are moved to the nearest inside.
  Slice(std::vector<int64_t> extents, std::vector<int64_t> through);

  int64_t rows() const { return extent(row_dim_); }
  int64_t columns() const { return extent(column_dim_); }
  /// Where the element that it goes through lies.
  int64_t row() const { return row_dim_ ? through_[*row_dim_] : 0; }
  int64_t column() const { return column_dim_ ? through_[*column_dim_] : 0; }
  /// Row-major in the buffer.
  size_t element(int64_t row, int64_t column) const;
  bool is_empty() const { return count_ == 0; }
  /// Whether some of the buffer is not shown.
  bool is_part() const { return count_ > rows() * columns(); }
  /// "y[300, 3200]", or "y[2, 0..63, 0..31] of y[8, 64, 32]".
  std::string text(std::string_view buffer) const;

 private:
  int64_t extent(std::optional<size_t> dim) const { return dim ? extents_[*dim] : count_ == 0 ? 0 : 1; }

  std::vector<int64_t> extents_, through_;
  std::optional<size_t> row_dim_, column_dim_;
  int64_t count_ = 1;
};

}  // namespace tileproof::oracle
