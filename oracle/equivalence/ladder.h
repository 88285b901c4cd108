// The ladder of tiers for one set of parameter values and one pattern of the index-kind inputs (spec: docs/verdicts.md).
#pragma once

#include "oracle/equivalence/check.h"
#include "oracle/equivalence/origins.h"
#include "oracle/equivalence/planted.h"
#include "oracle/equivalence/real_run.h"
#include "oracle/equivalence/tier.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::oracle {

/// What all runs of a check share.
struct Pair {
  const ir::Program& original;
  const ir::Program& tiled;
  const CheckOptions& options;
  Kinds kinds;
  Signature signature;
  Limits limits;
  int keys = 0;
};

/// How one rung of a check ended.
struct Decision {
  enum class Kind : uint8_t { agree, rounding_only, differ, bad_original, illegal, undecided, limit, harness };
  Kind kind = Kind::undecided;
  Tier tier = Tier::none;                ///< agree and rounding_only
  std::string reason;                    ///< undecided, limit, harness, bad_original
  std::vector<Finding> findings;         ///< bad_original and illegal
  std::optional<Difference> difference;  ///< rounding_only and differ
};

/// One of the two programs.
struct Side {
  const ir::Program& program;
  LoweredProgram code;
  std::vector<bool> exempt;              ///< by Site: a narrowing that changed no value in any run
  std::vector<bool> doubtful;  ///< ... and yet integers that its dtype does not hold are possible, or fractions in an integer
  std::vector<bool> held;  ///< by Site: a narrowing that is never given what its dtype does not hold
};

class Ladder {
 public:
  Ladder(const Pair& pair, Parameters parameters, Pattern pattern, int64_t level, CheckReport& report)
      : pair_(pair),
        parameters_(std::move(parameters)),
        pattern_(pattern),
        level_(level),
        sides_{Side{pair.original, lower(pair.original, parameters_, pair.kinds), {}, {}, {}},
               Side{pair.tiled, lower(pair.tiled, parameters_, pair.kinds), {}, {}, {}}},
        signature_(pair.signature),
        keys_(pair.keys),
        report_(report) {}

  /// Climbs as far as it takes. `observer` watches the first run of the tiled program.
  Decision climb(Observer* observer);

 private:
  const Pair& pair_;
  Parameters parameters_;
  Pattern pattern_;
  int64_t level_;
  std::array<Side, 2> sides_;  ///< the original, the tiled program
  Signature signature_;  ///< that of the pair; whether words wrap is decided here
  int keys_ = 0;
  CheckReport& report_;  ///< points and counts
  uint64_t field_points_ = 0;  ///< of all runs of the field tier
  std::string reason_;  ///< why a tier could not be asked
  std::optional<Mismatch> mismatch_;  ///< of the field tier
  int mismatch_key_ = 0;  ///< the run that it was found in: index-kind inputs differ from run to run
  std::optional<TierRun> original_, tiled_;  ///< the runs that it was found in; without one, tiled_ is the first run
  std::vector<Finding> not_a_number_;  ///< of the tiled program
  bool integers_agree_ = false;  ///< bitwise, in every run made for the exemptions
  bool roundings_differ_ = false;  ///< an output differed in its bits in one of them

  RunOptions run_options(int key) const;
  /// The two programs of the pair, run at the same time where the options allow it.
  template <class F>
  auto both(F f) const;
  std::pair<TierRun, TierRun> run_both(Tier tier, const Projection& original, const Projection& tiled, int key,
                                       Observer* observer = nullptr);
  std::pair<RealRun, RealRun> run_both(const RealOptions& real, const Plan& plan, uint64_t key);
  void step(const std::string& what) const;

  Decision decide(Observer* observer);
  void look_for_wraps();
  /// The first tier in which the programs agree with the exempt narrowings left out; the doubtful ones too, if `with_doubtful`.
  Tier exempted_agreement(bool with_doubtful);
  Decision undecided_narrowing() const;
  std::optional<Decision> field(Observer* observer);
  bool agrees(Tier tier, const Projection& original, const Projection& tiled, int keys);
  Tier first_agreement(const Projection& original, const Projection& tiled, bool with_field);
  void try_exemptions();
  std::optional<Decision> ieee();
  Decision directed(bool rank_agrees);
  std::optional<Decision> origins();
  /// What two values of it are, is left open; which statement of the tiled program wrote it, the first run says.
  Difference difference_at(const std::string& buffer, int64_t element) const;
  std::optional<Decision> undecided_rounding();
  void show_rounding(Difference& difference, const std::string& buffer, int64_t element);
  std::optional<OriginDifference> trace(const std::string& buffer, int64_t element);
  std::vector<InputPlace> suspects();
  void explain(Difference& difference, const std::string& buffer, int64_t element);
  Decision limited(RunStatus status, const std::string& reason) const;
};

}  // namespace tileproof::oracle
