#include "oracle/equivalence/ladder.h"

#include "oracle/equivalence/origins.h"
#include "oracle/equivalence/planted.h"
#include "oracle/equivalence/signature.h"
#include "oracle/interpret/extents.h"
#include "oracle/interpret/order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>

namespace tileproof::oracle {
namespace {

// Bounds on the rare work after a mismatch, in statement points of one check, so that a verdict never depends on the clock. Ours.
constexpr uint64_t exemption_points = 4'000'000'000;
constexpr uint64_t directed_points = 4'000'000'000;
constexpr uint64_t origin_points = 30'000'000;
constexpr int exemption_runs = 24;       // of each kind (rule 7)
constexpr int64_t most_planted = 64;     // elements planted at extremes (rule 5)
constexpr int rank_keys = 12;            // rule 6

const RealOptions ieee_options{.rounding = true, .projection = {}};
constexpr Order orders[] = {Order::forward, Order::reversed, Order::shuffled};


}  // namespace

RunOptions Ladder::run_options(int key) const {
  RunOptions options;
  options.parameters = parameters_;
  options.key = pair_.options.seed * 1000003u + static_cast<uint64_t>(key);
  options.order = orders[key % 3];
  options.pattern = pattern_;
  options.kinds = pair_.kinds;
  options.limits = pair_.limits;
  return options;
}

void Ladder::step(const std::string& what) const {
  if (pair_.options.progress) pair_.options.progress(what);
}

template <class F>
auto Ladder::both(F f) const {
  if (pair_.options.threads < 2) {
    auto original = f(pair_.original, false);
    return std::pair(std::move(original), f(pair_.tiled, true));
  }
  auto tiled = std::async(std::launch::async, [&] { return f(pair_.tiled, true); });
  auto original = f(pair_.original, false);
  return std::pair(std::move(original), tiled.get());
}

std::pair<TierRun, TierRun> Ladder::run_both(Tier tier, const Projection& original, const Projection& tiled, int key, Observer* observer) {
  auto runs = both([&](const ir::Program& program, bool is_tiled) {
    return run_tier(tier, program, pair_.signature, is_tiled ? tiled : original, run_options(key), is_tiled ? observer : nullptr);
  });
  report_.points += runs.first.points + runs.second.points;
  return runs;
}

std::pair<RealRun, RealRun> Ladder::run_both(const RealOptions& real, const Plan& plan, uint64_t key) {
  auto runs = both([&](const ir::Program& program, bool) { return run_real(program, real, plan, key, run_options(0)); });
  report_.points += runs.first.run.points + runs.second.run.points;
  return runs;
}

Decision Ladder::limited(RunStatus status, const std::string& reason) const {
  switch (status) {
    case RunStatus::out_of_points: return {Decision::Kind::limit, Tier::none, fmt::format("a run needs more than {} points; raise --max-points", pair_.limits.points), {}, {}};
    case RunStatus::out_of_time: return {Decision::Kind::limit, Tier::none, "the time is over; raise --timeout", {}, {}};
    case RunStatus::out_of_memory: return {Decision::Kind::undecided, Tier::none, reason + "; raise --max-memory", {}, {}};
    default: return {Decision::Kind::undecided, Tier::none, reason, {}, {}};
  }
}

// ---- the field tier, in which right programs end ----

std::optional<Decision> Ladder::field(Observer* observer) {
  for (int key = 0; key < pair_.keys; ++key) {
    step(fmt::format("field, key {} of {}", key + 1, pair_.keys));
    auto [original, tiled] = run_both(Tier::field, {}, {}, key, key == 0 ? observer : nullptr);
    if (!original.findings.empty()) return Decision{Decision::Kind::bad_original, Tier::none, {}, std::move(original.findings), {}};
    if (original.status != RunStatus::done) return limited(original.status, original.reason);
    if (std::ranges::all_of(tiled.findings, [](const Finding& finding) { return finding.id == FindingId::nan_output; })) {
      // A NaN is a value: the comparison says where it differs from the original's.
      if (not_a_number_.empty()) not_a_number_ = std::move(tiled.findings);
    } else {
      return Decision{Decision::Kind::illegal, Tier::none, {}, std::move(tiled.findings), {}};
    }
    if (tiled.status != RunStatus::done) return limited(tiled.status, tiled.reason);
    if (key == 0) {
      uint64_t compared = 0;
      for (const Digests& output : original.outputs) compared += output.values.size();
      report_.compared = std::max(report_.compared, compared);
      if (tiled.overwritten > 0) report_.counted["overwritten elements"] = std::max(report_.counted["overwritten elements"], tiled.overwritten);
      for (const Finding& warning : tiled.overwrites) {
        const bool known = std::ranges::any_of(report_.warnings, [&](const Finding& at) { return at.statement == warning.statement && at.buffer == warning.buffer; });
        if (!known) report_.warnings.push_back(warning);
      }
    }
    if (const auto mismatch = first_mismatch(original, tiled); mismatch && !mismatch_) {
      mismatch_ = mismatch;
      original_ = std::move(original);
      tiled_ = std::move(tiled);
    }
    // After a mismatch the other keys can still add findings, and those decide before any value does.
  }
  return std::nullopt;
}

// ---- richer exact tiers ----

bool Ladder::agrees(Tier tier, const Projection& original, const Projection& tiled, int keys) {
  for (int key = 0; key < keys; ++key) {
    step(fmt::format("tier {}, key {} of {}", name(tier), key + 1, keys));
    const auto [a, b] = run_both(tier, original, tiled, key);
    for (const TierRun* run : {&a, &b}) {
      if (run->status != RunStatus::done) reason_ = fmt::format("tier {}: {}", name(tier), run->reason);
      if (run->status != RunStatus::done || !run->findings.empty()) return false;
    }
    if (first_mismatch(a, b)) return false;
  }
  return true;
}

Tier Ladder::first_agreement(const Projection& original, const Projection& tiled, bool with_field) {
  std::vector<Tier> tiers;
  if (with_field) tiers.push_back(Tier::field);
  if (pair_.signature.has_max) tiers.push_back(Tier::lattice);
  if (pair_.signature.has_exp) tiers.push_back(Tier::exp);
  if (pair_.signature.has_max) tiers.push_back(Tier::distributing);
  for (const Tier tier : tiers) {
    if (agrees(tier, original, tiled, pair_.keys)) return tier;
  }
  return Tier::none;
}

/// Narrowings that changed no value in any of the runs, and whether integers agreed in all of them (rule 7).
void Ladder::try_exemptions() {
  const uint64_t each = report_.keys == 0 ? report_.points : report_.points / static_cast<uint64_t>(2 * pair_.keys);
  if (each > exemption_points / (4 * exemption_runs)) {
    report_.counted["exemptions not tried: too many points"] = 1;
    return;
  }
  std::vector<bool> changed[2];
  integers_agree_ = all_integers(pair_.signature);
  for (int i = 0; i < 2 * exemption_runs; ++i) {
    step(fmt::format("which roundings change a value, run {} of {}", i + 1, 2 * exemption_runs));
    const Plan plan{i < exemption_runs ? Plan::Inputs::normal : Plan::Inputs::full_range, 1, {}};
    const uint64_t key = pair_.options.seed * 4099 + static_cast<uint64_t>(i);
    const auto pair = run_both(ieee_options, plan, key);
    const RealRun* runs[2] = {&pair.first, &pair.second};
    for (int side = 0; side < 2; ++side) {
      if (runs[side]->run.status != RunStatus::done) {
        integers_agree_ = false;
        return;
      }
      changed[side].resize(std::max(changed[side].size(), runs[side]->changed.size()));
      for (size_t site = 0; site < runs[side]->changed.size(); ++site) {
        if (runs[side]->changed[site]) changed[side][site] = true;
      }
    }
    integers_agree_ = integers_agree_ && same_integers(pair.first, pair.second);
  }
  const ir::Program* programs[2] = {&pair_.original, &pair_.tiled};
  for (int side = 0; side < 2; ++side) {
    std::vector<bool> exempt = narrowing_sites(*programs[side], pair_.signature);
    for (size_t site = 0; site < exempt.size(); ++site) exempt[site] = exempt[site] && (site >= changed[side].size() || !changed[side][site]);
    (side == 0 ? exempt_original_ : exempt_tiled_) = std::move(exempt);
  }
}

// ---- real arithmetic ----

/// Overflow and a self-test of the oracle; nullopt: nothing to say.
std::optional<Decision> Ladder::ieee() {
  for (const double scale : {1.0, 16.0}) {
    step(fmt::format("ieee, inputs of scale {}", scale));
    const Plan plan{Plan::Inputs::normal, scale, {}};
    const auto [original, tiled] = run_both(ieee_options, plan, pair_.options.seed);
    for (const RealRun* at : {&original, &tiled}) {
      if (at->run.status != RunStatus::done) return limited(at->run.status, at->run.reason);
    }
    for (size_t i = 0; i < original.run.outputs.size() && i < tiled.run.outputs.size(); ++i) {
      const Output<RealValue>&a = original.run.outputs[i], &b = tiled.run.outputs[i];
      for (size_t element = 0; element < a.values.size() && element < b.values.size(); ++element) {
        const RealValue x = a.values[element], y = b.values[element];
        if (Real::is_finite(x) && !Real::is_finite(y) && !near_overflow(a.dtype, x)) {
          Decision decision{Decision::Kind::illegal, Tier::none, {}, {}, difference_at(a.buffer, static_cast<int64_t>(element))};
          Difference& difference = *decision.difference;
          difference.original = describe(x);
          difference.tiled = describe(y);
          difference.input = describe(plan, pair_.options.seed, {});
          decision.findings.push_back({FindingId::overflow, difference.writer, difference.buffer, difference.element, difference.writer_location,
                                       fmt::format("{} where the original has {}", difference.tiled, difference.original)});
          return decision;
        }
        switch (Real::is_finite(x) && Real::is_finite(y) ? Real::agreement(x, y) : Real::Agreement::not_judged) {
          case Real::Agreement::agree: break;
          case Real::Agreement::not_judged: ++report_.counted["ieee elements not judged"]; break;
          case Real::Agreement::differ:
            return Decision{Decision::Kind::harness, Tier::none,
                            fmt::format("the exact tiers agree, but element {} of {} is {} in the original and {} in the tiled program", element, a.buffer,
                                        describe(x), describe(y)), {}, {}};
        }
      }
    }
  }
  return std::nullopt;
}

/// Numbers that a reader can compare, from a run in which the element rounds differently.
void Ladder::show_rounding(Difference& difference, const std::string& buffer, int64_t element) {
  for (uint64_t key = pair_.options.seed; key < pair_.options.seed + 8; ++key) {
    const Plan plan{Plan::Inputs::normal, 1, {}};
    const auto [original, tiled] = run_both(ieee_options, plan, key);
    for (size_t i = 0; i < original.run.outputs.size() && i < tiled.run.outputs.size(); ++i) {
      if (original.run.outputs[i].buffer != buffer) continue;
      const RealValue x = original.run.outputs[i].values[static_cast<size_t>(element)], y = tiled.run.outputs[i].values[static_cast<size_t>(element)];
      if (x.bits == y.bits) continue;
      difference.original = describe(x);
      difference.tiled = describe(y);
      difference.input = describe(plan, key, {});
      return;
    }
  }
}

Difference Ladder::difference_at(const std::string& buffer, int64_t element) const {
  Difference difference;
  difference.buffer = buffer;
  difference.writer = "-";
  if (!tiled_) return difference;
  for (const Digests& output : tiled_->outputs) {
    if (output.buffer != buffer) continue;
    difference.element = indices_of(element, output.extents);
    difference.compared = output.values.size();
    const uint32_t writer = output.writers[static_cast<size_t>(element)];
    const auto statements = ir::labelled_statements(pair_.tiled);
    if (writer > 0 && writer <= statements.size()) {
      difference.writer = statements[writer - 1].second;
      difference.writer_location = statements[writer - 1].first->location;
    }
  }
  if (original_) {
    for (size_t i = 0; i < original_->outputs.size() && i < tiled_->outputs.size(); ++i) {
      if (original_->outputs[i].buffer != buffer) continue;
      for (size_t at = 0; at < original_->outputs[i].values.size(); ++at) difference.differing += original_->outputs[i].values[at] != tiled_->outputs[i].values[at];
    }
  }
  return difference;
}

/// The inputs that only one of the programs uses for the element, or that the tiled one uses more often; nullopt: not traced.
std::optional<OriginDifference> Ladder::trace(const std::string& buffer, int64_t element) {
  if (std::max(original_->points, tiled_->points) > origin_points) {
    report_.counted["origins not traced: too many points"] = 1;
    return std::nullopt;
  }
  step("which inputs enter the element");
  auto difference = compare_origins(pair_.original, pair_.tiled, pair_.signature, run_options(0), buffer, element);
  if (!difference) report_.counted["origins not traced: too many"] = 1;
  return difference;
}

void Ladder::explain(Difference& difference, const std::string& buffer, int64_t element) {
  const std::optional<OriginDifference> origins = trace(buffer, element);
  if (!origins) return;
  difference.missing = list_places(origins->missing);
  difference.extra = list_places(origins->extra);
  difference.repeated = list_places(origins->repeated);
}

/// Inputs that are likely to show the difference: where the origins of the element that differs in the field part.
std::vector<InputPlace> Ladder::suspects() {
  const Digests& output = tiled_->outputs[mismatch_->output];
  const std::optional<OriginDifference> origins = trace(output.buffer, mismatch_->element);
  std::vector<InputPlace> places;
  if (!origins) return places;
  for (const auto* list : {&origins->missing, &origins->extra, &origins->repeated}) {
    for (size_t i = 0; i < std::min<size_t>(4, list->size()); ++i) places.push_back((*list)[i]);
    if (list->size() > 4) places.push_back(list->back());
  }
  return places;
}

/// Real runs with planted extremes: a difference refutes and is the counterexample.
Decision Ladder::directed(bool rank_agrees) {
  const Planting planting = choose_planting(pair_.original, pair_.kinds, parameters_, suspects(), most_planted, pair_.options.seed);
  struct Try {
    Plan plan;
    std::string planted;   // for people
  };
  std::vector<Try> tries;
  for (const Plan::Inputs inputs : {Plan::Inputs::normal, Plan::Inputs::all_lowest, Plan::Inputs::all_highest}) tries.push_back({{inputs, 1, {}}, {}});
  for (const InputPlace& place : planting.places) {
    for (const bool high : {true, false}) {
      tries.push_back({{Plan::Inputs::normal, 1, Plan::Planted{hash_name(place.buffer), place.element, high}},
                       fmt::format("{}[{}] {}", place.buffer, fmt::join(place.indices, ", "),
                                   ir::is_float(place.dtype) ? (high ? "= 8" : "= -8") : (high ? "at its highest value" : "at its lowest value"))});
    }
  }
  uint64_t spent = 0;
  size_t done = 0;
  for (const auto& [plan, planted] : tries) {
    if (spent > directed_points) break;
    step(fmt::format("real arithmetic with chosen inputs, run {} of {}", done + 1, tries.size()));
    const auto [original, tiled] = run_both({.rounding = false, .projection = {}}, plan, pair_.options.seed);
    spent += original.run.points + tiled.run.points;
    for (const RealRun* at : {&original, &tiled}) {
      if (at->run.status != RunStatus::done) return limited(at->run.status, at->run.reason);
    }
    ++done;
    for (size_t i = 0; i < original.run.outputs.size() && i < tiled.run.outputs.size(); ++i) {
      const Output<RealValue>&a = original.run.outputs[i], &b = tiled.run.outputs[i];
      for (size_t element = 0; element < a.values.size() && element < b.values.size(); ++element) {
        if (Real::agreement(a.values[element], b.values[element]) != Real::Agreement::differ) continue;
        Difference difference = difference_at(a.buffer, static_cast<int64_t>(element));
        difference.original = describe(a.values[element]);
        difference.tiled = describe(b.values[element]);
        difference.input = describe(plan, pair_.options.seed, planted);
        explain(difference, a.buffer, static_cast<int64_t>(element));
        return {Decision::Kind::differ, Tier::none, {}, {}, std::move(difference)};
      }
    }
  }
  const bool all_planted = done == tries.size() && planting.complete();
  report_.counted["input elements planted"] = planting.places.size();
  report_.counted["input elements"] = static_cast<uint64_t>(planting.elements);
  if (rank_agrees && all_planted) return {Decision::Kind::agree, Tier::rank, {}, {}, {}};
  // Sums and products of wrapped integers are told apart by random runs; a max or a compare only where its extremes were planted.
  const bool selects = pair_.signature.has_max || pair_.signature.has_compare;
  if (integers_agree_ && (all_planted || !selects)) return {Decision::Kind::agree, Tier::integers, {}, {}, {}};
  if (auto other = origins()) return std::move(*other);
  std::string reason = fmt::format("identity undecided: the programs agree in {} real runs with {} of {} input elements planted, but no exact tier shows that they are equal",
                                   done, planting.places.size(), planting.elements);
  if (!reason_.empty()) reason += "; " + reason_;
  return {Decision::Kind::undecided, Tier::none, std::move(reason), {}, {}};
}

std::optional<Decision> Ladder::origins() {
  if (!original_ || std::max(original_->points, tiled_->points) > origin_points) return std::nullopt;
  step("which inputs enter the outputs");
  const auto other = first_other_origin(pair_.original, pair_.tiled, pair_.signature, run_options(0));
  if (!other || !*other) return std::nullopt;
  Difference difference = difference_at((*other)->first, (*other)->second);
  difference.original = "(the same value in every run made)";
  difference.tiled = "(computed from other inputs)";
  difference.input = "any";
  explain(difference, (*other)->first, (*other)->second);
  return Decision{Decision::Kind::differ, Tier::none, {}, {}, std::move(difference)};
}

Decision Ladder::climb(Observer* observer) {
  Decision decision = decide(observer);
  if (decision.kind == Decision::Kind::agree && !not_a_number_.empty()) decision.kind = Decision::Kind::illegal;
  const bool value_decides = decision.kind == Decision::Kind::differ || decision.kind == Decision::Kind::rounding_only;
  if (decision.kind == Decision::Kind::illegal || value_decides) {
    decision.findings.insert(decision.findings.end(), not_a_number_.begin(), not_a_number_.end());
  }
  return decision;
}

Decision Ladder::decide(Observer* observer) {
  if (auto decided = field(observer)) return std::move(*decided);
  Decision decision{Decision::Kind::agree, Tier::field, {}, {}, {}};
  if (mismatch_) {
    decision.tier = first_agreement({}, {}, false);
    Projection original, tiled;
    if (decision.tier == Tier::none) {
      try_exemptions();
      original.exempt = exempt_original_;
      tiled.exempt = exempt_tiled_;
      const auto exempt = static_cast<uint64_t>(std::ranges::count(original.exempt, true) + std::ranges::count(tiled.exempt, true));
      if (exempt > 0) decision.tier = first_agreement(original, tiled, true);
      if (decision.tier != Tier::none) report_.counted["narrowings exempt"] = exempt;
    }
    if (decision.tier == Tier::none) {
      original.floats = tiled.floats = false;
      decision.tier = first_agreement(original, tiled, true);
      if (decision.tier != Tier::none) {
        if (auto overflows = ieee(); overflows && overflows->kind == Decision::Kind::illegal) return std::move(*overflows);
        decision.kind = Decision::Kind::rounding_only;
        const Digests& output = tiled_->outputs[mismatch_->output];
        Difference difference = difference_at(output.buffer, mismatch_->element);
        difference.original = "one rounding";
        difference.tiled = "another";
        difference.input = "any whose digits the narrow dtype does not hold";
        show_rounding(difference, output.buffer, mismatch_->element);
        decision.difference = std::move(difference);
        return decision;
      }
    }
    if (decision.tier == Tier::none) {
      decision = directed(pair_.signature.has_compare && agrees(Tier::rank, {}, {}, rank_keys));
      if (decision.kind != Decision::Kind::agree) return decision;
    }
  }
  if (auto decided = ieee()) return std::move(*decided);
  return decision;
}

}  // namespace tileproof::oracle
