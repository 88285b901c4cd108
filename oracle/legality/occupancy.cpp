#include "oracle/legality/occupancy.h"

#include "compiler/machine/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tileproof::oracle {

Occupancy::Place Occupancy::place_of(const ir::Buffer& buffer, std::span<const int64_t> extents) const {
  const machine::Space* space = machine_.space(buffer.space);
  if (space == nullptr || !space->bytes) return {};
  const int64_t bytes = machine::allocated_bytes(buffer, extents, *space);
  if (bytes > *space->bytes) return {};  // reported where it is declared
  return {space, bytes};
}

void Occupancy::declare(Instance instance, const ir::Buffer& buffer, std::span<const int64_t> extents) {
  const auto [known, is_first] = places_.try_emplace(&buffer);
  if (is_first) known->second = place_of(buffer, extents);
  Life& life = lives_.emplace_back(instance, &buffer, known->second);
  if (buffer.role == ir::Role::in || buffer.role == ir::Role::inout) access(life, true);
}

Occupancy::Life* Occupancy::find(Instance instance) {
  const auto at = std::ranges::lower_bound(lives_, instance, {}, &Life::instance);
  return at == lives_.end() || at->instance != instance ? nullptr : &*at;
}

void Occupancy::advance(const std::string* statement) {
  ++time_;
  statement_ = statement;
}

void Occupancy::access(Life& life, bool is_write) {
  if (life.place.space == nullptr) return;
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
  const Life* const found = find(instance);
  if (found == nullptr) return;
  const Life life = *found;
  lives_.erase(lives_.begin() + (found - lives_.data()));
  end(life);
}

void Occupancy::end(const Life& life) {
  if (!life.begun) return;
  const bool is_result = life.buffer->role == ir::Role::out || life.buffer->role == ir::Role::inout;
  Peak& peak = peaks_[life.place.space];
  peak.add(life.first, is_result ? time_ : life.last, life.place.bytes, life.cause);
  if (peak.size() > most_events_) compact(*life.place.space, peak);
}

void Occupancy::compact(const machine::Space& space, Peak& peak) {
  // Lives still going on end where they were last read, or later than now.
  std::vector<uint64_t> borders{time_, time_ + 1};
  for (const Life& life : lives_) {
    if (life.place.space != &space || !life.begun) continue;
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
  for (const Life& life : lives_) end(life);
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
