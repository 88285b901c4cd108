// Which parts of a serial run could have run at the same time. A strand is one iteration of a par, shard or thread loop, outside
// of inner such loops; strands form a tree:
//
//   root ── par loop, execution 7 ─┬─ iteration 0 ── par loop, execution 8 ─┬─ iteration 0
//                                  ├─ iteration 1                           └─ iteration 1
//
// Two strands are concurrent iff their paths from the root first differ in iterations of one execution of a loop. Whatever
// separates them otherwise is order: statements of a block, iterations of a seq loop.
// For a run in the order of the tree it is enough to remember the last writer and one reader of each element: concurrency is
// transitive enough (Feng and Leiserson, "Efficient detection of determinacy races in Cilk programs", 1997).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tileproof::oracle {

/// 0 is "nobody", 1 the root.
using Strand = uint32_t;

class Strands {
 public:
  static constexpr Strand root = 1;

  /// An iteration of the loop execution `loop` inside `parent`.
  Strand enter(Strand parent, uint32_t loop) {
    nodes_.push_back({parent, loop, nodes_[parent].depth + 1});
    return static_cast<Strand>(nodes_.size() - 1);
  }
  uint32_t new_loop() { return ++loops_; }

  /// False where either is nobody.
  bool concurrent(Strand a, Strand b) const {
    if (a == b || a == 0 || b == 0) return false;
    return a == last_a_ && b == last_b_ ? last_ : compare(a, b);
  }
  uint64_t bytes() const { return nodes_.size() * sizeof(Node); }

 private:
  struct Node {
    Strand parent;
    uint32_t loop;
    uint32_t depth;
  };
  [[gnu::noinline]] bool compare(Strand a, Strand b) const {
    last_a_ = a;
    last_b_ = b;
    return last_ = differ_in_one_loop(a, b);
  }
  bool differ_in_one_loop(Strand a, Strand b) const {
    while (nodes_[a].depth > nodes_[b].depth) a = nodes_[a].parent;
    while (nodes_[b].depth > nodes_[a].depth) b = nodes_[b].parent;
    if (a == b) return false;
    while (nodes_[a].parent != nodes_[b].parent) {
      a = nodes_[a].parent;
      b = nodes_[b].parent;
    }
    return nodes_[a].loop == nodes_[b].loop;
  }

  std::vector<Node> nodes_{{0, 0, 0}, {0, 0, 0}};
  uint32_t loops_ = 0;
  mutable Strand last_a_ = 0, last_b_ = 0;   // neighbours ask the same question
  mutable bool last_ = false;
};

}  // namespace tileproof::oracle
