// Where edits of a tiled program find their places.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/terms.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::plant {

/// A statement and where it stands. Valid until a block around it is changed.
struct Place {
  ir::Block* block = nullptr;
  size_t index = 0;
  std::vector<ir::Loop*> loops;   ///< outermost first

  ir::Statement& statement() const { return std::get<ir::Statement>((*block)[index].node); }
  /// The innermost loop of a kind; nullptr: none.
  ir::Loop* innermost(ir::LoopKind kind) const;
};

/// All statements, in textual order.
std::vector<Place> places(ir::Program& program);

inline bool is_load(const ir::Statement& s) { return s.opcode == "load"; }
inline bool is_store(const ir::Statement& s) { return s.opcode == "store"; }
/// What is neither: `map`, `reduce`, `matmul`, and copies out of PSUM.
inline bool computes(const ir::Statement& s) { return !is_load(s) && !is_store(s); }
inline bool accumulates(const ir::Statement& s) { return s.update != ir::Update::assign; }

/// Calls f(place) on each statement that `wanted` holds for.
void each_place(ir::Program& program, const std::function<bool(const ir::Statement&)>& wanted,
                const std::function<void(const Place&)>& f);

/// The declaration, wherever it is; nullptr: none.
ir::Buffer* buffer_named(ir::Program& program, const std::string& name);
/// Positions of buffers that were made for tiles, in `block`.
std::vector<size_t> tiles_in(const ir::Block& block);
/// The product of the free dims. Precondition: extents are numbers.
int64_t free_elements(const ir::Buffer& tile);

/// `tile*outer + inner < extent`: what a cut adds where its tile may not divide.
struct Tail {
  int64_t tile = 1;
  std::string outer, inner;
  int64_t extent = 0;

  int64_t trips() const { return (extent + tile - 1) / tile; }
  int64_t last() const { return extent - tile * (trips() - 1); }   ///< elements in the last tile
};
std::optional<Tail> tail_of(const ir::Expression& condition);
/// The positions in `where` of the conditions that are tails.
std::vector<size_t> tails_of(const ir::Statement& s);

/// The trips of a loop; nullopt: not a number.
std::optional<int64_t> trips(const ir::Loop& loop);
bool names(const ir::Expression& e, const std::string& name);
/// The axis of this name; nullptr: none.
ir::Axis* axis_named(ir::Statement& s, const std::string& name);
/// `outer`'s summand of an index: the node `c*outer`, or `outer` itself; nullptr: it is not there.
ir::Expression* summand(ir::Expression& index, const std::string& variable);
/// Its factor c. Precondition: what `summand` gave.
int64_t factor(const ir::Expression& summand);

}  // namespace tileproof::plant
