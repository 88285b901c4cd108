#include "fuzz/property/cut.h"

#include "compiler/penguin/axis_cut.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace tileproof::fuzz {

namespace {

using penguin::AxisCut;
using penguin::AxisMap;
using penguin::CutAxis;
using penguin::DimCut;

__extension__ typedef __int128 Wide;
constexpr Wide beyond = Wide{1} << 64;   // every product above is taken for this

constexpr int64_t most_visits = 4096;       // of a domain whose elements are visited one by one
constexpr int64_t most_candidates = 4096;   // of a search for tiles by trying

/// Extents of 1 and more.
Wide product(std::span<const int64_t> extents) {
  Wide all = 1;
  for (const int64_t extent : extents) all = all >= beyond / extent ? beyond : all * extent;
  return all;
}

bool holds_nothing(const CutCase& c) { return std::ranges::find(c.extents, 0) != c.extents.end(); }

/// The dimension at which the tile ends, what is whole beside it, and how many slices of it the tile holds and might hold.
struct Place {
  size_t dim = 0;
  Wide beside = 1;
  int64_t slices = 1;
  int64_t most = 1;
};

Place place_of(const CutCase& c, const DimCut& cut) {
  Place place;
  place.dim = cut.tile ? *cut.dim : *cut.dim + 1;
  place.slices = cut.tile.value_or(1);
  place.beside = product(std::span(c.extents).first(place.dim));
  place.most = static_cast<int64_t>(std::min<Wide>(c.cut_size / place.beside, c.extents[place.dim]));
  return place;
}

std::string broken_budget(const CutCase& c, const DimCut& cut) {
  const bool fits = holds_nothing(c) || product(c.extents) <= c.cut_size;
  if (!cut.dim) {
    if (cut.tile) return "a tile without a dimension";
    return fits ? "" : "nothing is cut, though not everything fits";
  }
  if (fits) return "what fits is cut";
  if (*cut.dim >= c.extents.size()) return "a dimension that is not there";
  if (!cut.tile) {
    if (*cut.dim + 1 == c.extents.size()) return "every dimension is whole, though not everything fits";
    return product(std::span(c.extents).first(*cut.dim + 1)) <= c.cut_size ? "" : "the tile is over the budget";
  }
  if (*cut.tile < 1 || *cut.tile >= c.extents[*cut.dim]) return "a tile that is no part of its dimension";
  return product(std::span(c.extents).first(*cut.dim)) * *cut.tile <= c.cut_size ? "" : "the tile is over the budget";
}

/// What CutOptions ask of a number of slices.
bool is_asked_for(const CutCase& c, const Place& place, int64_t slices, bool aligned) {
  if (c.options.uniform && c.extents[place.dim] % slices != 0) return false;
  return !aligned || place.beside * slices % c.options.multiple == 0;
}

std::string broken_choice(const CutCase& c, const DimCut& cut) {
  const Place place = place_of(c, cut);
  const bool aligned = place.beside * place.slices % c.options.multiple == 0;
  if (cut.unaligned == aligned) return "the flag `unaligned` is wrong";
  if (cut.tile && c.options.uniform && c.extents[place.dim] % place.slices != 0)
    return "a uniform tile does not divide its extent";
  if (place.most > most_candidates) {
    const Wide step =
        c.options.uniform ? 0 : c.options.multiple / std::gcd(c.options.multiple, static_cast<int64_t>(place.beside));
    if (step == 0) return "";   // the next divisor cannot be found by trying
    if (!aligned) return step <= place.most ? "an aligned tile fits" : "";
    return place.slices + step <= place.most ? "a larger tile fits" : "";
  }
  for (int64_t slices = 1; slices <= place.most; ++slices) {
    if (!aligned && is_asked_for(c, place, slices, true)) return fmt::format("an aligned tile fits: {} slices", slices);
    if (slices > place.slices && is_asked_for(c, place, slices, aligned) && !(c.options.uniform && !aligned))
      return fmt::format("a larger tile fits: {} slices", slices);
  }
  return "";
}

penguin::PriorityOrder<CutAxis> axes_of(std::span<const int64_t> extents) {
  penguin::PriorityOrder<CutAxis> axes;
  for (size_t i = 0; i < extents.size(); ++i) axes.push_back({fmt::format("i{}", i), extents[i]});
  return axes;
}

std::vector<int64_t> extents_of(const penguin::PriorityOrder<CutAxis>& axes) {
  std::vector<int64_t> extents;
  for (const CutAxis& axis : axes) extents.push_back(axis.extent);
  return extents;
}

/// The element of the domain that a point of loops and tile stands for; nullopt: the condition of the tail leaves it out.
std::optional<size_t> element_of(const AxisCut& cut, std::span<const int64_t> loop, std::span<const int64_t> tile) {
  size_t element = 0;
  for (const AxisMap& map : cut.axes) {
    int64_t index = 0;
    if (map.loop) index += map.loop->coefficient * loop[map.loop->position];
    if (map.tile) index += map.tile->coefficient * tile[map.tile->position];
    if (index >= map.axis.extent) return std::nullopt;
    element = element * static_cast<size_t>(map.axis.extent) + static_cast<size_t>(index);
  }
  return element;
}

/// Counts up, the last index fastest; false: all points have been.
bool next(std::span<int64_t> point, std::span<const int64_t> extents) {
  for (size_t i = extents.size(); i-- > 0;) {
    if (++point[i] < extents[i]) return true;
    point[i] = 0;
  }
  return false;
}

std::string broken_bijection(const AxisCut& cut) {
  std::vector<int64_t> domain;
  for (const AxisMap& map : cut.axes) domain.push_back(map.axis.extent);
  const std::vector<int64_t> loops = extents_of(cut.loop), tiles = extents_of(cut.tile);
  if (product(domain) > most_visits || product(loops) > most_visits || product(tiles) > most_visits) return "";
  std::vector<int> visits(static_cast<size_t>(product(domain)), 0);
  std::vector<int64_t> loop(loops.size(), 0), tile(tiles.size(), 0);
  do {
    do {
      if (const auto element = element_of(cut, loop, tile)) ++visits.at(*element);
    } while (next(tile, tiles));
  } while (next(loop, loops));
  if (std::ranges::find(visits, 0) != visits.end()) return "an element is in no tile";
  if (std::ranges::any_of(visits, [](int count) { return count > 1; })) return "an element is in two places";
  return "";
}

std::string broken_by_axes(const CutCase& c, const DimCut& cut, const ComputeCut& compute_cut) {
  const auto axes = penguin::cut_axes(axes_of(c.extents), cut);
  if (!axes) return fmt::format("cut_axes takes no cut of compute_cut: {}", penguin::text(axes.error()));
  const std::vector<int64_t> tile = extents_of(axes->tile);
  if (const auto again = compute_cut(tile, c.cut_size, c.options); !again || again->dim)
    return fmt::format("a tile is cut again: {}", fmt::join(tile, " x "));
  if (cut.tile) {
    const int64_t extent = c.extents[*cut.dim], last = axes->tail == 0 ? *cut.tile : axes->tail;
    if (last < 1 || last > *cut.tile || (axes->trips - 1) * Wide{*cut.tile} + last != extent)
      return fmt::format("{} trips of {} with a tail of {} are not {}", axes->trips, *cut.tile, axes->tail, extent);
  }
  if (holds_nothing(c)) return "";
  if (const std::string broken = broken_bijection(*axes); !broken.empty()) return broken;
  if (!cut.tile || c.extents[*cut.dim] % *cut.tile != 0) return "";
  const auto swapped = penguin::cut_axes(axes_of(c.extents), cut, penguin::SwapTile{most_visits});
  if (!swapped)
    return swapped.error() == penguin::CutError::swap_over_budget ? "" : "a tile that divides its extent cannot be swapped";
  const std::string broken = broken_bijection(*swapped);
  return broken.empty() ? "" : "swapped: " + broken;
}

int64_t draw_extent(Choices& choices, int64_t cut_size, int64_t most) {
  const int64_t near = std::min(cut_size, most);
  switch (choices.below(8)) {
    case 0: return choices.between(1, 8);
    case 1: return choices.between(0, 64);
    case 2: return std::max<int64_t>(near + std::min(choices.between(-2, 2), most - near), 0);
    case 3: return choices.pick({2, 3, 7, 31, 97, 127, 128, 129, 509, 512, 1009});
    case 4: return choices.between(1, 4096);
    case 5: return std::min(most, int64_t{1} << choices.below(63));
    case 6: return choices.between(0, most);
    default: return 1;
  }
}

}  // namespace

