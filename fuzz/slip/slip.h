// A slip: one small mistake of the kind that people make when they write or change a tiler.
#pragma once

#include "compiler/ir/program.h"
#include "fuzz/generate/choices.h"

#include <array>
#include <optional>
#include <string>

namespace tileproof::fuzz {

enum class SlipKind : uint8_t {
  index,       ///< of a read or a destination: off by one, another factor, a lost or exchanged term, exchanged dims
  condition,   ///< of `where` or `if`: dropped, its bound off by one, another comparison
  bound,       ///< of a loop or an axis: one more, one less
  operation,   ///< + for -, max for min, = for +=, a lost cast, ...
  address,     ///< on top of another buffer, or a byte or partition off
  start,       ///< dropped, added, without its condition, in another iteration
  dtype,  ///< of a buffer that is no input or output, of a cast or of an accumulation: another one, mostly of the same class
};
inline constexpr std::array all_slip_kinds{SlipKind::index,   SlipKind::condition, SlipKind::bound, SlipKind::operation,
                                           SlipKind::address, SlipKind::start,     SlipKind::dtype};
std::string_view name(SlipKind kind);

struct Slip {
  SlipKind kind = SlipKind::index;
  std::string what;  ///< for people: "the index i1 + 4*b1 became i1 + 4*b1 + 1"
  uint64_t rejected = 0;  ///< draws before this one that did not verify, changed nothing, or found no place for their kind
};

/// Makes one slip in `program`, which stays well formed. nullopt: in 64 draws there was no place for one; the program is as before.
std::optional<Slip> make_slip(ir::Program& program, Choices& choices);

}  // namespace tileproof::fuzz
