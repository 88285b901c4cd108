#include "compiler/machine/letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tileproof::machine {
namespace {

using AxisSet = std::set<uint32_t>;

/// An access seen through a shape: the axes of each run, partitions (if the shape has a bar) first.
using RunAxes = std::vector<AxisSet>;

std::vector<const Run*> runs_of(const Shape& shape) {
  std::vector<const Run*> runs;
  if (shape.has_bar) runs.push_back(&shape.partition);
  for (const Run& run : shape.free) runs.push_back(&run);
  return runs;
}

AxisSet axes_of(const Form& form) {
  AxisSet axes;
  for (const Form::Term& term : form.terms) axes.insert(term.axis);
  return axes;
}

/// All ways to deal the dimensions to the runs of `shape`, in order. Each run gets one at least, unless there are too few. A
/// shape without bar sees partition dimensions as the first of all.
std::vector<RunAxes> splits(const Shape& shape, const Placement& placement) {
  RunAxes fixed;
  size_t begin = 0;
  if (shape.has_bar) {
    fixed.emplace_back();
    for (; begin < placement.partition_rank; ++begin) fixed.back().merge(axes_of(placement.dims[begin]));
  }
  const size_t rank = placement.dims.size() - begin, runs = shape.free.size();
  std::vector<RunAxes> result;
  std::vector<size_t> run_of(rank, 0);   // never decreasing
  for (;;) {
    RunAxes split = fixed;
    split.resize(fixed.size() + runs);
    bool leaves_one_out = rank >= runs && (rank == 0 || run_of.front() != 0 || run_of.back() != runs - 1);
    for (size_t d = 0; d < rank; ++d) {
      split[fixed.size() + run_of[d]].merge(axes_of(placement.dims[begin + d]));
      leaves_one_out = leaves_one_out || (rank >= runs && d > 0 && run_of[d] > run_of[d - 1] + 1);
    }
    if (!leaves_one_out) result.push_back(std::move(split));
    size_t d = rank;
    while (d > 0 && run_of[d - 1] + 1 >= runs) --d;
    if (d == 0) return result;
    const size_t next = run_of[d - 1] + 1;
    for (; d <= rank; ++d) run_of[d - 1] = next;
  }
}

/// A letter of a formula, with the runs (of shapes that one access plays) that it must and may stand in.
struct LetterPlaces {
  std::string name;
  std::set<std::pair<size_t, size_t>> must, may;   // shape, run
  bool on_partitions = false;
};

class Binder {
 public:
  Binder(const Operation& operation, const Opcode& opcode, const Formula& formula, const Match& match)
      : operation_(operation), opcode_(opcode), formula_(formula), match_(match) {
    for (size_t shape = 0; shape < formula.shapes.size(); ++shape) collect(shape);
  }

  std::expected<Binding, Reason> bind(size_t number) {
    for (size_t shape = 0; shape < formula_.shapes.size(); ++shape) {
      const auto access = match_.access_of_shape[shape];
      if (access && bar_missing(formula_.shapes[shape], *access))
        return std::unexpected(*bar_missing(formula_.shapes[shape], *access));
    }
    std::vector<RunAxes> chosen(formula_.shapes.size());
    if (!choose(0, chosen)) return std::unexpected(reason_);
    Binding binding{&opcode_, {}, {}};
    for (size_t shape = 0; shape < formula_.shapes.size(); ++shape) {
      if (const auto access = match_.access_of_shape[shape])
        binding.roles.push_back({formula_.shapes[shape].role, number, *access});
    }
    for (size_t i = 0; i < match_.free_reads.size(); ++i) {
      binding.roles.push_back({formula_.shapes[shape_of_read_[i]].role, number, match_.free_reads[i].access});
    }
    for (size_t i = 0; i < letters_.size(); ++i) {
      BoundLetter bound{letters_[i].name, number, {axes_[i].begin(), axes_[i].end()}, 1, letters_[i].on_partitions};
      for (const uint32_t axis : bound.axes) {
        if (__builtin_mul_overflow(bound.extent, operation_.extents[axis], &bound.extent)) bound.extent = int64_t{1} << 62;
      }
      binding.letters.push_back(std::move(bound));
    }
    return binding;
  }

