// What a reducer makes smaller: all that a find consists of.
#pragma once

#include "compiler/ir/program.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::fuzz {

/// One program (the input of a pipeline whose output is wrong), or a pair of the original and the tiled program.
struct Subject {
  std::vector<ir::Program> programs;
  std::string pipeline;   ///< "penguin{pg-tile-size=256}"; empty: there is none
  bool operator==(const Subject&) const = default;
};

/// How big a subject is, all programs together; compared field by field, so that the first difference decides.
struct Size {
  uint64_t operations = 0;   ///< statements, moves and opaque calls
  uint64_t points = 0;       ///< of the domains, conditions left aside; extents at the highest value that they can have
  uint64_t parts = 0;        ///< items, axes, clauses, tags and the operators and leaves of expressions
  uint64_t figures = 0;      ///< the sum of all integers in it
  uint64_t oddities = 0;     ///< dtypes other than f32
  uint64_t bytes = 0;        ///< of its text
  auto operator<=>(const Size&) const = default;
};
Size size_of(const Subject& subject);

/// The programs, one after the other, and a last line for the pipeline.
std::string print(const Subject& subject);

}  // namespace tileproof::fuzz
