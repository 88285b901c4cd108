// The names that are visible at a place of a program, and what they stand for.
#pragma once

#include "compiler/ir/name_hash.h"
#include "compiler/ir/program.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace tileproof::ir {

struct Symbol {
  enum class Kind : uint8_t { parameter, loop, axis, buffer, view };
  Kind kind = Kind::parameter;
  Location location;
  const Parameter* parameter = nullptr;
  AxisKind axis_kind = AxisKind::parallel;
  const Buffer* buffer =
      nullptr;   ///< buffer: itself; view: the buffer at the end of the chain of views, nullptr if that is in error
  size_t rank = 0;                  ///< buffer and view

  bool is_memory() const { return kind == Kind::buffer || kind == Kind::view; }
};

/// "a buffer", "a loop variable", ...
std::string_view description(Symbol::Kind kind);

/// No name hides another one, so one map holds all that are visible; a block forgets its names when it ends.
class Scope {
 public:
  const Symbol* find(std::string_view name) const;
  /// The visible symbol of that name if there is one (and nothing is declared), else nullptr. `name` must outlive the scope.
  const Symbol* declare(std::string_view name, const Symbol& symbol);
  /// The names of memory, or of integers.
  std::vector<std::string_view> visible(bool memory) const;

  size_t mark() const { return order_.size(); }
  void forget_since(size_t mark);

 private:
  std::unordered_map<std::string_view, Symbol, NameHash> symbols_;
  std::vector<std::string_view> order_;
};

/// Makes a block of names out of a block of code.
class ScopedNames {
 public:
  explicit ScopedNames(Scope& scope) : scope_(scope), mark_(scope.mark()) {}
  ~ScopedNames() { scope_.forget_since(mark_); }
  ScopedNames(const ScopedNames&) = delete;
  ScopedNames& operator=(const ScopedNames&) = delete;

 private:
  Scope& scope_;
  size_t mark_;
};

}  // namespace tileproof::ir
