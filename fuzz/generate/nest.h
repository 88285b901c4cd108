// How a domain is walked: which dims are loops, which are axes, which are cut into tiles, and the conditions of the tails.
#pragma once

#include "fuzz/generate/scene.h"

namespace tileproof::fuzz {

struct Nest {
  std::vector<ir::Loop> loops;                ///< outermost first, bodies empty
  std::vector<ir::Axis> axes;
  std::vector<Coordinate> coordinates;        ///< of each dim
  std::vector<Coordinate> local;              ///< the same inside of the tile
  std::vector<ir::Expression> valid;          ///< of each dim, how much of the tile is inside of the domain
  std::vector<ir::Expression> conditions;     ///< of the tails
  std::vector<ir::Expression> first;          ///< hold in the first iteration of all loops
  std::vector<ir::Expression> last;           ///< hold in the last iteration of all loops
  bool is_exact = true;                       ///< no element is visited twice
};

struct NestOptions {
  bool ordered = false;                       ///< seq loops and seq axes only
  bool ordered_loops = false;                 ///< seq loops only
  bool reduces = false;                       ///< reduce axes, seq loops
  unsigned cut_percent = 40;                  ///< of the dims are cut
};

Nest make_nest(Scene& scene, const std::vector<Dim>& dims, const NestOptions& options);

std::vector<ir::Expression> values(const std::vector<Coordinate>& coordinates);

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// `body` inside of the loops of the nest, appended to `out`.
void surround(std::vector<ir::Loop> loops, ir::Block body, ir::Block& out);

}  // namespace tileproof::fuzz
