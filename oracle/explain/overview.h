// A slice in a few characters: each stands for a rectangle of elements, and shows the most telling of them.
#pragma once

#include "oracle/explain/slice.h"

#include <functional>
#include <string>
#include <vector>

namespace tileproof::oracle {

/// `rank(row, column)` is how telling an element is; `characters[rank]` is drawn for the highest rank of a rectangle. At most
/// `most_rows` by `most_columns` characters, framed by the index ranges. The last line says how many elements a character is,
/// where that is more than one.
std::vector<std::string> overview(const Slice& slice, std::string_view characters, size_t most_rows, size_t most_columns,
                                  const std::function<size_t(int64_t row, int64_t column)>& rank);

}  // namespace tileproof::oracle
