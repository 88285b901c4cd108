// All planted bugs, and what they model.
#pragma once

#include "fuzz/plant/bug.h"

#include <span>
#include <string_view>

namespace tileproof::plant {

/// In a fixed order; the names are unique.
const std::vector<PlantedBug>& catalogue();

/// Its parts, by where the bug is. One file each.
std::vector<PlantedBug> wrong_budgets();      ///< how much a tile takes
std::vector<PlantedBug> wrong_cuts();         ///< which axes, and by which arithmetic
std::vector<PlantedBug> wrong_tails();        ///< ragged last tiles
std::vector<PlantedBug> wrong_accumulation(); ///< where partial results begin, are carried and end
std::vector<PlantedBug> wrong_stages();       ///< reductions along the partitions, in several statements
std::vector<PlantedBug> wrong_locals();       ///< tensors that stay on chip
std::vector<PlantedBug> wrong_loops();        ///< trips, and what stands in which loop
std::vector<PlantedBug> wrong_nests();        ///< nests that share a loop, statements that leave theirs, nests that are lost
std::vector<PlantedBug> wrong_accesses();     ///< which elements are loaded and stored
std::vector<PlantedBug> wrong_dimensions();   ///< dimensions that become several
std::vector<PlantedBug> wrong_values();       ///< gathers, scans, statements in place
std::vector<PlantedBug> wrong_norms();        ///< statistics of tiles, gradients, MX blocks
std::vector<PlantedBug> wrong_tiles();        ///< extents, dtypes, spaces and addresses of tiles

/// Something outside of this catalogue that a bug models.
struct Source {
  std::string_view id;     ///< "passes 2.3(a)", "bugs B047", "decisions A.1"
  std::string_view about;  ///< what is known there, in a few words; for a public bug report, where it is
};
/// Pass bugs of the specification of the passes, public bug reports, and contradictions of the documents that describe the tiler.
std::span<const Source> known_sources();
/// nullptr: none of this id.
const Source* source_named(std::string_view id);

}  // namespace tileproof::plant
