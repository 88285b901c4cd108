// Names that a program does not use.
#pragma once

#include "compiler/ir/name_hash.h"
#include "compiler/ir/program.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tileproof::transform {

/// Built once for a program, in time linear in its size; a name then costs O(1) on average.
class FreshNames {
 public:
  explicit FreshNames(const ir::Program& program);

  /// `stem` itself if it is free, else `stem` with the smallest number that makes it so. It is taken from then on.
  /// Precondition: `stem` is a word and not longer than 200 bytes.
  std::string fresh(std::string_view stem);
  /// Whether the program declares the name anywhere, or `fresh` gave it.
  bool is_taken(const std::string& name) const { return taken_.contains(name); }

 private:
  std::unordered_set<std::string, ir::NameHash> taken_;
  std::unordered_map<std::string, int64_t, ir::NameHash> next_;   // by stem
  void block(const ir::Block& items);
};

}  // namespace tileproof::transform
