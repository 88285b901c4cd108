#include "oracle/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tileproof::oracle {
namespace {

struct Entry {
  FindingId id;
  std::string_view name;
  std::string_view summary;
};

// In ascending order of the numbers.
constexpr std::array entries{
    Entry{FindingId::value, "value", "an output element differs from the original's"},
    Entry{FindingId::rounding_only, "rounding-only", "the programs differ, but agree when nothing is rounded"},
    Entry{FindingId::overflow, "overflow", "the tiled program is not finite where the original is"},
    Entry{FindingId::out_of_bounds, "out-of-bounds", "an index lies outside its dimension"},
    Entry{FindingId::poison_output, "poison-output", "an undefined value reaches an output"},
    Entry{FindingId::poison_index, "poison-index", "an undefined value reaches an index, a condition or a loop bound"},
    Entry{FindingId::not_written, "not-written", "an `out` element is never written"},
    Entry{FindingId::race, "race", "two accesses to one element, one of them a write, have no order"},
    Entry{FindingId::overlap, "overlap", "a read of bytes that another buffer has taken over"},
    Entry{FindingId::while_limit, "while-limit", "a `while` still holds after its `max`"},
    Entry{FindingId::range, "range", "an integer lies outside the declared range of its buffer"},
    Entry{FindingId::valid_claim, "valid-claim", "an element inside the claimed `valid` region is undefined when it is read"},
    Entry{FindingId::stop_claim, "stop-claim", "an accumulator is read before its accumulation has stopped"},
    Entry{FindingId::nan_output, "nan-output", "a NaN reaches an output or an integer"},
    Entry{FindingId::view, "view", "a view's map is not injective"},
    Entry{FindingId::capacity, "capacity", "more bytes are live than the memory space holds"},
    Entry{FindingId::partitions, "partitions", "more partitions are used than the memory space has"},
    Entry{FindingId::start_partition, "start-partition", "an access starts at a partition where one of its extent may not start"},
    Entry{FindingId::bank, "bank", "an accumulator does not fit into its bank"},
    Entry{FindingId::alignment, "alignment", "an address or a packed window starts inside a unit"},
    Entry{FindingId::opcode, "opcode", "the statement's formula is not what its opcode computes"},
    Entry{FindingId::limit, "limit", "an extent is larger than the opcode allows"},
    Entry{FindingId::operand_dtype, "operand-dtype", "the opcode does not take an operand of this dtype"},
    Entry{FindingId::operand_space, "operand-space", "the opcode does not take an operand from this memory space"},
    Entry{FindingId::unknown, "unknown", "the machine has no such opcode or memory space"},
    Entry{FindingId::address, "address", "an address lies outside its memory space"},
};

constexpr auto ids = [] {
  std::array<FindingId, entries.size()> result{};
  std::ranges::transform(entries, result.begin(), &Entry::id);
  return result;
}();
static_assert(std::ranges::is_sorted(ids));

const Entry& entry(FindingId id) { return *std::ranges::lower_bound(entries, id, {}, &Entry::id); }

}  // namespace

std::span<const FindingId> all_findings() { return ids; }

std::string code(FindingId id) { return fmt::format("TP{:03}", static_cast<int>(id)); }

std::string_view name(FindingId id) { return entry(id).name; }

std::string_view summary(FindingId id) { return entry(id).summary; }

}  // namespace tileproof::oracle
