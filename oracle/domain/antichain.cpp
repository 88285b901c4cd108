#include "oracle/domain/antichain.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tileproof::oracle {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A clause with what decides most comparisons.
struct Summary {
  uint64_t bloom = 0;        ///< of its atoms
  uint64_t unbounded = 0;    ///< of those that have no lower bound: only the atom itself is known to be below them
  double high = infinite;    ///< the min is at most this
};

uint64_t bloom_bit(AtomRef atom) { return uint64_t{1} << (atom * uint32_t{0x9e3779b1} >> 26); }

Summary summarize(const Clause& clause, const AtomRanges& ranges) {
  Summary summary;
  for (const AtomRef atom : clause) {
    summary.bloom |= bloom_bit(atom);
    if (ranges[atom].low == -infinite) summary.unbounded |= bloom_bit(atom);
    summary.high = std::min(summary.high, ranges[atom].high);
  }
  return summary;
}

}  // namespace

void keep_least(Clause& atoms, const AtomRanges& ranges) {
  std::ranges::sort(atoms);
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
  if (atoms.size() < 2) return;
  AtomRef least = atoms[0];   // of the smallest upper bound, and no constant if another atom has that bound
  RealRange best = ranges[least];
  for (const AtomRef atom : atoms)
    if (const RealRange range = ranges[atom]; std::pair(range.high, range.low) < std::pair(best.high, best.low)) {
      least = atom;
      best = range;
    }
  if (best.high == infinite) return;
  std::erase_if(atoms, [&](AtomRef atom) { return atom != least && ranges[atom].low >= best.high; });
}

void keep_greatest(Clause& atoms, const AtomRanges& ranges) {
  for (AtomRef& atom : atoms) atom ^= 1;
  keep_least(atoms, ranges);
  for (AtomRef& atom : atoms) atom ^= 1;
  std::ranges::sort(atoms);
}

size_t atom_count(const Antichain& form) {
  size_t count = 0;
  for (const Clause& clause : form) count += clause.size();
  return count;
}

Antichain absorb(Antichain clauses, const AtomRanges& ranges, uint64_t& comparisons) {
  for (Clause& clause : clauses) keep_least(clause, ranges);
  std::ranges::sort(clauses);
  clauses.erase(std::unique(clauses.begin(), clauses.end()), clauses.end());
  if (clauses.size() < 2) return clauses;

  if (std::ranges::all_of(clauses, [](const Clause& clause) { return clause.size() == 1; })) {
    Clause atoms;
    for (const Clause& clause : clauses) atoms.push_back(clause[0]);
    keep_greatest(atoms, ranges);
    clauses.clear();
    for (const AtomRef atom : atoms) clauses.push_back({atom});
    return clauses;
  }

  std::vector<Summary> summaries;
  for (const Clause& clause : clauses) summaries.push_back(summarize(clause, ranges));
  // min(C) <= min(D) is known if each atom d of D is in C, or above something in C.
  const auto below = [&](size_t c, size_t d) {
    if ((summaries[d].unbounded & ~summaries[c].bloom) != 0) return false;
    return std::ranges::all_of(clauses[d], [&](AtomRef atom) {
      ++comparisons;
      return summaries[c].high <= ranges[atom].low || std::ranges::binary_search(clauses[c], atom);
    });
  };
  std::vector<bool> absorbed(clauses.size());
  for (size_t c = 0; c < clauses.size() && comparisons <= max_comparisons; ++c) {
    size_t d = 0;
    for (; d < clauses.size() && !absorbed[c]; ++d)
      if (c != d && !absorbed[d] && below(c, d)) absorbed[c] = true;
    comparisons += d;
  }
  size_t kept = 0;
  for (size_t c = 0; c < clauses.size(); ++c) {
    if (absorbed[c]) continue;
    if (kept != c) clauses[kept] = std::move(clauses[c]);
    ++kept;
  }
  clauses.resize(kept);
  return clauses;
}

std::optional<Antichain> join(std::span<const Antichain* const> forms, const AtomRanges& ranges, size_t cap,
                              uint64_t& comparisons) {
  Antichain all;
  for (const Antichain* form : forms) all.insert(all.end(), form->begin(), form->end());
  all = absorb(std::move(all), ranges, comparisons);
  if (atom_count(all) > cap) return std::nullopt;
  return all;
}

std::optional<Antichain> meet(std::span<const Antichain* const> forms, const AtomRanges& ranges, size_t cap,
                              uint64_t& comparisons) {
  Antichain result{{}};
  Clause singles;   // of all forms that are one clause: they lengthen every clause of the others
  for (const Antichain* form : forms)
    if (form->size() == 1) singles.insert(singles.end(), form->front().begin(), form->front().end());
  keep_least(singles, ranges);
  result.front() = std::move(singles);
  for (const Antichain* form : forms) {
    if (form->size() == 1) continue;
    if (form->size() * result.size() > 4 * cap) return std::nullopt;
    Antichain product;
    for (const Clause& left : result)
      for (const Clause& right : *form) {
        Clause& both = product.emplace_back();
        std::ranges::set_union(left, right, std::back_inserter(both));
      }
    result = absorb(std::move(product), ranges, comparisons);
    if (atom_count(result) > cap) return std::nullopt;
  }
  if (atom_count(result) > cap) return std::nullopt;
  return result;
}

RealRange range_of(const Antichain& form, const AtomRanges& ranges) {
  RealRange range{-infinite, -infinite};
  for (const Clause& clause : form) {
    RealRange least{infinite, infinite};
    for (const AtomRef atom : clause) least = {std::min(least.low, ranges[atom].low), std::min(least.high, ranges[atom].high)};
    range = {std::max(range.low, least.low), std::max(range.high, least.high)};
  }
  return range;
}

}  // namespace tileproof::oracle
