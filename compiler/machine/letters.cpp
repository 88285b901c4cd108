#include "compiler/machine/letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <span>
#include <utility>

namespace tileproof::machine {
namespace {

/// A run of a shape. Those of the partitions, if the shape has a bar, come first.
struct Place {
  size_t shape = 0, run = 0;
  auto operator<=>(const Place&) const = default;
};

size_t run_count(const Shape& shape) { return shape.free.size() + (shape.has_bar ? 1 : 0); }
const Run& run_at(const Shape& shape, size_t run) {
  if (!shape.has_bar) return shape.free[run];
  return run == 0 ? shape.partition : shape.free[run - 1];
}

/// An access seen through a shape: the run of each of its dimensions.
using RunOfDim = std::vector<size_t>;

/// Tries all ways to deal the dimensions to the runs of `shape`, in order, until one fits. Each run gets one at least, unless there
/// are too few. A shape without bar sees partition dimensions as the first of all.
template <class Fits>
bool any_split(const Shape& shape, const Placement& placement, const Fits& fits) {
  const size_t begin = shape.has_bar ? placement.partition_rank : 0, first_run = shape.has_bar ? 1 : 0;
  const size_t rank = placement.dims.size() - begin, end_run = first_run + shape.free.size();
  const bool fills_all = rank >= shape.free.size();
  RunOfDim run_of(placement.dims.size(), 0);  // never decreasing
  const std::span<size_t> free = std::span(run_of).subspan(begin);
  std::ranges::fill(free, first_run);
  for (;;) {
    bool leaves_one_out = fills_all && (rank == 0 || free.front() != first_run || free.back() + 1 != end_run);
    for (size_t d = 1; d < rank; ++d) leaves_one_out = leaves_one_out || (fills_all && free[d] > free[d - 1] + 1);
    if (!leaves_one_out && fits(run_of)) return true;
    size_t d = rank;
    while (d > 0 && free[d - 1] + 1 >= end_run) --d;
    if (d == 0) return false;
    const size_t next = free[d - 1] + 1;
    for (; d <= rank; ++d) free[d - 1] = next;
  }
}

/// Whether a letter stands for axes of this kind: by the opcode's rule for it, else by default.
bool takes(const Opcode& opcode, const Formula& formula, std::string_view letter, ir::AxisKind kind) {
  if (const LetterRule* rule = opcode.letter(letter)) return std::ranges::find(rule->kinds, kind) != rule->kinds.end();
  const Shape& destination = formula.shapes.front();
  const auto names = [&](const Run& run) { return std::ranges::find(run, letter, &Letter::name) != run.end(); };
  const bool kept = destination.anything || names(destination.partition) || std::ranges::any_of(destination.free, names);
  return kind == (kept ? ir::AxisKind::parallel : ir::AxisKind::reduce);
}

/// A letter of a formula, with the places (in shapes that one access plays) where it may stand, ascending.
struct LetterPlaces {
  struct May {
    Place place;
    bool must = false;
  };
  std::string_view name;
  std::vector<May> places;
  bool on_partitions = false;

  /// Whether these, ascending, are places where it may stand, and all where it must.
  bool admits(const std::vector<Place>& taken) const {
    auto next = taken.begin();
    for (const auto& [place, must] : places) {
      if (next != taken.end() && *next == place) {
        ++next;
      } else if (must) {
        return false;
      }
    }
    return next == taken.end();
  }
};

constexpr size_t usual_letters = 4;

class Binder {
 public:
  Binder(const Operation& operation, const Opcode& opcode, const Formula& formula, const Match& match)
      : operation_(operation), opcode_(opcode), formula_(formula), match_(match) {
    letters_.reserve(usual_letters);
    for (size_t shape = 0; shape < formula.shapes.size(); ++shape) collect(shape);
  }

  std::expected<Binding, Reason> bind(size_t number) {
    for (size_t shape = 0; shape < formula_.shapes.size(); ++shape) {
      const auto access = match_.access_of_shape[shape];
      if (!access) continue;
      if (auto missing = bar_missing(formula_.shapes[shape], *access)) return std::unexpected(*std::move(missing));
    }
    std::vector<const RunOfDim*> chosen(formula_.shapes.size());
    if (!choose(0, chosen)) return std::unexpected(std::move(reason_));
    Binding binding{&opcode_, {}, {}};
    binding.roles.reserve(formula_.shapes.size() + match_.free_reads.size());
    binding.letters.reserve(letters_.size());
    for (size_t shape = 0; shape < formula_.shapes.size(); ++shape) {
      if (const auto access = match_.access_of_shape[shape])
        binding.roles.push_back({formula_.shapes[shape].role, number, *access});
    }
    for (size_t i = 0; i < match_.free_reads.size(); ++i) {
      binding.roles.push_back({formula_.shapes[shape_of_read_[i]].role, number, match_.free_reads[i].access});
    }
    for (size_t i = 0; i < letters_.size(); ++i) {
      BoundLetter bound{std::string(letters_[i].name), number, axes_[i], 1, letters_[i].on_partitions};
      for (const uint32_t axis : bound.axes) {
        if (__builtin_mul_overflow(bound.extent, operation_.extents[axis], &bound.extent)) bound.extent = int64_t{1} << 62;
      }
      binding.letters.push_back(std::move(bound));
    }
    return binding;
  }

