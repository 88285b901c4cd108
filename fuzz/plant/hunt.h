// Whether the harness finds a planted bug, and how fast.
#pragma once

#include "fuzz/generate/graph.h"
#include "fuzz/plant/bug.h"
#include "oracle/equivalence/check.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tileproof::plant {

/// The oracles, the cheapest first.
enum class Seer : uint8_t {
  verify,        // what the pass made is not well formed
  obligations,   // what must hold of each cut (oracle/prove/obligation.h) does not, for its numbers
  alone,         // the tiled program by itself: its memory, its order, and the limits of the machine
  one_key,       // the check, with one keyed run
  check,         // the check
};
std::string_view name(Seer seer);

struct Find {
  uint64_t cases = 0;      ///< programs tried, this one included
  double seconds = 0;      ///< of one processor
  std::string finding;     ///< "TP101"; "ill-formed", "obligation"
  Seer cheapest = Seer::check;   ///< that sees this program
  uint64_t statements = 0;       ///< of the original
  std::string original, tiled, machine;   ///< texts, and the name of a machine of fuzz::graph_machines()
};

struct Hunt {
  std::optional<Find> find;
  uint64_t cases = 0;
  uint64_t touched = 0;         ///< in how many of them the bug changed what was made
  uint64_t harness_errors = 0;  ///< never a find
  std::string harness_error;    ///< the reason of the first
};

struct HuntLimits {
  uint64_t cases = 20'000;
  double seconds = 10;   ///< of one processor; 0: any
};

/// Generates programs for `seed` and tiles them by the pipeline `penguin` with the bug, until the check refutes one. A wasteful bug is
/// found where an obligation of a cut is broken. Programs that the right tiler declines a part of are left out. The same for the same
/// seed, but for the time.
Hunt hunt(const PlantedBug& bug, uint64_t seed, const HuntLimits& limits = {});

/// What the right tiler makes of a program.
struct RightCase {
  oracle::Verdict verdict = oracle::Verdict::tested;
  std::string reason;  ///< "declined: refused", why it is unsupported, or what is refuted
  bool is_false_alarm() const { return verdict == oracle::Verdict::refuted || verdict == oracle::Verdict::harness_error; }
};
/// Case `index` of a seed under the right tiler. A part that it declines makes the case unsupported; a broken obligation refutes it.
RightCase right_case(uint64_t seed, uint64_t index);

}  // namespace tileproof::plant
