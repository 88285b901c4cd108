#include "oracle/domain/antichain.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tileproof::oracle {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

void unite(Clause& clause) {
  std::ranges::sort(clause);
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
}

/// Drops each atom that another one of the clause is never greater than.
void shorten(Clause& clause, const AtomRanges& ranges) {
  if (clause.size() < 2) return;
  AtomRef least = clause[0];   // of the smallest upper bound, and no constant if another atom has that bound
  for (const AtomRef atom : clause)
    if (std::pair(ranges[atom].high, ranges[atom].low) < std::pair(ranges[least].high, ranges[least].low)) least = atom;
  const double bound = ranges[least].high;
  if (bound == infinite) return;
  std::erase_if(clause, [&](AtomRef atom) { return atom != least && ranges[atom].low >= bound; });
}

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

size_t atom_count(const Antichain& form) {
  size_t count = 0;
  for (const Clause& clause : form) count += clause.size();
  return count;
}

Antichain absorb(Antichain clauses, const AtomRanges& ranges) {
  for (Clause& clause : clauses) shorten(clause, ranges);
  std::ranges::sort(clauses);
  clauses.erase(std::unique(clauses.begin(), clauses.end()), clauses.end());
  if (clauses.size() < 2) return clauses;

  const bool singles = std::ranges::all_of(clauses, [](const Clause& clause) { return clause.size() == 1; });
  if (singles) {   // dual to `shorten`
    AtomRef greatest = clauses[0][0];
    for (const Clause& clause : clauses)
      if (std::pair(ranges[clause[0]].low, ranges[clause[0]].high) > std::pair(ranges[greatest].low, ranges[greatest].high))
        greatest = clause[0];
    const double bound = ranges[greatest].low;
    std::erase_if(clauses, [&](const Clause& clause) { return clause[0] != greatest && ranges[clause[0]].high <= bound; });
    return clauses;
  }

  std::vector<Summary> summaries;
  for (const Clause& clause : clauses) summaries.push_back(summarize(clause, ranges));
  // min(C) <= min(D) is known if each atom d of D is in C, or above something in C.
  const auto below = [&](size_t c, size_t d) {
    if ((summaries[d].unbounded & ~summaries[c].bloom) != 0) return false;
    return std::ranges::all_of(clauses[d], [&](AtomRef atom) {
      return summaries[c].high <= ranges[atom].low || std::ranges::binary_search(clauses[c], atom);
    });
  };
  std::vector<bool> absorbed(clauses.size());
  for (size_t c = 0; c < clauses.size(); ++c)
    for (size_t d = 0; d < clauses.size() && !absorbed[c]; ++d)
      if (c != d && !absorbed[d] && below(c, d)) absorbed[c] = true;
  size_t kept = 0;
  for (size_t c = 0; c < clauses.size(); ++c) {
    if (absorbed[c]) continue;
    if (kept != c) clauses[kept] = std::move(clauses[c]);
    ++kept;
  }
  clauses.resize(kept);
  return clauses;
}

std::optional<Antichain> join(std::span<const Antichain* const> forms, const AtomRanges& ranges, size_t cap) {
  Antichain all;
  for (const Antichain* form : forms) all.insert(all.end(), form->begin(), form->end());
  all = absorb(std::move(all), ranges);
  if (atom_count(all) > cap) return std::nullopt;
  return all;
}

std::optional<Antichain> meet(std::span<const Antichain* const> forms, const AtomRanges& ranges, size_t cap) {
  Antichain result{{}};
  Clause singles;   // of all forms that are one clause: they lengthen every clause of the others
  for (const Antichain* form : forms)
    if (form->size() == 1) singles.insert(singles.end(), form->front().begin(), form->front().end());
  unite(singles);
  shorten(singles, ranges);
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
    result = absorb(std::move(product), ranges);
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
