// The bytes of the memory spaces, and which buffer instance each belongs to: the one that wrote it last. Only buffers whose
// addresses may meet others' are kept here.
#pragma once

#include "oracle/interpret/observer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace tileproof::oracle {

/// The bytes [first, last] of a partition of a space.
struct ByteRange {
  uint32_t space = 0;
  int64_t partition = 0;
  int64_t first = 0, last = 0;
};

class Owners {
 public:
  void take(const ByteRange& range, Instance instance) {
    std::vector<Instance>& bytes = row(range);
    std::fill(bytes.begin() + range.first, bytes.begin() + range.last + 1, instance);
  }
  /// Whether a byte of the range belongs to somebody else; bytes that nobody wrote belong to all.
  bool taken_from(const ByteRange& range, Instance instance) {
    const std::vector<Instance>& bytes = row(range);
    return std::any_of(bytes.begin() + range.first, bytes.begin() + range.last + 1,
                       [&](Instance owner) { return owner != 0 && owner != instance; });
  }

 private:
  std::vector<Instance>& row(const ByteRange& range) {
    std::vector<Instance>& bytes = rows_[{range.space, range.partition}];
    if (bytes.size() <= static_cast<size_t>(range.last))
      bytes.resize(std::max(static_cast<size_t>(range.last) + 1, 2 * bytes.size()));
    return bytes;
  }
  std::map<std::pair<uint32_t, int64_t>, std::vector<Instance>> rows_;
};

}  // namespace tileproof::oracle
