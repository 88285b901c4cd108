#include "oracle/explain/slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tileproof::oracle {

Slice::Slice(std::vector<int64_t> extents, std::vector<int64_t> through)
    : extents_(std::move(extents)), through_(std::move(through)) {
  through_.resize(extents_.size());
  for (size_t i = 0; i < extents_.size(); ++i) {
    count_ *= extents_[i];
    through_[i] = std::clamp<int64_t>(through_[i], 0, std::max<int64_t>(0, extents_[i] - 1));
  }
  for (size_t i = extents_.size(); i-- > 0;) {
    if (extents_[i] <= 1) continue;
    if (!column_dim_) {
      column_dim_ = i;
    } else if (!row_dim_) {
      row_dim_ = i;
    }
  }
}

size_t Slice::element(int64_t row, int64_t column) const {
  int64_t element = 0;
  for (size_t i = 0; i < extents_.size(); ++i) {
    const int64_t index = i == row_dim_ ? row : i == column_dim_ ? column : through_[i];
    element = element * extents_[i] + index;
  }
  return static_cast<size_t>(element);
}

std::string Slice::text(std::string_view buffer) const {
  const std::string whole = extents_.empty() ? std::string(buffer) : fmt::format("{}[{}]", buffer, fmt::join(extents_, ", "));
  if (!is_part()) return whole;
  std::vector<std::string> parts;
  for (size_t i = 0; i < extents_.size(); ++i) {
    const bool is_shown = i == row_dim_ || i == column_dim_;
    parts.push_back(is_shown ? fmt::format("0..{}", extents_[i] - 1) : fmt::format("{}", through_[i]));
  }
  return fmt::format("{}[{}] of {}", buffer, fmt::join(parts, ", "), whole);
}

}  // namespace tileproof::oracle
