// The limit of the normal form of a lattice term: long clauses count by their atoms.
#include "oracle/domain/antichain.h"

#include <gtest/gtest.h>

namespace tileproof::oracle {
namespace {

/// All pairs of clauses agree in what a summary tells, so that atoms must be looked at.
Antichain alike(AtomRef clauses, AtomRef atoms, AtomRanges& ranges) {
  for (AtomRef atom = 0; atom < clauses + atoms; ++atom) ranges.push({-1, 1});
  Antichain all;
  for (AtomRef c = 0; c < clauses; ++c) {
    Clause& clause = all.emplace_back();
    for (AtomRef i = 0; i < atoms; ++i) clause.push_back(2 * i);
    clause.push_back(2 * (atoms + c));
  }
  return all;
}

TEST(Absorb, CountsAtoms) {
  AtomRanges ranges;
  uint64_t comparisons = 0;
  EXPECT_EQ(absorb(alike(40, 300, ranges), ranges, comparisons).size(), 40u);
  EXPECT_GT(comparisons, 40u * 39u * 300u);
}

TEST(Absorb, EndsSoonBehindTheLimit) {
  constexpr AtomRef clauses = 3'000, atoms = 400;   // 3.6 G comparisons without it
  AtomRanges ranges;
  uint64_t comparisons = 0;
  absorb(alike(clauses, atoms, ranges), ranges, comparisons);
  EXPECT_GT(comparisons, max_comparisons);
  EXPECT_LT(comparisons, max_comparisons + uint64_t{clauses} * (atoms + 2));
}

}  // namespace
}  // namespace tileproof::oracle