 private:
  void collect(size_t shape) {
    for (size_t run = 0; run < run_count(formula_.shapes[shape]); ++run) {
      for (const Letter& letter : run_at(formula_.shapes[shape], run)) {
        auto place = std::ranges::find(letters_, letter.name, &LetterPlaces::name);
        if (place == letters_.end()) place = letters_.insert(letters_.end(), {letter.name, {}, false});
        place->on_partitions = place->on_partitions || (formula_.shapes[shape].has_bar && run == 0);
        if (!match_.access_of_shape[shape]) continue;
        if (place->places.empty() || place->places.back().place != Place{shape, run}) place->places.push_back({{shape, run}});
        if (!letter.may_miss) place->places.back().must = true;
      }
    }
  }

  std::optional<Reason> bar_missing(const Shape& shape, size_t access) const {
    const ir::Buffer& buffer = *operation_.access(access).buffer;
    if (!shape.has_bar || buffer.partition_rank) return std::nullopt;
    return Reason{Reason::Kind::space,
                  shape.role,
                  {},
                  operation_.access(access).name,
                  &operation_.statement(),
                  fmt::format("{} lies in {} without partitions", operation_.access(access).name, buffer.space),
                  fmt::format("takes {} from partitions", shape.role)};
  }

  /// Tries all splits of the shapes from `shape` on; true: a binding stands in axes_ and shape_of_read_.
  bool choose(size_t shape, std::vector<const RunOfDim*>& chosen) {
    if (shape == formula_.shapes.size()) return assign(chosen) && admit_reads();
    const auto access = match_.access_of_shape[shape];
    if (!access || formula_.shapes[shape].anything) return choose(shape + 1, chosen);
    return any_split(formula_.shapes[shape], operation_.placements[*access], [&](const RunOfDim& run_of) {
      chosen[shape] = &run_of;
      return choose(shape + 1, chosen);
    });
  }

  /// `chosen`: by shape; nullptr where no access has to fit.
  bool assign(const std::vector<const RunOfDim*>& chosen) {
    axes_.assign(letters_.size(), {});
    std::vector<Place> places;  // of one axis
    const bool anything = std::ranges::any_of(formula_.shapes, &Shape::anything);
    const LetterRule* unbound = opcode_.letter("*");
    for (uint32_t axis = 0; axis < operation_.extents.size(); ++axis) {
      if (!operation_.is_wide(axis)) continue;
      const ir::AxisKind kind = operation_.statement().axes[axis].kind;
      places.clear();
      for (size_t shape = 0; shape < chosen.size(); ++shape) {
        if (chosen[shape] == nullptr) continue;
        const Placement& placement = operation_.placements[*match_.access_of_shape[shape]];
        for (size_t d = 0; d < placement.dims.size(); ++d) {
          const Place place{shape, (*chosen[shape])[d]};
          if (placement.dims[d].depends_on(axis) && (places.empty() || places.back() != place)) places.push_back(place);
        }
      }
      const LetterPlaces* in_place = nullptr;  // a letter with these places but of another kind
      bool bound = false;
      for (size_t i = 0; i < letters_.size() && !bound; ++i) {
        if (!letters_[i].admits(places)) continue;
        if (in_place == nullptr) in_place = &letters_[i];
        bound = takes(opcode_, formula_, letters_[i].name, kind);
        if (bound) axes_[i].push_back(axis);
      }
      const auto leaves_unbound = [&] {
        return unbound != nullptr ? std::ranges::find(unbound->kinds, kind) != unbound->kinds.end()
                                  : kind == ir::AxisKind::parallel;
      };
      if (bound || (places.empty() && anything && leaves_unbound())) continue;
      fail_axis(axis, places, in_place);
      return false;
    }
    return true;
  }

