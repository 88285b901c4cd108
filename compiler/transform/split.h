// One axis of a statement as two.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/transform/refusal.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tileproof::transform {

/// Elements of an axis that can be split: the index of the last lane of its tail still fits into 64 bits.
inline constexpr int64_t largest_extent = int64_t{1} << 62;

struct SplitNames {
  std::string outer, inner;   ///< one of them may be the name of the axis itself
};

enum class SplitWay : uint8_t {
  blocked,       // index = tile*outer + inner: a tile is contiguous
  interleaved,   // index = inner*(E/tile) + outer: the elements of a tile lie E/tile apart
};

/// `axis` of extent E becomes `outer` (extent ceil(E / tile)) and `inner` (extent `tile`), at its place, both of its kind and with its
/// tags. Where the tile need not divide E, the condition `index < E` is added to `where`, unless one that implies it stands there.
///
///     map y[i] = x[i] over i:1000            split_axis(s, "i", 128, {"b", "i"})
///     map y[128*b + i] = x[128*b + i] over b:8, i:128 where 128*b + i < 1000
///
/// The extent may name parameters and loops: then the outer one is (E + tile-1) floordiv tile. A condition that names a reduce axis goes
/// on naming two, so what `start` initialises stays the same. A tile larger than E gives one outer iteration with a tail.
///
/// Legal: always for blocked ways; interleaved if the tile divides E (a number), and the axis is not seq (its order would change).
/// Refusals: no_such_axis; bad_tile (below 1, above 2^31, or E above 2^62); bad_name (no name, or used in the statement; names of
/// enclosing blocks are the caller's to avoid); does_not_divide; order_would_change.
Outcome<> split_axis(ir::Statement& statement, std::string_view axis, int64_t tile, const SplitNames& names,
                     SplitWay way = SplitWay::blocked);

}  // namespace tileproof::transform
