#include "oracle/legality/window_rules.h"
#include "oracle/plural.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::oracle {
namespace {

Finding finding(FindingId id, const machine::Operation& operation, const std::string& label, const std::string& buffer,
                std::string detail) {
  return {id, label, buffer, {}, operation.statement().location, std::move(detail)};
}

}  // namespace

void judge_partitions(const machine::Operation& operation, const machine::Machine& machine, const std::string& label,
                      Report& report) {
  for (size_t i = 0; i < operation.placements.size(); ++i) {
    const machine::Access& access = operation.access(i);
    const machine::Space* space = machine.space(access.buffer->space);
    if (space == nullptr || space->starts.empty() || !operation.placements[i].has_bar) continue;
    const auto window = machine::partition_window(operation, i);
    if (!window) continue;
    if (!window->contiguous) {
      report.add(finding(FindingId::start_partition, operation, label, access.name,
                         fmt::format("{} leaves out some of the partitions {}..{}; an access on {} takes neighbouring ones",
                                     access.name, window->start, window->start + window->count - 1, machine.name)));
      continue;
    }
    const auto& address = access.buffer->address;
    const int64_t base = address ? machine::form_of(address->partition, {}, {}, *operation.lookup).constant : 0;
    const int64_t start = base + window->start, count = window->count;
    const auto rule =
        std::ranges::find_if(space->starts, [&](const machine::StartRule& r) { return r.low <= count && count <= r.high; });
    if (rule == space->starts.end() || std::ranges::find(rule->starts, start) != rule->starts.end()) continue;
    report.add(finding(FindingId::start_partition, operation, label, access.name,
                       fmt::format("{} is accessed on partitions {}..{}; {} of {} {} at {} on {}", access.name, start,
                                   start + count - 1, plural(static_cast<uint64_t>(count), "partition"), space->name,
                                   count == 1 ? "begins" : "begin", fmt::join(rule->starts, " or "), machine.name)));
  }
}

void judge_packing(const machine::Operation& operation, const std::string& label, Report& report) {
  for (size_t i = 0; i < operation.placements.size(); ++i) {
    const auto bit = machine::unaligned_bit(operation, i);
    if (!bit) continue;
    const machine::Access& access = operation.access(i);
    report.add(finding(
        FindingId::alignment, operation, label, access.name,
        fmt::format("a run of elements of {} begins at bit {} of byte {}; {} packs {} to a byte, and a window begins with a byte",
                    access.name, *bit % 8, *bit / 8, ir::name(access.buffer->dtype), 8 / ir::bits(access.buffer->dtype))));
  }
}

}  // namespace tileproof::oracle
