#include "oracle/legality/peak.h"

#include <algorithm>
#include <tuple>

namespace tileproof::oracle {

void Peak::add(uint64_t first, uint64_t last, int64_t bytes, uint32_t what) {
  events_.push_back({first, bytes, what});
  events_.push_back({last + 1, -bytes, what});
}

std::vector<Peak::Event> Peak::sorted() const {
  // At one time, what ends goes first: a buffer may take the place of another that was last read before.
  std::vector<Event> events = events_;
  std::ranges::sort(events, [](const Event& a, const Event& b) {
    return std::tie(a.time, a.change, a.what) < std::tie(b.time, b.change, b.what);
  });
  return events;
}

Peak::Top Peak::top() const {
  Top top;
  int64_t level = 0;
  for (const Event& event : sorted()) {
    level += event.change;
    if (level > top.bytes) top = {level, event.time, event.what};
  }
  return top;
}

void Peak::compact(const std::vector<uint64_t>& borders) {
  const std::vector<Event> events = sorted();
  std::vector<Event> kept;
  int64_t level = 0, kept_level = 0;
  uint32_t added = 0;   // the interval that last raised the level
  size_t i = 0;
  const auto apply = [&] {
    level += events[i].change;
    if (events[i].change > 0) added = events[i].what;
    ++i;
  };
  for (size_t b = 0; b <= borders.size(); ++b) {
    // From the last border (or the first event) up to this one, only the highest level matters.
    const uint64_t begin = b == 0 ? 0 : borders[b - 1];
    const bool is_last = b == borders.size();
    while (i < events.size() && events[i].time <= begin) apply();
    Event highest{begin, level, added};
    while (i < events.size() && (is_last || events[i].time < borders[b])) {
      apply();
      if (level > highest.change) highest = {begin, level, added};
    }
    if (highest.change != kept_level) kept.push_back({begin, highest.change - kept_level, highest.what});
    kept_level = highest.change;
  }
  if (kept_level != 0) kept.push_back({events.back().time, -kept_level, 0});
  events_ = std::move(kept);
}

}  // namespace tileproof::oracle
