#include "fuzz/plant/catalogue.h"

namespace tileproof::plant {

const std::vector<PlantedBug>& catalogue() {
  static const std::vector<PlantedBug> all = [] {
    std::vector<PlantedBug> list;
    for (const auto part : {wrong_budgets, wrong_cuts, wrong_tails, wrong_accumulation, wrong_stages, wrong_locals, wrong_norms,
                            wrong_loops, wrong_nests, wrong_accesses, wrong_dimensions, wrong_values, wrong_tiles}) {
      for (PlantedBug& bug : part()) list.push_back(std::move(bug));
    }
    return list;
  }();
  return all;
}

}  // namespace tileproof::plant
