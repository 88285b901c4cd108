// Union-find over the nodes 0 .. n - 1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tileproof::penguin {

class DisjointSets {
 public:
  explicit DisjointSets(size_t n) : parents_(n) { std::iota(parents_.begin(), parents_.end(), size_t{0}); }

  /// The least node of the set, whatever the order in which it came together.
  size_t root(size_t node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }
  void unite(size_t a, size_t b) { parents_[std::max(root(a), root(b))] = std::min(root(a), root(b)); }

 private:
  std::vector<size_t> parents_;
};

}  // namespace tileproof::penguin
