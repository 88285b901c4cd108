// How a primitive declines: as a value, with nothing changed.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace tileproof::transform {

enum class RefusalId : uint8_t {
  no_such_axis,          // the statement has no axis, or no reduce axis, of that name
  no_such_read,          // no read stands at that place of the value
  not_a_nest,            // the item is no statement, or no perfect nest of loops
  bad_tile,              // a tile of less than one element, or beyond what indices or buffers hold
  does_not_divide,       // the tile must divide the extent, and does not, or the extent is no number
  bad_name,              // no name of the language, or one that is taken
  loop_kind,             // the kind of loop does not suit the axis
  order_would_change,    // of a seq axis, or of what a seq loop carries
  partials_round,        // partial results would be rounded where the original rounds once
  initialises_less,      // a condition would restrict what is initialised
  may_be_empty,          // a loop or dim that may have no element
  shares_bytes,          // concurrent iterations would write parts of one byte
  bounds_depend,         // the bounds of one loop name the other
  crosses_units,         // a shard or thread loop would change its place
  unknown_buffer,        // the program declares no buffer of that name, or several that differ
  destination_varies,    // the destination depends on what must not move it
  reads_destination,     // the statement reads what it writes
  axes_differ,           // the dims asked for are not the axes of the access
  extent_varies,         // the extent of a dim names a loop
  out_of_bounds,         // an element outside of the buffer might be read
  dtype_differs,         // values would be rounded, or computed, in another dtype
  starts_elsewhere,      // `start` or `stop` depends on more than the loops of the nest
  not_a_copy,            // the statement is no copy of a buffer
  not_covered,           // the copy need not define what is read
  written_between,       // what is copied may be written again before it is read
};

/// The name of the enumerator.
std::string_view name(RefusalId id);

struct Refusal {
  RefusalId id = RefusalId::not_a_nest;
  std::string text;   ///< what, of which names; one line
  bool operator==(const Refusal&) const = default;
};

/// The result of a primitive. On a refusal nothing has been changed.
template <class T = void>
using Outcome = std::expected<T, Refusal>;

inline std::unexpected<Refusal> refuse(RefusalId id, std::string text) { return std::unexpected(Refusal{id, std::move(text)}); }

}  // namespace tileproof::transform
