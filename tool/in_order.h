// Work on several things at the same time, with results in the order of the things.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tileproof::tool {

/// Calls `work(i)` for each i below `count` on `jobs` threads (0: one for each processor), and `consume(i, result)` in ascending
/// order on the calling thread. `work` never throws. `consume` returns false to stop; what is being worked on at that moment is
/// finished and dropped.
template <class Result, class Work, class Consume>
void in_order(size_t count, int jobs, const Work& work, const Consume& consume) {
  std::vector<std::optional<Result>> results(count);
  std::mutex mutex;
  std::condition_variable arrived;
  std::atomic<size_t> next = 0;
  const auto serve = [&] {
    for (size_t i = next++; i < count; i = next++) {
      Result result = work(i);
      const std::scoped_lock lock(mutex);
      results[i] = std::move(result);
      arrived.notify_one();
    }
  };
  const size_t wanted = jobs > 0 ? static_cast<size_t>(jobs) : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < std::min(wanted, count); ++i) threads.emplace_back(serve);
  for (size_t i = 0; i < count; ++i) {
    std::unique_lock lock(mutex);
    arrived.wait(lock, [&] { return results[i].has_value(); });
    const Result result = std::move(*results[i]);
    lock.unlock();
    if (!consume(i, result)) {
      next = count;
      return;
    }
  }
}

}  // namespace tileproof::tool
