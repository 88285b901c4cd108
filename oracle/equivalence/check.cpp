#include "oracle/equivalence/check.h"

#include "oracle/domain/narrow_sets.h"
#include "oracle/equivalence/interface.h"
#include "oracle/equivalence/ladder.h"
#include "oracle/equivalence/parameter_values.h"
#include "oracle/equivalence/signature.h"
#include "oracle/interpret/kinds.h"
#include "oracle/legality/legality.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::oracle {
namespace {

// Our choice, a few seconds: statement points for the parameter values that need not be run, and what each of them counts for at
// least.
constexpr uint64_t points_for_more = 100'000'000;
constexpr uint64_t least_points = 10'000;

class Check {
 public:
  Check(const ir::Program& original, const ir::Program& tiled, const CheckOptions& options)
      : options_(options), pair_{original, tiled, options, common_kinds(original, tiled), {}, {}, options.keys} {
    pair_.signature = signature_of(original, tiled, pair_.kinds);
    if (pair_.keys <= 0) pair_.keys = sufficient_keys(pair_.signature);
    pair_.limits.points = options.max_points;
    pair_.limits.bytes = options.max_memory;
    if (options.timeout.count() > 0) pair_.limits.deadline = std::chrono::steady_clock::now() + options.timeout;
  }

  CheckReport run() {
    report_.verdict = Verdict::tested;
    report_.keys = pair_.keys;
    run_all();
    if (undecided_ && report_.verdict == Verdict::tested) {
      report_.verdict = Verdict::unsupported;
      report_.reason = undecided_->reason;
      report_.failing_parameters = undecided_->parameters;
    }
    return std::move(report_);
  }

 private:
  /// Why the first run of the ladder that ended undecided did: another pattern or parameter value may still refute.
  struct Undecided {
    std::string reason;
    Parameters parameters;
    uint64_t points = 0;   // evaluated by then
  };

  const CheckOptions& options_;
  Pair pair_;
  CheckReport report_;
  std::optional<Undecided> undecided_;

  void run_all() {
    const bool indexed = !pair_.kinds.index_inputs.empty();
    const ParameterValues values = parameter_values(pair_.original, pair_.tiled, pair_.kinds);
    const auto run_patterns = [&](const Parameters& parameters) {
      const bool is_first = report_.patterns.empty();
      const auto run_one = [&](Pattern pattern, int64_t level) {
        if (undecided_ && report_.points - undecided_->points > points_for_more) return false;
        if (!one(parameters, pattern, level)) return false;
        if (indexed && is_first) report_.patterns.push_back(text(pattern, level));
        return true;
      };
      for (const Pattern pattern : all_patterns) {
        if (!indexed && pattern != Pattern::random) break;
        if (pattern != Pattern::level && !run_one(pattern, 0)) return false;
      }
      const uint64_t before = report_.points;
      for (const int64_t level : pair_.kinds.levels) {
        if (!indexed || report_.points - before > points_for_more) break;
        if (!run_one(Pattern::level, level)) return false;
      }
      if (!parameters.empty()) report_.parameters.push_back(parameters);
      return true;
    };
    for (const Parameters& parameters : values.first) {
      if (!run_patterns(parameters)) return;
    }
    uint64_t spent = 0;
    for (const Parameters& parameters : values.more) {
      if (spent >= points_for_more || undecided_) break;
      const uint64_t before = report_.points;
      if (!run_patterns(parameters)) return;
      spent += std::max(report_.points - before, least_points);
    }
    const uint64_t left_out = values.combinations - std::max<uint64_t>(1, report_.parameters.size());
    if (left_out > 0) report_.counted["parameter combinations left out"] = left_out;
  }

  /// False: the verdict stands.
  bool one(const Parameters& parameters, Pattern pattern, int64_t level) {
    std::optional<Legality> legality;
    if (options_.machine != nullptr) legality.emplace(pair_.tiled, *options_.machine);
    Ladder ladder(pair_, parameters, pattern, level, report_);
    Decision decision = ladder.climb(legality ? &*legality : nullptr);
    const bool original_ran = decision.kind != Decision::Kind::bad_original;
    std::vector<Finding> limits = legality && original_ran ? legality->finish() : std::vector<Finding>{};
    if (decision.kind == Decision::Kind::undecided && limits.empty()) {
      if (!undecided_) undecided_ = {std::move(decision.reason), parameters, report_.points};
      return true;
    }
    const bool fine = settle(decision, std::move(limits));
    if (!fine) {
      report_.failing_parameters = parameters;
      report_.failing_pattern = pattern;
      report_.failing_level = level;
      report_.pattern_matters = !pair_.kinds.index_inputs.empty();
    }
    return fine;
  }

