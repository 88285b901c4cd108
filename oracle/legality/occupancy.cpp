#include "oracle/legality/occupancy.h"

#include "compiler/machine/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tileproof::oracle {

void Occupancy::declare(Instance instance, const ir::Buffer& buffer, std::span<const int64_t> extents) {
  const machine::Space* space = machine_.space(buffer.space);
  if (space == nullptr || !space->bytes) return;
  const int64_t bytes = machine::allocated_bytes(buffer, extents, *space);
  if (bytes > *space->bytes) return;   // reported where it is declared
  Life life{&buffer, space, bytes, false, 0, 0, 0};
  lives_[instance] = life;
  if (buffer.role == ir::Role::in || buffer.role == ir::Role::inout) access(instance, true);
}

void Occupancy::advance(const std::string* statement) {
  ++time_;
  statement_ = statement;
}

void Occupancy::access(Instance instance, bool is_write) {
  const auto found = lives_.find(instance);
  if (found == lives_.end()) return;
  Life& life = found->second;
  // A read of what was never written is a finding elsewhere; here it occupies its bytes all the same.
  if (!life.begun) {
    const Cause cause{life.buffer, statement_};
    const auto [number, is_first] = numbers_.try_emplace(cause, static_cast<uint32_t>(causes_.size()));
    if (is_first) causes_.push_back(cause);
    life.begun = true;
    life.first = life.last = time_;
    life.cause = number->second;
  }
  if (!is_write) life.last = time_;
}

void Occupancy::release(Instance instance) {
  const auto found = lives_.find(instance);
  if (found == lives_.end()) return;
  const Life life = found->second;
  lives_.erase(found);
  end(life);
}

void Occupancy::end(const Life& life) {
  if (!life.begun) return;
  const bool is_result = life.buffer->role == ir::Role::out || life.buffer->role == ir::Role::inout;
  Peak& peak = peaks_[life.space];
  peak.add(life.first, is_result ? time_ : life.last, life.bytes, life.cause);
  if (peak.size() > most_events_) compact(*life.space, peak);
}

void Occupancy::compact(const machine::Space& space, Peak& peak) {
  // Lives still going on end where they were last read, or later than now.
  std::vector<uint64_t> borders{time_, time_ + 1};
  for (const auto& [instance, life] : lives_) {
    if (life.space != &space || !life.begun) continue;
    borders.push_back(life.first);
    borders.push_back(life.last + 1);
  }
  std::ranges::sort(borders);
  const auto repeated = std::ranges::unique(borders);
  borders.erase(repeated.begin(), repeated.end());
  peak.compact(borders);
  most_events_ = std::max(most_events_, 4 * peak.size());
}

void Occupancy::finish(Report& report) {
  for (const auto& [instance, life] : lives_) end(life);
  lives_.clear();
  for (const machine::Space& space : machine_.spaces) {
    const auto peak = peaks_.find(&space);
    if (peak == peaks_.end()) continue;
    const Peak::Top top = peak->second.top();
    if (top.bytes <= *space.bytes) continue;
    const Cause& cause = causes_[top.what];
    const std::string when = cause.statement == nullptr ? "" : fmt::format(" by {}", *cause.statement);
    const std::string banks = space.bank_bytes ? fmt::format(", {} banks,", top.bytes / *space.bank_bytes) : "";
    report.add({FindingId::capacity,
                "-",
                cause.buffer->name,
                {},
                cause.buffer->location,
                fmt::format("{} bytes{}{} are live when {} is first written{}; {} of {} has {}", top.bytes,
                            space.partitions ? " in each partition" : "", banks, cause.buffer->name, when, space.name,
                            machine_.name, *space.bytes)});
  }
}

}  // namespace tileproof::oracle