 private:
  void collect(size_t shape) {
    const std::vector<const Run*> runs = runs_of(formula_.shapes[shape]);
    for (size_t run = 0; run < runs.size(); ++run) {
      for (const Letter& letter : *runs[run]) {
        auto place = std::ranges::find(letters_, letter.name, &LetterPlaces::name);
        if (place == letters_.end()) place = letters_.insert(letters_.end(), {letter.name, {}, {}, false});
        place->on_partitions = place->on_partitions || (formula_.shapes[shape].has_bar && run == 0);
        if (!match_.access_of_shape[shape]) continue;
        place->may.emplace(shape, run);
        if (!letter.may_miss) place->must.emplace(shape, run);
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
  bool choose(size_t shape, std::vector<RunAxes>& chosen) {
    if (shape == formula_.shapes.size()) return assign(chosen) && admit_reads();
    const auto access = match_.access_of_shape[shape];
    if (!access || formula_.shapes[shape].anything) return choose(shape + 1, chosen);
    for (RunAxes& split : splits(formula_.shapes[shape], operation_.placements[*access])) {
      chosen[shape] = std::move(split);
      if (choose(shape + 1, chosen)) return true;
    }
    return false;
  }

  bool assign(const std::vector<RunAxes>& chosen) {
    axes_.assign(letters_.size(), {});
    const bool anything = std::ranges::any_of(formula_.shapes, &Shape::anything);
    const LetterRule* unbound = opcode_.letter("*");
    const std::vector<ir::AxisKind> unbound_kinds = unbound != nullptr ? unbound->kinds : std::vector{ir::AxisKind::parallel};
    for (uint32_t axis = 0; axis < operation_.extents.size(); ++axis) {
      if (!operation_.is_wide(axis)) continue;
      const ir::AxisKind kind = operation_.statement().axes[axis].kind;
      std::set<std::pair<size_t, size_t>> places;
      for (size_t shape = 0; shape < chosen.size(); ++shape) {
        for (size_t run = 0; run < chosen[shape].size(); ++run) {
          if (chosen[shape][run].contains(axis)) places.emplace(shape, run);
        }
      }
      const LetterPlaces* in_place = nullptr;   // a letter with these places but of another kind
      bool bound = false;
      for (size_t i = 0; i < letters_.size() && !bound; ++i) {
        if (!std::ranges::includes(places, letters_[i].must) || !std::ranges::includes(letters_[i].may, places)) continue;
        if (in_place == nullptr) in_place = &letters_[i];
        const std::vector<ir::AxisKind> kinds = kinds_of(opcode_, formula_, letters_[i].name);
        bound = std::ranges::find(kinds, kind) != kinds.end();
        if (bound) axes_[i].insert(axis);
      }
      if (bound || (places.empty() && anything && std::ranges::find(unbound_kinds, kind) != unbound_kinds.end())) continue;
      fail_axis(axis, places, in_place);
      return false;
    }
    return true;
  }

  void fail_axis(uint32_t axis, const std::set<std::pair<size_t, size_t>>& places, const LetterPlaces* in_place) {
    const ir::Axis& declared = operation_.statement().axes[axis];
    if (!places.empty() && in_place != nullptr) {
      reason_ = {Reason::Kind::axes,
                 {},
                 in_place->name,
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

  const AxisSet& axes_of_letter(const std::string& name) const {
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
    const std::vector<const Run*> runs = runs_of(shape);
    std::optional<Reason> reason;
    for (const RunAxes& split : splits(shape, operation_.placements[access])) {
      bool fits = true;
      for (size_t run = 0; fits && run < runs.size(); ++run) {
        AxisSet admitted;
        for (const Letter& letter : *runs[run]) {
          const AxisSet& axes = axes_of_letter(letter.name);
          admitted.insert(axes.begin(), axes.end());
          fits = fits && (letter.may_miss || std::ranges::includes(split[run], axes));
          if (!fits && !reason) reason = refusal(shape, access, letter.name, "is not indexed by all axes of");
        }
        fits = fits && std::ranges::includes(admitted, split[run]);
        if (!fits && !reason) {
          const auto stray = std::ranges::find_if(split[run], [&](uint32_t axis) { return !admitted.contains(axis); });
          reason =
              refusal(shape, access, operation_.statement().axes[*stray].name,
                      shape.has_bar && run == 0 ? "is indexed on its partitions by" : "is indexed on its free dimensions by");
        }
      }
      if (fits) return std::nullopt;
    }
    return reason;
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
  std::vector<AxisSet> axes_;              // by letter
  std::vector<size_t> shape_of_read_;      // by free read
  Reason reason_;
};

}  // namespace

std::vector<ir::AxisKind> kinds_of(const Opcode& opcode, const Formula& formula, std::string_view letter) {
  if (const LetterRule* rule = opcode.letter(letter)) return rule->kinds;
  const Shape& destination = formula.shapes.front();
  const auto names = [&](const Run& run) { return std::ranges::find(run, letter, &Letter::name) != run.end(); };
  const bool kept = destination.anything || names(destination.partition) || std::ranges::any_of(destination.free, names);
  return {kept ? ir::AxisKind::parallel : ir::AxisKind::reduce};
}

std::expected<Binding, Reason> bind_letters(const Operation& operation, const Opcode& opcode, const Formula& formula,
                                            const Match& match, size_t number) {
  return Binder(operation, opcode, formula, match).bind(number);
}

}  // namespace tileproof::machine
