// What a generator makes: how many of its programs have each feature. Floors on the shares are tests, so that a generator cannot
// quietly stop making what a property is meant to try.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/graph_machine.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace tileproof::fuzz {

struct Distribution {
  uint64_t programs = 0;
  uint64_t statements = 0;
  uint64_t points = 0;   ///< of graphs: of all axes of all statements
  std::map<std::string, uint64_t> counts;   ///< programs that have the feature, by its name

  /// Features: "loop par", "axis reduce", "update max=", "dtype bf16", "role inout", "view", "view of view", "address", "bar", "valid",
  /// "range", "where", "start", "stop", "acc", "clobbers", "gather", "scatter", "select", "cast", "function", "if", "while", "group",
  /// "move", "opaque", "parameter", "local buffer", "empty axis", "1 statement", "6+ statements".
  void add(const ir::Program& program);
  /// The features of a graph (generate_graph) instead, relative to the budgets that it was drawn about:
  ///   "ragged tail"      an axis is longer than a budget and no multiple of it: the free budget, and for all but the axes of `reduce`
  ///                      that reduce also the partitions
  ///   "prime"            an axis is a prime beyond the partitions
  ///   "window or stride" an index is more than an axis or a number
  ///   "several consumers" two statements read one result
  ///   "reduction"        `reduce` and `matmul`; "matmul" (what needs PSUM tiles), "transpose", "map", "copy"
  ///   "matmul with 2 cut axes", "matmul with 3 cut axes"   so many or more of contraction, rows and columns do not fit a tile
  ///   "gather", "scan", "in place"   (an elementwise statement that reads what it writes)
  ///   "two dims as one"  several axes index one dim of a result
  ///   "broadcast"        a statement has a parallel axis that one of its operands has not
  ///   "fuse group", "partition tag", "padding", "inout", "dtype bf16", ..., "1 operation", "6+ operations"
  void add_graph(const ir::Program& program, const Budgets& budgets);
  void merge(const Distribution& other);
  /// Of all programs, in percent.
  double percent(const std::string& feature) const;
  /// One line a feature, most frequent first.
  std::string print() const;
  /// `{"programs": 10, "statements": 31, "points": 0, "percent": {"view": 20.0, ...}}`
  nlohmann::ordered_json json() const;
};

}  // namespace tileproof::fuzz
