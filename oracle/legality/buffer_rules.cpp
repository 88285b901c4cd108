#include "oracle/legality/buffer_rules.h"

#include "compiler/ir/suggestion.h"
#include "compiler/machine/footprint.h"
#include "oracle/plural.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::oracle {
namespace {

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

std::string names_of_spaces(const machine::Machine& machine) {
  std::vector<std::string_view> names;
  for (const machine::Space& space : machine.spaces) names.push_back(space.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

class BufferRules {
 public:
  BufferRules(const ir::Buffer& buffer, std::span<const int64_t> extents, const machine::Machine& machine,
              const machine::Space& space, Report& report)
      : buffer_(buffer), extents_(extents), machine_(machine), space_(space), report_(report) {}

  void judge(std::optional<std::pair<int64_t, int64_t>> address) {
    const std::string& name = buffer_.name;
    if (space_.partitions && !buffer_.partition_rank) {
      add(FindingId::partitions,
          fmt::format("{} has no partition dimensions; {} of {} lies in {} partitions: put a bar behind those that lie on them",
                      name, space_.name, machine_.name, *space_.partitions));
    }
    if (!space_.partitions && buffer_.partition_rank) {
      add(FindingId::partitions, fmt::format("{} has partition dimensions; {} of {} has no partitions: leave the bar out", name,
                                             space_.name, machine_.name));
    }
    const int64_t partitions = machine::spanned_partitions(buffer_, extents_);
    const bool on_partitions = space_.partitions && buffer_.partition_rank;
    if (on_partitions && partitions > *space_.partitions) {
      add(FindingId::partitions, fmt::format("{} spans {} partitions; {} of {} has {}", name, partitions, space_.name,
                                             machine_.name, *space_.partitions));
    }
    const int64_t row = round_up(extents_.back() * ir::bits(buffer_.dtype), 8) / 8;
    if (row % space_.row != 0) {
      add(FindingId::alignment, fmt::format("the last dimension of {} takes {}; rows in {} of {} are multiples of {}", name,
                                            plural(static_cast<uint64_t>(row), "byte"), space_.name, machine_.name, space_.row));
    }
    if (address) {
      judge_address(address->first, address->second, on_partitions ? partitions : 1);
    } else if (const int64_t bytes = machine::allocated_bytes(buffer_, extents_, space_); space_.bytes && bytes > *space_.bytes) {
      add(FindingId::capacity, fmt::format("{} takes {} bytes{}; {} of {} has {}", name, bytes, per_partition(), space_.name,
                                           machine_.name, *space_.bytes));
    }
  }

 private:
  void add(FindingId id, std::string detail) { report_.add({id, "-", buffer_.name, {}, buffer_.location, std::move(detail)}); }

  std::string_view per_partition() const { return space_.partitions ? " in each partition" : ""; }

  void judge_address(int64_t partition, int64_t byte, int64_t partitions) {
    const std::string& name = buffer_.name;
    const int64_t last = partition + partitions - 1, limit = space_.partitions.value_or(1);
    if (partition < 0 || partition >= limit || (last >= limit && partitions <= limit)) {
      add(FindingId::address, fmt::format("{} lies on partitions {}..{}; {} of {} has 0..{}", name, partition, last, space_.name,
                                          machine_.name, limit - 1));
    }
    if (byte % space_.alignment != 0) {
      add(FindingId::alignment, fmt::format("{} begins at byte {}; buffers in {} of {} begin at multiples of {}", name, byte,
                                            space_.name, machine_.name, space_.alignment));
    }
    const int64_t bytes = machine::stored_bytes(buffer_, extents_);
    if (byte < 0 || (space_.bytes && byte >= *space_.bytes)) {
      add(FindingId::address, space_.bytes ? fmt::format("{} begins at byte {}; {} of {} has bytes 0..{}", name, byte,
                                                         space_.name, machine_.name, *space_.bytes - 1)
                                           : fmt::format("{} begins at byte {}", name, byte));
    } else if (space_.bytes && bytes > *space_.bytes - byte) {
      add(FindingId::capacity, fmt::format("{} takes bytes {}..{}{}; {} of {} has {}", name, byte, byte + bytes - 1,
                                           per_partition(), space_.name, machine_.name, *space_.bytes));
    }
  }

  const ir::Buffer& buffer_;
  std::span<const int64_t> extents_;
  const machine::Machine& machine_;
  const machine::Space& space_;
  Report& report_;
};

}  // namespace

void judge_buffer(const ir::Buffer& buffer, std::span<const int64_t> extents, std::optional<std::pair<int64_t, int64_t>> address,
                  const machine::Machine& machine, Report& report) {
  if (const machine::Space* space = machine.space(buffer.space)) {
    BufferRules(buffer, extents, machine, *space, report).judge(address);
    return;
  }
  std::vector<std::string_view> candidates;
  for (const machine::Space& space : machine.spaces) candidates.push_back(space.name);
  report.add({FindingId::unknown,
              "-",
              buffer.name,
              {},
              buffer.location,
              fmt::format("{} has no space {}; {}", machine.name, ir::quoted(buffer.space),
                          ir::suggestion(buffer.space, candidates, fmt::format("its spaces are {}", names_of_spaces(machine))))});
}

}  // namespace tileproof::oracle
