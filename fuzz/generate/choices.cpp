#include "fuzz/generate/choices.h"

#include <algorithm>
#include <array>

namespace tileproof::fuzz {

Choices Choices::from_seed(uint64_t seed) {
  Choices choices;
  choices.random_.emplace(seed);
  return choices;
}

uint64_t Choices::below(uint64_t n) {
  if (n <= 1) return 0;
  if (random_) return (*random_)() % n;
  uint64_t value = 0;
  for (uint64_t rest = n - 1; rest > 0; rest >>= 8) {
    value = value << 8 | (bytes_.empty() ? 0 : bytes_.front());
    if (!bytes_.empty()) bytes_ = bytes_.subspan(1);
  }
  return value % n;
}

int64_t Choices::between(int64_t low, int64_t high) {
  return static_cast<int64_t>(static_cast<uint64_t>(low) + below(static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1));
}

bool Choices::chance(unsigned percent) { return 100 - 1 - below(100) < percent; }

int64_t Choices::extent(int64_t most) {
  static constexpr std::array<int64_t, 16> likely{2, 3, 1, 4, 5, 7, 8, 6, 9, 13, 12, 16, 15, 17, 10, 24};
  const int64_t value = chance(15) ? between(1, 32) : likely[below(likely.size())];
  return std::clamp<int64_t>(value, 1, std::max<int64_t>(1, most));
}

}  // namespace tileproof::fuzz
