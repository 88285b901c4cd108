// Is the program legal on its machine? Watches one run and judges every execution of a statement and every life of a buffer.
#pragma once

#include "compiler/machine/machine.h"
#include "oracle/finding.h"
#include "oracle/interpret/observer.h"

#include <memory>
#include <vector>

namespace tileproof::oracle {

/// TP201..TP211. Give it to an interpreter as its observer, then ask `finish`.
///
/// Executions that differ in nothing that matters (statement, extents, first partitions, windows in banks and bytes) are
/// judged once. A finding is reported once for each statement (or declaration), buffer and id, with the figures of its first
/// occurrence. Both arguments must outlive the object, and the statements and buffers that it is told of are those of `program`,
/// at their addresses. An execution none of whose points can satisfy the conditions is not judged.
class Legality final : public Observer {
 public:
  Legality(const ir::Program& program, const machine::Machine& machine);
  ~Legality() override;
  Legality(const Legality&) = delete;
  Legality& operator=(const Legality&) = delete;

  void declare(Instance instance, const ir::Buffer& buffer, std::span<const int64_t> extents,
               std::optional<std::pair<int64_t, int64_t>> address) override;
  void execute(const ir::Statement& statement, Site site, std::span<const int64_t> extents,
               const Environment& environment) override;
  void access(Instance instance, bool is_write) override;
  void release(Instance instance) override;

  /// All findings, in the order found; those on capacity come last, since a peak is known only at the end.
  std::vector<Finding> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tileproof::oracle
