// What the oracle can find, under stable numbers and names. docs/findings/ has a page for each.
#pragma once

#include "compiler/ir/diagnostic.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::oracle {

enum class FindingId : uint16_t {
  // the meaning differs
  value = 1,              // TP001 an output element differs
  rounding_only = 2,      // TP002 the programs agree with rounding switched off
  overflow = 3,           // TP003 the tiled program is not finite where the original is
  // memory and order
  out_of_bounds = 101,    // TP101
  poison_output = 102,    // TP102 an undefined value reaches an output
  poison_index = 103,     // TP103 an undefined value reaches an index, a condition or a loop bound
  not_written = 104,      // TP104 an `out` element is never written
  race = 105,             // TP105
  overlap = 106,          // TP106 a read of bytes that another buffer has taken
  while_limit = 107,      // TP107 a `while` still holds after its `max`
  range = 108,            // TP108 an integer outside the declared range of its buffer
  valid_claim = 109,      // TP109 an element inside `valid` is undefined when read
  stop_claim = 110,       // TP110 a read of an accumulator before its `stop`
  nan_output = 111,       // TP111 a NaN reaches an output, or an integer
  view = 112,             // TP112 a view's map is not injective
  // the machine
  capacity = 201,         // TP201 more live bytes than the space has
  partitions = 202,       // TP202 more partitions than the space has
  start_partition = 203,  // TP203 an access starts at a partition where its extent may not
  bank = 204,             // TP204 an accumulator does not fit its bank
  alignment = 205,        // TP205 an address or a packed window starts inside a unit
  opcode = 206,           // TP206 the formula is not what the opcode computes
  limit = 207,            // TP207 an extent beyond the opcode's limit
  operand_dtype = 208,    // TP208
  operand_space = 209,    // TP209
  unknown = 210,          // TP210 an opcode or space that the machine does not have
  address = 211,          // TP211 an address outside its space
};

/// All finding ids in ascending order.
std::span<const FindingId> all_findings();
/// "TP101".
std::string code(FindingId id);
/// "out-of-bounds", and its inverse's input form.
std::string_view name(FindingId id);
/// One line that says what it means.
std::string_view summary(FindingId id);

struct Finding {
  FindingId id = FindingId::value;
  std::string statement;            ///< label, `matmul#1`; "-" where no statement is at fault
  std::string buffer;               ///< "-" where no buffer is concerned
  std::vector<int64_t> element;     ///< indices into the buffer; empty where none is concerned
  ir::Location location;            ///< of the statement or declaration
  std::string detail;               ///< the particulars, for people
  bool operator==(const Finding&) const = default;
};

}  // namespace tileproof::oracle
