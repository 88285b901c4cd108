// The limits of a run, and whether it has to end.
#pragma once

#include "oracle/interpret/finding_log.h"
#include "oracle/interpret/run.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tileproof::oracle {

class Meter {
 public:
  Meter(const Limits& limits, const FindingLog& log) : limits_(limits), log_(log) {}

  uint64_t points = 0;
  RunStatus status = RunStatus::done;

  void add(int64_t count) { points += static_cast<uint64_t>(count); }
  /// So many points, and steps without one, do not reach the limit.
  bool has_room(int64_t more) const { return points + idle_steps_ + static_cast<uint64_t>(more) <= limits_.points; }
  /// Steps without a point that are taken at once.
  void pass(int64_t steps) { idle_steps_ += static_cast<uint64_t>(steps); }

  /// To be asked at each step of a loop, of the program's or over a domain. Steps without a point between them count against the
  /// limit too, so that a loop in which nothing is evaluated ends. Cheap: the clock is read only now and then.
  bool stopped() {
    if (std::exchange(points_before_, points) == points) ++idle_steps_;
    if (points + idle_steps_ > limits_.points) status = RunStatus::out_of_points;
    constexpr uint64_t steps = 1024, many_points = 1 << 20;
    if (++asked_ % steps == 0 || points - points_at_clock_ > many_points) {
      points_at_clock_ = points;
      look_at_clock();
    }
    return status != RunStatus::done || log_.full();
  }

  /// For loops over the elements of a buffer: looks at the clock now and then, at element 0 too. True: the run has to end.
  bool late(int64_t element) {
    constexpr int64_t many_elements = 1 << 20;
    if (element % many_elements == 0) look_at_clock();
    return status != RunStatus::done;
  }

  /// Calls f(first, end) for pieces of the elements of a buffer, with a look at the clock between them: touching the memory of a large
  /// one may take the system seconds. False: the run has to end.
  template <class F>
  bool in_pieces(int64_t count, F f) {
    constexpr int64_t piece = int64_t{1} << 16;
    for (int64_t first = 0; first < count; first += piece) {
      if (count > piece && late(first)) return false;
      f(first, std::min(first + piece, count));
    }
    return true;
  }

 private:
  const Limits& limits_;
  const FindingLog& log_;
  uint64_t asked_ = 0, idle_steps_ = 0, points_before_ = 0, points_at_clock_ = 0;

  void look_at_clock() {
    if (status == RunStatus::done && std::chrono::steady_clock::now() > limits_.deadline) status = RunStatus::out_of_time;
  }
};

}  // namespace tileproof::oracle