CutCase draw_cut(Choices& choices) {
  CutCase c;
  c.options.uniform = choices.chance(35);
  // The search for a divisor takes as many steps as the root of the extent.
  const int64_t most = c.options.uniform ? int64_t{1} << 36 : std::numeric_limits<int64_t>::max();
  c.cut_size = draw_extent(choices, 512, most);
  if (choices.chance(50))
    c.options.multiple = choices.chance(80) ? choices.between(1, 32) : draw_extent(choices, c.cut_size, most);
  const uint64_t rank = choices.below(7);
  for (uint64_t i = 0; i < rank; ++i) c.extents.push_back(draw_extent(choices, c.cut_size, most));
  if (choices.chance(2) && rank > 0) c.extents.back() = -choices.between(1, most);
  return c;
}

std::string to_string(const CutCase& c) {
  return fmt::format("--shape {} --cut-size {}{} --multiple {}", fmt::join(c.extents, ","), c.cut_size,
                     c.options.uniform ? " --uniform" : "", c.options.multiple);
}

std::string broken_by_cut(const CutCase& c, const ComputeCut& compute_cut) {
  const bool is_valid =
      c.cut_size >= 1 && c.options.multiple >= 1 && std::ranges::all_of(c.extents, [](int64_t extent) { return extent >= 0; });
  const auto cut = compute_cut(c.extents, c.cut_size, c.options);
  if (!is_valid) return cut ? "what is no shape, cut size or multiple is cut" : "";
  if (!cut) return fmt::format("there is no cut: {}", penguin::text(cut.error()));
  if (std::string broken = broken_budget(c, *cut); !broken.empty()) return broken;
  if (cut->dim)
    if (std::string broken = broken_choice(c, *cut); !broken.empty()) return broken;
  return broken_by_axes(c, *cut, compute_cut);
}

}  // namespace tileproof::fuzz
