// What has to hold of one cut that was made, for its extents and for all extents of the same class.
#pragma once

#include "compiler/penguin/cut_obligation.h"
#include "oracle/prove/prover.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace tileproof::prove {

/// One fact, for all extents of the class. The class is what the fact speaks of: how many dimensions are whole in the tile, whether
/// the next is split, and the options; not the numbers.
struct Obligation {
  std::string name;  ///< "budget", "coverage", "disjoint", "tail", "maximal", "uniform"
  std::string cls;  ///< equal where the goal is
  Goal goal;
};

/// The obligations of a cut; a cut of nothing has one, that everything fits.
/// Precondition: cut.dim, where there is one, is within the extents.
std::vector<Obligation> obligations(const penguin::CutStatement& cut);

/// Whether the numbers of a cut are of the class that its obligations speak of: the assumption of each holds for them, and the claim
/// is true of them. The name of the first obligation that fails; empty: none. A cut that fits its class is right as soon as the
/// obligations are proved; one that does not is wrong.
std::string first_broken(const penguin::CutStatement& cut);

/// What is proved, by class: an obligation is proved once however many cuts have it.
using ProofCache = std::map<std::string, Proof>;

/// What became of an obligation.
struct Discharged {
  std::string name;
  Verdict verdict = Verdict::error;
};

struct Discharge {
  Verdict verdict = Verdict::error;
  std::string obligation;  ///< refuted, timeout, error: which
  std::string reason;  ///< ... and why
  size_t proved = 0;  ///< obligations of all cuts
  size_t classes = 0;  ///< ... of which so many are different
  std::vector<Discharged> each;  ///< the first of each class, in the order of the cuts; of a broken cut that obligation alone
};

/// Proves the obligations of all cuts, each class once, and checks that each cut is of its class. `proved` if all are. Proofs that are
/// not in the cache are made in child processes and put there, unless they ran out of time. Throws std::system_error where no
/// process can be started.
Discharge discharge(std::span<const penguin::CutStatement> cuts, ProofCache& cache, const ProverOptions& options = {});

}  // namespace tileproof::prove
