// Who wants to know what a program does while it runs: told once for each execution of a statement, never for each element.
#pragma once

#include "compiler/ir/program.h"
#include "oracle/domain/domain.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace tileproof::oracle {

/// A buffer in one life: each declaration executed makes a fresh one. Counts from 1.
using Instance = uint32_t;

/// The values of the parameters and loop variables around a statement.
class Environment {
 public:
  virtual ~Environment() = default;
  /// Precondition: `name` is a visible parameter or loop variable.
  virtual int64_t value(std::string_view name) const = 0;
  /// The living instance of a visible buffer or view (of its root buffer).
  virtual Instance instance(std::string_view buffer) const = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// `address`: partition and byte, if the buffer has one.
  virtual void declare(Instance instance, const ir::Buffer& buffer, std::span<const int64_t> extents,
                       std::optional<std::pair<int64_t, int64_t>> address) = 0;
  /// Once for each execution of a statement, before its accesses; `extents` of its axes, in the order listed.
  virtual void execute(const ir::Statement& statement, Site site, std::span<const int64_t> extents,
                       const Environment& environment) = 0;
  /// Once for each buffer that an execution of a statement, move or opaque reads or writes.
  virtual void access(Instance instance, bool is_write) = 0;
  /// The end of the block that declared it.
  virtual void release(Instance instance) = 0;
};

}  // namespace tileproof::oracle
