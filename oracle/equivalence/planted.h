// Which input elements the directed runs plant at extremes (rule 5).
#pragma once

#include "compiler/ir/program.h"
#include "oracle/interpret/run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::oracle {

struct InputPlace {
  std::string buffer;
  ir::Dtype dtype = ir::Dtype::f32;
  int64_t element = 0;                   ///< row-major
  std::vector<int64_t> indices;
};

struct Planting {
  std::vector<InputPlace> places;
  std::vector<std::string> buffers;      ///< the data-kind inputs
  int64_t elements = 0;                  ///< of all of them
  bool complete() const { return static_cast<int64_t>(places.size()) == elements; }
};

/// At most `most` places: `suspects` first, then of each data-kind input its share of first and last elements, tile borders and
/// their neighbours (`borders`, of the constants of the programs), and keyed random ones. Fewer inputs than `most`: all of them.
Planting choose_planting(const ir::Program& original, const Kinds& kinds, const std::vector<int64_t>& borders,
                         const Parameters& parameters, const std::vector<InputPlace>& suspects, int64_t most, uint64_t key);

}  // namespace tileproof::oracle
