#include "fuzz/generate/graph_extent.h"

#include <algorithm>

namespace tileproof::fuzz {

bool is_prime(int64_t n) {
  if (n < 2) return false;
  for (int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

int64_t ExtentSource::about(int64_t budget) {
  switch (choices_.below(12)) {
    case 0: return choices_.between(2, 4);
    case 1: return 1;
    case 2: return budget;
    case 3: return budget + 1;
    case 4: return budget - 1;
    case 5:
    case 6: return 3 * budget + choices_.between(1, budget - 1);
    case 7:
    case 8: {
      int64_t prime = budget + choices_.between(1, 3 * budget);
      while (!is_prime(prime)) ++prime;
      return prime;
    }
    case 9: return budget + choices_.between(1, budget - 1);
    case 10: return 2 * budget;
    default: return choices_.between(2, budget);
  }
}

int64_t ExtentSource::beyond(int64_t budget, int64_t room) {
  int64_t extent = budget + 1;
  switch (choices_.below(5)) {
    case 1: extent = 2 * budget; break;
    case 2: extent = 2 * budget + choices_.between(1, budget - 1); break;
    case 3: extent = 3 * budget + choices_.between(1, budget - 1); break;
    case 4:
      extent = budget + choices_.between(1, 2 * budget);
      while (!is_prime(extent)) ++extent;
      break;
    default: break;
  }
  return extent <= room ? extent : choices_.between(budget + 1, room);
}

int64_t ExtentSource::draw(int64_t room) {
  if (!drawn_.empty() && choices_.chance(40)) {
    const int64_t again = choices_.pick(drawn_);
    if (again <= room) return again;
  }
  int64_t extent = about(choices_.chance(50) ? budgets_.free : budgets_.partitions);
  if (extent > room) extent = about(budgets_.partitions);
  if (extent > room) extent = choices_.between(1, 3);
  drawn_.push_back(std::min(extent, room));
  return drawn_.back();
}

}  // namespace tileproof::fuzz
