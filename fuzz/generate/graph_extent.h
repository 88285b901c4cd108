// The extents of graphs, drawn about the budgets of a machine.
#pragma once

#include "fuzz/generate/choices.h"
#include "fuzz/generate/graph_machine.h"

#include <cstdint>
#include <vector>

namespace tileproof::fuzz {

/// Without a divisor but 1 and itself; 1 is none.
bool is_prime(int64_t n);

class ExtentSource {
 public:
  ExtentSource(Choices& choices, const Budgets& budgets) : choices_(choices), budgets_(budgets) {}

  /// From 1 to `room`: 1, small ones, a budget and its neighbours, two tiles, three tiles and a tail, a prime beyond a budget; often one
  /// that was drawn before, so that operands fit each other.
  int64_t draw(int64_t room);
  /// From budget + 1 to `room`, which is no less: one more, a whole number of tiles, several and a tail, a prime.
  int64_t beyond(int64_t budget, int64_t room);

 private:
  Choices& choices_;
  const Budgets budgets_;
  std::vector<int64_t> drawn_;

  int64_t about(int64_t budget);
};

}  // namespace tileproof::fuzz
