// What a generator makes: how many of its programs have each feature. Floors on the shares are tests, so that a generator cannot
// quietly stop making what a property is meant to try.
#pragma once

#include "compiler/ir/program.h"

#include <cstdint>
#include <map>
#include <string>

namespace tileproof::fuzz {

struct Distribution {
  uint64_t programs = 0;
  uint64_t statements = 0;
  std::map<std::string, uint64_t> counts;   ///< programs that have the feature, by its name

  /// Features: "loop par", "axis reduce", "update max=", "dtype bf16", "role inout", "view", "view of view", "address", "bar", "valid",
  /// "range", "where", "start", "stop", "acc", "clobbers", "gather", "scatter", "select", "cast", "function", "if", "while", "group",
  /// "move", "opaque", "parameter", "local buffer", "empty axis", "1 statement", "6+ statements".
  void add(const ir::Program& program);
  void merge(const Distribution& other);
  /// Of all programs, in percent.
  double percent(const std::string& feature) const;
  /// One line a feature, most frequent first.
  std::string print() const;
};

}  // namespace tileproof::fuzz