  bool settle(Decision& decision, std::vector<Finding> limits) {
    report_.difference = std::move(decision.difference);
    report_.reason = std::move(decision.reason);
    report_.findings = std::move(decision.findings);
    if (decision.kind == Decision::Kind::bad_original) {
      report_.verdict = Verdict::bad_original;
      report_.reason = "the original has no single meaning";
      return false;
    }
    const auto refute = [&] {
      report_.findings.insert(report_.findings.end(), std::make_move_iterator(limits.begin()),
                              std::make_move_iterator(limits.end()));
      report_.verdict = Verdict::refuted;
      return false;
    };
    switch (decision.kind) {
      case Decision::Kind::illegal: return refute();
      case Decision::Kind::differ:
        report_.findings.insert(report_.findings.begin(), difference_finding(FindingId::value, "the outputs differ"));
        return refute();
      case Decision::Kind::rounding_only:
        report_.tier = std::max(report_.tier, decision.tier);
        if (options_.rounding == Rounding::strict) {
          report_.findings.insert(report_.findings.begin(),
                                  difference_finding(FindingId::rounding_only, "the outputs differ by roundings only"));
          return refute();
        }
        report_.counted["elements that round differently"] += report_.difference->differing;
        report_.difference.reset();
        break;
      case Decision::Kind::agree: report_.tier = std::max(report_.tier, decision.tier); break;
      case Decision::Kind::undecided: report_.verdict = Verdict::unsupported; break;
      case Decision::Kind::limit: report_.verdict = Verdict::timeout; break;
      case Decision::Kind::harness: report_.verdict = Verdict::harness_error; break;
      case Decision::Kind::bad_original: break;
    }
    // What the machine does not have refutes, whatever became of the values.
    if (!limits.empty() && report_.verdict != Verdict::harness_error) return refute();
    return report_.verdict == Verdict::tested;
  }

  Finding difference_finding(FindingId id, std::string detail) const {
    const Difference& difference = *report_.difference;
    return {id, difference.writer, difference.buffer, difference.element, difference.writer_location, std::move(detail)};
  }
};

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved: return "proved";
    case Verdict::tested: return "tested";
    case Verdict::refuted: return "refuted";
    case Verdict::bad_original: return "bad-original";
    case Verdict::unsupported: return "unsupported";
    case Verdict::timeout: return "timeout";
    case Verdict::harness_error: return "harness-error";
  }
  return "?";
}

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved:
    case Verdict::tested: return 0;
    case Verdict::refuted: return 1;
    case Verdict::bad_original: return 2;
    case Verdict::unsupported:
    case Verdict::timeout: return 3;
    case Verdict::harness_error: return 4;
  }
  return 4;
}

std::string_view name(Tier tier) {
  switch (tier) {
    case Tier::none: return "none";
    case Tier::field: return "field";
    case Tier::lattice: return "lattice";
    case Tier::exp_plain:
    case Tier::exp: return "exp";
    case Tier::distributing: return "distributing";
    case Tier::rank: return "rank";
    case Tier::integers: return "integers";
  }
  return "?";
}

int sufficient_keys(const Signature& signature) {
  constexpr int fewest = 3, bits = 39;
  const int width = NarrowSets(signature).group_width();
  return width == 0 ? fewest : std::max(fewest, (bits + width - 1) / width);
}

std::expected<CheckReport, ir::Diagnostics> check(const ir::Program& original, const ir::Program& tiled,
                                                  const CheckOptions& options) {
  if (ir::Diagnostics differences = interface_differences(original, tiled); !differences.empty())
    return std::unexpected(std::move(differences));
  return Check(original, tiled, options).run();
}

}  // namespace tileproof::oracle
