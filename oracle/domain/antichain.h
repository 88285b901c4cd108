// Normal forms of the free distributive lattice over atoms of which some are comparable (rule 3): a max of mins, as an antichain
// of sets of atoms.
//
//   max(min(x, 6), 0)  =  { {x, 6}, {0} }
//
// Two atoms are comparable if their ranges tell: literals, and data of an integer dtype beside its bounds. A set absorbs another
// if its min is never less; an atom is dropped from a set if another one is never greater. What is left is unique: two terms are
// equal in every totally ordered set that respects the ranges iff their normal forms are.
#pragma once

#include "oracle/domain/real_range.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tileproof::oracle {

/// Twice the index of an atom, plus 1 for its negation.
using AtomRef = uint32_t;
using Clause = std::vector<AtomRef>;       ///< a min of atoms; ascending, once
using Antichain = std::vector<Clause>;     ///< a max of clauses; ascending, once

/// What is known of each atom.
class AtomRanges {
 public:
  void push(RealRange range) { ranges_.push_back(range); }
  RealRange operator[](AtomRef atom) const { return (atom & 1) != 0 ? negate(ranges_[atom >> 1]) : ranges_[atom >> 1]; }

 private:
  std::vector<RealRange> ranges_;
};

size_t atom_count(const Antichain& form);
/// What is left of a min of atoms, and of a max of atoms: without each atom that another one makes superfluous. Sorted, each
/// once.
void keep_least(Clause& atoms, const AtomRanges& ranges);
void keep_greatest(Clause& atoms, const AtomRanges& ranges);
/// Of atoms with each other, after which terms mean nothing: about a second (our choice).
inline constexpr uint64_t max_comparisons = uint64_t{1} << 26;
/// The normal form of a max of clauses that are sorted, each once. Takes time quadratic in them: `comparisons` counts on, and past
/// max_comparisons it ends early, with no normal form.
Antichain absorb(Antichain clauses, const AtomRanges& ranges, uint64_t& comparisons);
/// The normal form of the max and of the min of normal forms. nullopt: on the way a term had more than `cap` atoms.
std::optional<Antichain> join(std::span<const Antichain* const> forms, const AtomRanges& ranges, size_t cap,
                              uint64_t& comparisons);
std::optional<Antichain> meet(std::span<const Antichain* const> forms, const AtomRanges& ranges, size_t cap,
                              uint64_t& comparisons);
/// Where the term's value lies.
RealRange range_of(const Antichain& form, const AtomRanges& ranges);

}  // namespace tileproof::oracle
