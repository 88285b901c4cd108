// The limits of a run, and whether it has to end.
#pragma once

#include "oracle/interpret/finding_log.h"
#include "oracle/interpret/run.h"

#include <chrono>

namespace tileproof::oracle {

class Meter {
 public:
  Meter(const Limits& limits, const FindingLog& log) : limits_(limits), log_(log) {}

  uint64_t points = 0;
  RunStatus status = RunStatus::done;

  void add(int64_t count) { points += static_cast<uint64_t>(count); }

  /// Cheap enough for every run of points; the clock is read only now and then.
  bool stopped() {
    if (points > limits_.points) status = RunStatus::out_of_points;
    if (++asked_ % 1024 == 0 && std::chrono::steady_clock::now() > limits_.deadline) status = RunStatus::out_of_time;
    return status != RunStatus::done || log_.full();
  }

 private:
  const Limits& limits_;
  const FindingLog& log_;
  uint64_t asked_ = 0;
};

}  // namespace tileproof::oracle