  void fail_axis(uint32_t axis, const std::vector<Place>& places, const LetterPlaces* in_place) {
    const ir::Axis& declared = operation_.statement().axes[axis];
    if (!places.empty() && in_place != nullptr) {
      reason_ = {Reason::Kind::axes,
                 {},
                 std::string(in_place->name),
                 {},
                 &operation_.statement(),
                 fmt::format("{} is a {} axis where the formula has {}", declared.name, ir::name(declared.kind), in_place->name),
                 fmt::format("computes {}", formula_.text)};
      return;
    }
    std::vector<std::string> words;
    std::string role;
    for (const auto& [shape, run] : places) {
      const Shape& s = formula_.shapes[shape];
      if (role.empty()) role = s.role;
      words.push_back(fmt::format("{} {}",
                                  s.has_bar && run == 0 ? "the partitions of"
                                  : s.has_bar           ? "the free dimensions of"
                                                        : "dimensions of",
                                  operation_.access(*match_.access_of_shape[shape]).name));
    }
    reason_ = {Reason::Kind::axes,
               role,
               {},
               {},
               &operation_.statement(),
               words.empty()
                   ? fmt::format("{} is a {} axis that indexes none of its operands", declared.name, ir::name(declared.kind))
                   : fmt::format("{} is a {} axis on {}", declared.name, ir::name(declared.kind), fmt::join(words, " and ")),
               fmt::format("computes {}", formula_.text)};
  }

  const std::vector<uint32_t>& axes_of_letter(const std::string& name) const {
    return axes_[static_cast<size_t>(std::ranges::find(letters_, name, &LetterPlaces::name) - letters_.begin())];
  }

  bool admit_reads() {
    shape_of_read_.clear();
    for (const FreeRead& read : match_.free_reads) {
      std::optional<size_t> admitted;
      std::optional<Reason> first;
      for (const size_t shape : read.shapes) {
        auto refused = refuse(formula_.shapes[shape], read.access);
        if (!refused) {
          admitted = shape;
          break;
        }
        if (!first) first = std::move(refused);
      }
      if (!admitted) {
        reason_ = *first;
        return false;
      }
      shape_of_read_.push_back(*admitted);
    }
    return true;
  }

  /// Why the access does not have this shape, if it has not.
  std::optional<Reason> refuse(const Shape& shape, size_t access) const {
    if (shape.anything) return std::nullopt;
    const auto rule = opcode_.role(shape.role);
    const Access& touched = operation_.access(access);
    if (rule != nullptr && !rule->spaces.empty() &&
        std::ranges::find(rule->spaces, touched.buffer->space) == rule->spaces.end()) {
      return Reason{Reason::Kind::space,
                    shape.role,
                    {},
                    touched.name,
                    &operation_.statement(),
                    fmt::format("{} lies in {}", touched.name, touched.buffer->space),
                    fmt::format("takes {} from {}", shape.role, fmt::join(rule->spaces, ", "))};
    }
    if (auto missing = bar_missing(shape, access)) return missing;
    const Placement& placement = operation_.placements[access];
    std::optional<Reason> reason;
    const auto fail = [&](const std::string& letter, std::string_view relation) {
      if (!reason) reason = refusal(shape, access, letter, relation);
      return false;
    };
    const bool fits = any_split(shape, placement, [&](const RunOfDim& run_of) {
      for (size_t run = 0; run < run_count(shape); ++run) {
        const auto is_indexed_by = [&](uint32_t axis) {
          for (size_t d = 0; d < placement.dims.size(); ++d)
            if (run_of[d] == run && placement.dims[d].depends_on(axis)) return true;
          return false;
        };
        const Run& letters = run_at(shape, run);
        for (const Letter& letter : letters) {
          if (!letter.may_miss && !std::ranges::all_of(axes_of_letter(letter.name), is_indexed_by))
            return fail(letter.name, "is not indexed by all axes of");
        }
        const auto is_admitted = [&](uint32_t axis) {
          return std::ranges::any_of(letters, [&](const Letter& letter) {
            const std::vector<uint32_t>& axes = axes_of_letter(letter.name);
            return std::ranges::find(axes, axis) != axes.end();
          });
        };
        for (uint32_t axis = 0; axis < operation_.extents.size(); ++axis) {
          if (is_indexed_by(axis) && !is_admitted(axis))
            return fail(operation_.statement().axes[axis].name,
                        shape.has_bar && run == 0 ? "is indexed on its partitions by" : "is indexed on its free dimensions by");
        }
      }
      return true;
    });
    return fits ? std::nullopt : reason;
  }

  Reason refusal(const Shape& shape, size_t access, const std::string& letter, std::string_view relation) const {
    return {Reason::Kind::axes,
            shape.role,
            letter,
            operation_.access(access).name,
            &operation_.statement(),
            fmt::format("{} {} {}", operation_.access(access).name, relation, letter),
            fmt::format("computes {}", formula_.text)};
  }

  const Operation& operation_;
  const Opcode& opcode_;
  const Formula& formula_;
  const Match& match_;
  std::vector<LetterPlaces> letters_;
  std::vector<std::vector<uint32_t>> axes_;  // by letter, ascending
  std::vector<size_t> shape_of_read_;  // by free read
  Reason reason_;
};

}  // namespace

std::expected<Binding, Reason> bind_letters(const Operation& operation, const Opcode& opcode, const Formula& formula,
                                            const Match& match, size_t number) {
  return Binder(operation, opcode, formula, match).bind(number);
}

}  // namespace tileproof::machine
