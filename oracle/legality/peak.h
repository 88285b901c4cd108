// The peak of a sum of intervals that become known when they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tileproof::oracle {

/// Live bytes over time: each interval [first, last] holds some bytes at both ends and between. Times are counts of executions.
class Peak {
 public:
  struct Top {
    int64_t bytes = 0;
    uint64_t time = 0;      ///< the earliest at which they are live
    uint32_t what = 0;      ///< the interval that brought the level there
  };

  void add(uint64_t first, uint64_t last, int64_t bytes, uint32_t what);
  Top top() const;

  /// How much is held in memory; `compact` makes it small.
  size_t size() const { return events_.size(); }
  /// Forgets what cannot matter: from here on, every added interval begins at one of `borders` and ends just before one, or
  /// later than every time so far. `borders` are ascending.
  void compact(const std::vector<uint64_t>& borders);

 private:
  struct Event {
    uint64_t time;
    int64_t change;
    uint32_t what;
  };
  std::vector<Event> sorted() const;

  std::vector<Event> events_;
};

}  // namespace tileproof::oracle
