// The rungs of the ladder in real arithmetic: which roundings change a value, overflow, and directed runs.
#include "oracle/equivalence/ladder.h"

#include "oracle/equivalence/planted.h"
#include "oracle/equivalence/signature.h"
#include "oracle/interpret/order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

namespace tileproof::oracle {
namespace {

// Bounds on the rare work after a mismatch, in statement points of one check, so that a verdict never depends on the clock. Ours.
constexpr uint64_t exemption_points = 4'000'000'000;
constexpr uint64_t directed_points = 4'000'000'000;
constexpr int exemption_runs = 24;  // of each kind (rule 7)
constexpr int64_t most_planted = 64;  // elements planted at extremes (rule 5)

const RealOptions ieee_options{.rounding = true, .projection = {}};

}  // namespace

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
    for (size_t site = 0; site < exempt.size(); ++site)
      exempt[site] = exempt[site] && (site >= changed[side].size() || !changed[side][site]);
    (side == 0 ? exempt_original_ : exempt_tiled_) = std::move(exempt);
  }
}

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
          decision.findings.push_back({FindingId::overflow, difference.writer, difference.buffer, difference.element,
                                       difference.writer_location,
                                       fmt::format("{} where the original has {}", difference.tiled, difference.original)});
          return decision;
        }
        switch (Real::is_finite(x) && Real::is_finite(y) ? Real::agreement(x, y) : Real::Agreement::not_judged) {
          case Real::Agreement::agree: break;
          case Real::Agreement::not_judged: ++report_.counted["ieee elements not judged"]; break;
          case Real::Agreement::differ:
            return Decision{
                Decision::Kind::harness,
                Tier::none,
                fmt::format("the exact tiers agree, but element {} of {} is {} in the original and {} in the tiled program",
                            element, a.buffer, describe(x), describe(y)),
                {},
                {}};
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
      const RealValue x = original.run.outputs[i].values[static_cast<size_t>(element)],
                      y = tiled.run.outputs[i].values[static_cast<size_t>(element)];
      if (x.bits == y.bits) continue;
      difference.original = describe(x);
      difference.tiled = describe(y);
      difference.input = describe(plan, key, {});
      return;
    }
  }
}

/// Real runs with planted extremes: a difference refutes and is the counterexample.
Decision Ladder::directed(bool rank_agrees) {
  const Planting planting =
      choose_planting(pair_.original, pair_.kinds, parameters_, suspects(), most_planted, pair_.options.seed);
  struct Try {
    Plan plan;
    std::string planted;  // for people
  };
  std::vector<Try> tries;
  for (const Plan::Inputs inputs : {Plan::Inputs::normal, Plan::Inputs::all_lowest, Plan::Inputs::all_highest})
    tries.push_back({{inputs, 1, {}}, {}});
  for (const InputPlace& place : planting.places) {
    for (const bool high : {true, false}) {
      tries.push_back({{Plan::Inputs::normal, 1, Plan::Planted{hash_name(place.buffer), place.element, high}},
                       fmt::format("{}[{}] {}", place.buffer, fmt::join(place.indices, ", "),
                                   ir::is_float(place.dtype) ? (high ? "= 8" : "= -8")
                                                             : (high ? "at its highest value" : "at its lowest value"))});
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
        const auto differs = [&](size_t at) { return Real::agreement(a.values[at], b.values[at]) == Real::Agreement::differ; };
        if (!differs(element)) continue;
        Difference difference = difference_at(a.buffer, static_cast<int64_t>(element));
        difference.differing = static_cast<uint64_t>(
            std::ranges::count_if(std::views::iota(size_t{0}, std::min(a.values.size(), b.values.size())), differs));
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
  std::string reason = fmt::format(
      "identity undecided: the programs agree in {} real runs with {} of {} input elements planted, but no exact tier shows that "
      "they are equal",
      done, planting.places.size(), planting.elements);
  if (!reason_.empty()) reason += "; " + reason_;
  return {Decision::Kind::undecided, Tier::none, std::move(reason), {}, {}};
}

}  // namespace tileproof::oracle
