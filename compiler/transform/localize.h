// Tiles: what a statement reads or writes, in buffers of their own.
#pragma once

#include "compiler/transform/environment.h"
#include "compiler/transform/refusal.h"

#include <optional>
#include <string>
#include <vector>

namespace tileproof::transform {

/// Where a read stands in the value of a statement: the operand to follow at each step.
using ReadPath = std::vector<size_t>;

/// All reads of the value in the order written; one inside of the index of another comes after it.
std::vector<ReadPath> reads_of(const ir::Statement& statement);
/// nullptr: there is no read at that place.
const ir::Expression* read_at(const ir::Statement& statement, const ReadPath& path);

/// A buffer to be declared, and the statement that fills or empties it.
struct Tile {
  std::string name;
  std::string space = "sbuf";
  std::vector<std::string> partition = {};  ///< the axes whose dims stand before the bar, in this order
  std::vector<std::string> free = {};  ///< the others; both empty: the axes of the access as the statement lists them, no bar
  bool bar = false;  ///< a bar where both are empty: one element, a dim of 1 on either side
  std::string opcode = "load";  ///< of the statement that copies: load, transpose, store, ...
  std::optional<ir::Dtype> dtype = std::nullopt;  ///< nullopt: that of the buffer
  std::optional<ir::Address> address = std::nullopt;  ///< whose bytes it shares is judged by the oracle alone
  ir::Tags tags = {};
};

/// Before `body[index]`, a statement, declares a tile and loads into it what the read at `path` reads; the read, and all equal to it,
/// then read the tile. The statement stands at index + 2 afterwards. Returns the name of the tile.
///
///     mac s[m] += x[k, m] * v[k] over m:8, k:4 reduce where 4*kb + k < 9
///     buffer xt : f32[4 | 8] sbuf
///     load xt[k, m] = x[k, m] over k:4, m:8 where 4*kb + k < 9
///     mac s[m] += xt[k, m] * v[k] over m:8, k:4 reduce where 4*kb + k < 9
///
/// The tile has a dim for each axis that the read names (others may be asked for: then it is repeated along them). One without a bar side
/// gets a dim of 1 there. The load has the conditions that name no other axis; one that does is replaced by what it demands of the other
/// names (its loosest bound over that axis), and left out where that always holds. A read in the arm of a `select` that is decided by axes
/// and loops is loaded where the arm is chosen.
///
/// Legal: the extents of the dims are positive and name no loop; the dtype is that of the buffer, or a float up to 32 bits that holds
/// every value of that float; no seq axis with a destination that is
/// read (earlier points would not be seen); the load reads inside of the buffer: its conditions are those under which some point of the
/// statement reads, or its indices are in bounds anyway, or by what these conditions say.
/// Refusals: not_a_nest, no_such_read, bad_name, unknown_buffer, axes_differ, extent_varies, may_be_empty, bad_tile, dtype_differs,
/// reads_destination, out_of_bounds.
Outcome<std::string> localize_read(ir::Block& body, size_t index, const ReadPath& path, const Tile& tile,
                                   Environment& environment);

/// `body[index]`, a statement or a perfect nest of seq loops that carry its partial results, writes a tile that is declared before it and
/// stored after it. The dims of the tile are the axes that are not reduce axes. `copy`: the store reads a second tile, of the
/// destination's dtype, into which the first is copied (`copy->opcode`) before; its dims are laid out as `copy` says. Without `start` in
/// the first iteration, the old value is loaded (`load`) before. Returns the name of the tile; the nest stands at index + 1, or + 2.
///
///     mac y[m] += x[m, k] over m:8, k:64 reduce start
///     buffer ps : f32[8 | 1] psum
///     mac ps[m, 0] += x[m, k] over m:8, k:64 reduce start
///     store y[m] = ps[m, 0] over m:8
///
/// Legal: no seq axis; the destination is not read by the statement, and its indices name neither reduce axes nor loops of the nest; the
/// dtype is that of the destination or the accumulate dtype, and the same in nests of which the partial results would otherwise round
/// elsewhere (partial_results.h); an old value survives in it; `=` in no loop of the nest; loops have an iteration; `stop` depends on
/// loops of the nest only; conditions without a reduce axis name no loop of the nest; extents as for reads.
/// Refusals: not_a_nest, loop_kind, order_would_change, unknown_buffer, bad_name, reads_destination, destination_varies, dtype_differs,
/// partials_round, may_be_empty, bad_tile, starts_elsewhere, initialises_less, axes_differ, extent_varies.
Outcome<std::string> localize_result(ir::Block& body, size_t index, const Tile& tile, Environment& environment,
                                     const std::optional<Tile>& copy = std::nullopt, std::string_view load_opcode = "load");

/// `body[index]`, an assignment along one seq axis, computes in a tile that is declared before it and stored after it; what it reads of its own
/// earlier points it reads from the tile. Returns the name of the tile; the statement stands at index + 1.
///
///     scan y[r, t] = x[r, t] + select(t > 0, y[r, t - 1], 0) over r:8, t:64 seq
///     buffer yt : f32[8 | 64] sbuf
///     scan yt[r, t] = x[r, t] + select(t > 0, yt[r, t - 1], 0) over r:8, t:64 seq
///     store y[r, t] = yt[r, t] over r:8, t:64
///
/// Legal: the seq axis is, alone, the index of one dim of the destination and as long as that, so that no old value is read; no condition
/// names it, so that every earlier point has been written; no reduce axis, no other seq axis; the destination is read at the same
/// indices, a number of points back along the seq axis; the dtype is that of the destination, to which each point rounds; extents as
/// for reads. Refusals: not_a_nest, no_such_axis, order_would_change, destination_varies, reads_destination, unknown_buffer, dtype_differs, bad_name,
/// axes_differ, extent_varies, may_be_empty, bad_tile.
Outcome<std::string> localize_scan(ir::Block& body, size_t index, const Tile& tile, Environment& environment);

}  // namespace tileproof::transform
