// The rungs of the ladder in real arithmetic: which roundings change a value, overflow, and directed runs.
#include "oracle/equivalence/ladder.h"

#include "oracle/domain/integer_range.h"
#include "oracle/equivalence/planted.h"
#include "oracle/equivalence/signature.h"
#include "oracle/interpret/order.h"
#include "oracle/interpret/run_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>

namespace tileproof::oracle {
namespace {

// The bound on directed runs: so many times the statement points of the field runs, and at least a second's worth. In points, so
// that a verdict never depends on the clock. Ours; all that rule 5 asks for costs 43 times the field.
constexpr uint64_t directed_times_field = 20;
constexpr uint64_t least_directed_points = 200'000'000;
constexpr int exemption_runs = 24;  // normal ones, and as many over the full range (rule 7)
constexpr int slight_runs = 16;  // ... and with small integers, whose halves and products are hardly ever met otherwise; ours
constexpr int all_exemption_runs = 2 * exemption_runs + slight_runs;
constexpr size_t most_borders = 4;  // literals that data is compared with
constexpr int64_t most_planted = 64;  // elements planted at extremes (rule 5)
constexpr uint64_t random_indices = 3;  // other random index patterns that the elements are planted with
constexpr uint64_t coarse_runs = 8;  // with few different values, where data is compared
constexpr uint64_t random_runs = 24;  // directed ones beside the first, half of them with integers over their whole range

const RealOptions ieee_options{.rounding = true, .projection = {}};

/// Literals past the modulus of the exp tier may be congruent to others: then the exact tiers agree although the programs differ.
bool has_huge_literal(const Signature& signature) {
  return std::ranges::any_of(signature.literals,
                             [](ir::Decimal literal) { return std::abs(ir::to_double(literal)) >= 0x1p31 - 1; });
}

/// An exact integer of a run in which a narrowing may have changed one.
bool may_have_wrapped(const RealRun& run, RealValue v) {
  return v.kind == RealValue::Kind::integer && v.error == 0 && std::ranges::count(run.changed, true) > 0;
}

/// A product overflows and underflows on its way in one order and not in another, and the language leaves the order open.
bool accumulates_products(const ir::Program& program) {
  return std::ranges::any_of(ir::labelled_statements(program),
                             [](const auto& each) { return each.first->update == ir::Update::multiply; });
}

Plan exemption_plan(int run) {
  return {run < exemption_runs       ? Plan::Inputs::normal
          : run < 2 * exemption_runs ? Plan::Inputs::full_range
                                     : Plan::Inputs::slight,
          1,
          {}};
}

}  // namespace

/// Narrowings that changed no value in any of the runs, and whether integers agreed in all of them (rule 7).
void Ladder::try_exemptions() {
  RealOptions options = ieee_options;
  for (Side& side : sides_) side.exempt = narrowing_sites(side.program, signature_);
  options.operations_in_f64 = std::ranges::find(signature_.dtypes, ir::Dtype::f64) != signature_.dtypes.end();
  integers_agree_ = all_integers(signature_);
  for (int i = 0; i < all_exemption_runs; ++i) {
    step(fmt::format("which roundings change a value, run {} of {}", i + 1, all_exemption_runs));
    const uint64_t key = pair_.options.seed * 4099 + static_cast<uint64_t>(i);
    const auto pair = run_both(options, exemption_plan(i), key);
    const RealRun* runs[2] = {&pair.first, &pair.second};
    for (int side = 0; side < 2; ++side) {
      if (runs[side]->run.status != RunStatus::done) {
        integers_agree_ = false;
        for (Side& at : sides_) at.exempt.clear();
        return;
      }
      std::vector<bool>& exempt = sides_[static_cast<size_t>(side)].exempt;
      for (size_t site = 0; site < std::min(exempt.size(), runs[side]->changed.size()); ++site) {
        if (runs[side]->changed[site]) exempt[site] = false;
      }
    }
    integers_agree_ = integers_agree_ && same_integers(pair.first, pair.second);
    roundings_differ_ = roundings_differ_ || !same_numbers(pair.first, pair.second);
    const bool any_left = std::ranges::any_of(sides_, [](const Side& side) { return std::ranges::count(side.exempt, true) > 0; });
    if (!any_left && !integers_agree_) break;  // the usual end of a program that rounds at another place
  }
  const auto is_set = [](const std::vector<bool>& sites, size_t site) { return site < sites.size() && sites[site]; };
  for (Side& side : sides_) {
    IntegerRange ranges(signature_);
    const bool judged = run_program(side.code, ranges, run_options(0)).status == RunStatus::done;
    side.doubtful.assign(side.exempt.size(), false);
    for (size_t site = 0; site < side.exempt.size(); ++site) {
      side.doubtful[site] = side.exempt[site] && judged && (is_set(ranges.misfits(), site) || is_set(ranges.fractions(), site));
    }
  }
}

/// Overflow and a self-test of the oracle; nullopt: nothing to say.
std::optional<Decision> Ladder::ieee() {
  if (!pair_.options.ieee) return std::nullopt;
  const bool judges_overflow = !accumulates_products(pair_.original) && !accumulates_products(pair_.tiled);
  constexpr double large = 16;  // our choice
  // The field runs, in which everything was watched, end here.
  for (Side& side : sides_) forget_tracking(*side.code);
  step("ieee");
  const Plan plan{Plan::Inputs::normal, large, {}};
  const auto [original, tiled] = run_both(ieee_options, plan, pair_.options.seed);
  for (const RealRun* at : {&original, &tiled}) {
    if (at->run.status != RunStatus::done) return limited(at->run.status, at->run.reason);
  }
  for (size_t i = 0; i < original.run.outputs.size() && i < tiled.run.outputs.size(); ++i) {
    const Output<RealValue>&a = original.run.outputs[i], &b = tiled.run.outputs[i];
    for (size_t element = 0; element < a.values.size() && element < b.values.size(); ++element) {
      const RealValue x = a.values[element], y = b.values[element];
      const auto difference_here = [&](auto&& differs) {
        Difference difference = difference_at(a.buffer, static_cast<int64_t>(element));
        difference.original = describe(x);
        difference.tiled = describe(y);
        difference.input = describe(plan, pair_.options.seed, {});
        difference.differing = 0;
        for (size_t at = 0; at < a.values.size() && at < b.values.size(); ++at)
          difference.differing += differs(a.values[at], b.values[at]);
        return difference;
      };
      const auto overflows = [](RealValue before, RealValue after) { return Real::is_finite(before) && !Real::is_finite(after); };
      if (judges_overflow && overflows(x, y) && !near_overflow(a.dtype, x)) {
        Difference difference = difference_here(overflows);
        Finding finding{
            FindingId::overflow,        difference.writer,
            difference.buffer,          difference.element,
            difference.writer_location, fmt::format("{} where the original has {}", difference.tiled, difference.original)};
        return Decision{Decision::Kind::illegal, Tier::none, {}, {std::move(finding)}, std::move(difference)};
      }
      switch (Real::is_finite(x) && Real::is_finite(y) ? Real::agreement(x, y) : Real::Agreement::not_judged) {
        case Real::Agreement::agree: break;
        case Real::Agreement::not_judged: ++report_.counted["ieee elements not judged"]; break;
        case Real::Agreement::differ:
          // The exact tiers take the widest integers for unbounded ones. Where integers wrap in a run, the run is the truth.
          if (has_huge_literal(signature_) || (may_have_wrapped(original, x) && may_have_wrapped(tiled, y))) {
            const auto differs = [](RealValue p, RealValue q) { return Real::agreement(p, q) == Real::Agreement::differ; };
            return Decision{Decision::Kind::differ, Tier::none, {}, {}, difference_here(differs)};
          }
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
  return std::nullopt;
}

/// The exact tiers do not know every law of rounding, so they are believed only if some output differs in some real run; nullopt: one
/// does.
std::optional<Decision> Ladder::undecided_rounding() {
  for (int i = 0; i < all_exemption_runs && !roundings_differ_; ++i) {
    step(fmt::format("whether the roundings show, run {} of {}", i + 1, all_exemption_runs));
    const auto [original, tiled] = run_both(ieee_options, exemption_plan(i), pair_.options.seed + static_cast<uint64_t>(i));
    for (const RealRun* at : {&original, &tiled}) {
      if (at->run.status != RunStatus::done) return limited(at->run.status, at->run.reason);
    }
    roundings_differ_ = !same_numbers(original, tiled);
  }
  if (roundings_differ_) return std::nullopt;
  return Decision{
      Decision::Kind::undecided,
      Tier::none,
      "identity undecided: the programs agree with rounding switched off, and no real run rounds them differently, but no "
      "exact tier shows that they round alike",
      {},
      {}};
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
  const Planting planting = choose_planting(pair_.original, pair_.kinds, borders_of(pair_.original, pair_.tiled), parameters_,
                                            suspects(), most_planted, pair_.options.seed);
  struct Try {
    Plan plan;
    std::string planted;  // for people
    uint64_t key = 0;  // added to the seed
  };
  std::vector<Try> tries;
  for (const Plan::Inputs inputs : {Plan::Inputs::normal, Plan::Inputs::all_lowest, Plan::Inputs::all_highest})
    tries.push_back({{inputs, 1, {}}, {}});
  // What differs at few values only, such as powers of small integers and bits that are masked, may need more than one attempt.
  for (uint64_t i = 0; i < random_runs; ++i)
    tries.push_back({{i % 2 == 0 ? Plan::Inputs::normal : Plan::Inputs::full_range, 1, {}}, {}, i + 1});
  // Two values that are compared are hardly ever equal among random ones, and a kink at 0 is hardly ever met.
  for (uint64_t i = 0; i < coarse_runs && (signature_.has_compare || signature_.has_max); ++i)
    tries.push_back({{Plan::Inputs::coarse, 1, {}}, {}, random_runs + i + 1});
  // Where data is compared with a literal, all that tells two programs apart may happen at that very number.
  std::vector<double> borders;
  for (size_t i = 0; i < std::min(signature_.compared.size(), most_borders); ++i) {
    for (const int delta : {0, -1, 1}) borders.push_back(ir::to_double(signature_.compared[i]) + delta);
  }
  for (const double at : borders) {
    tries.push_back({{Plan::Inputs::all_at, 1, {}, at}, {}});
    for (const std::string& buffer : planting.buffers) {
      if (planting.buffers.size() > 1)
        tries.push_back({{Plan::Inputs::all_at, 1, {}, at, hash_name(buffer)}, fmt::format("{} random", buffer)});
    }
  }
  const auto plant = [&](const InputPlace& place, bool high, uint64_t key, Plan::Inputs others = Plan::Inputs::normal) {
    tries.push_back({{others, 1, Plan::Planted{hash_name(place.buffer), place.element, high}},
                     fmt::format("{}[{}] {}", place.buffer, fmt::join(place.indices, ", "),
                                 ir::is_float(place.dtype) ? (high ? "= 8" : "= -8")
                                                           : (high ? "at its highest value" : "at its lowest value")),
                     key});
  };
  for (const InputPlace& place : planting.places) {
    for (const bool high : {true, false}) plant(place, high, 0);
    for (const double at : borders) {
      tries.push_back({{Plan::Inputs::normal, 1, Plan::Planted{hash_name(place.buffer), place.element, true, at}},
                       fmt::format("{}[{}] = {}", place.buffer, fmt::join(place.indices, ", "), at)});
    }
  }
  // Under a maximum of what has few values, an element is alone only among lower ones.
  for (const InputPlace& place : planting.places) {
    if (!signature_.has_max && !signature_.has_compare) break;
    plant(place, true, 0, Plan::Inputs::all_lowest);
    plant(place, false, 0, Plan::Inputs::all_highest);
  }
  // What is read at two random indices tells them apart only where they differ: so they are drawn again.
  for (uint64_t key = 1; key <= random_indices; ++key) {
    if (pair_.kinds.index_inputs.empty() || pattern_ != Pattern::random) break;
    for (const InputPlace& place : planting.places)
      for (const bool high : {true, false}) plant(place, high, key);
  }
  // An element that changes no output wherever it is planted has not been tried, whatever was planted: what else agrees may do so
  // because all is 0, say.
  std::vector<Output<RealValue>> unplanted;
  std::set<std::pair<uint64_t, int64_t>> effective;
  const auto changes_output = [&](const std::vector<Output<RealValue>>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!std::ranges::equal(outputs[i].values, unplanted[i].values, {}, &RealValue::bits, &RealValue::bits)) return true;
    }
    return false;
  };
  uint64_t spent = 0;
  const uint64_t enough = std::max(least_directed_points, directed_times_field * field_points_);
  size_t done = 0;
  const int found_at = mismatch_key_;
  std::map<uint64_t, bool> compared[2];
  for (const auto& [plan, planted, key] : tries) {
    if (spent > enough) break;
    step(fmt::format("real arithmetic with chosen inputs, run {} of {}", done + 1, tries.size()));
    mismatch_key_ = found_at + 3 * static_cast<int>(key);  // of the three orders, the same
    const auto [original, tiled] = run_both({.rounding = false, .projection = {}}, plan, pair_.options.seed + key);
    spent += original.run.points + tiled.run.points;
    for (const RealRun* at : {&original, &tiled}) {
      if (at->run.status != RunStatus::done) return limited(at->run.status, at->run.reason);
    }
    if (done++ == 0) unplanted = original.run.outputs;
    if (plan.planted && plan.inputs == Plan::Inputs::normal && key == 0 && changes_output(original.run.outputs))
      effective.emplace(plan.planted->buffer_hash, plan.planted->element);
    // Where all inputs are alike, both arms of a select may be, too: a tie that is met there shows nothing.
    const bool all_alike = !plan.planted && !plan.but &&
                           (plan.inputs == Plan::Inputs::all_at || plan.inputs == Plan::Inputs::all_lowest ||
                            plan.inputs == Plan::Inputs::all_highest);
    for (int side = 0; side < 2; ++side) {
      for (const auto& [at, met] : (side == 0 ? original : tiled).compared) compared[side][at] |= met && !all_alike;
    }
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
        difference.input = describe(plan, pair_.options.seed + key, planted);
        explain(difference, a.buffer, static_cast<int64_t>(element));
        return {Decision::Kind::differ, Tier::none, {}, {}, std::move(difference)};
      }
    }
  }
  mismatch_key_ = found_at;
  const bool all_planted = done == tries.size() && planting.complete();
  report_.counted["input elements planted"] = planting.places.size();
  report_.counted["input elements"] = static_cast<uint64_t>(planting.elements);
  const auto entering = [&](const Side& side) {
    return rank_agrees || integers_agree_ ? origins_of(side.code, signature_, run_options(mismatch_key_)) : std::nullopt;
  };
  const auto original_entering = entering(sides_[0]), tiled_entering = entering(sides_[1]);
  const auto idle = std::ranges::count_if(planting.places, [&](const InputPlace& place) {
    const std::pair<uint64_t, int64_t> at{hash_name(place.buffer), place.element};
    const auto enters = [&](const auto& origins) { return !origins || origins->contains(at); };
    return !effective.contains(at) && (enters(original_entering) || enters(tiled_entering));
  });
  // The order of values is decided by the rank tier, not what happens where two of them are equal: that must have been seen.
  const auto met = [](const auto& entry) { return entry.second; };
  const bool ties_met = std::ranges::all_of(compared[0], met) && std::ranges::all_of(compared[1], met);
  if (rank_agrees && all_planted && ties_met && idle == 0) return {Decision::Kind::agree, Tier::rank, {}, {}, {}};
  // Sums and products of wrapped integers are told apart by random runs; maxima, compares, shifts, divisions and bit operations, which
  // may differ at few values only, by nothing less than all inputs.
  const bool rings = !signature_.has_compare && !signature_.has_steps && !signature_.has_max;
  if (integers_agree_ && rings && idle == 0) return {Decision::Kind::agree, Tier::integers, {}, {}, {}};
  // Where each element was planted and nothing changed, an operand is rather cancelled (x xor x) or dead by its range than wrong.
  if (!all_planted) {
    if (auto other = origins()) return std::move(*other);
  }
  std::string reason = fmt::format(
      "identity undecided: the programs agree in {} real runs with {} of {} input elements planted, but no exact tier shows that "
      "they are equal",
      done, planting.places.size(), planting.elements);
  if (rank_agrees && !ties_met) reason += "; a comparison of data never met equal values in them";
  if ((rank_agrees || integers_agree_) && idle > 0) reason += fmt::format("; {} of these changed no output", idle);
  if (!reason_.empty()) reason += "; " + reason_;
  return {Decision::Kind::undecided, Tier::none, std::move(reason), {}, {}};
}

}  // namespace tileproof::oracle
