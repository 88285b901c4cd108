#include "oracle/equivalence/ladder.h"

#include "oracle/domain/literals.h"
#include "oracle/equivalence/origins.h"
#include "oracle/equivalence/signature.h"
#include "oracle/equivalence/undefined_origin.h"
#include "oracle/equivalence/word_ranges.h"
#include "oracle/interpret/extents.h"
#include "oracle/interpret/order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>

namespace tileproof::oracle {
namespace {

constexpr uint64_t origin_points =
    30'000'000;   // statement points of a run that is traced, so that a verdict never depends on the clock; ours
constexpr int rank_keys = 12;                    // rule 6

constexpr Order orders[] = {Order::forward, Order::reversed, Order::shuffled};

}  // namespace

RunOptions Ladder::run_options(int key) const {
  RunOptions options;
  options.parameters = parameters_;
  options.key = pair_.options.seed * 1000003u + static_cast<uint64_t>(key);
  options.order = orders[key % 3];
  options.pattern = pattern_;
  options.level = level_;
  options.kinds.index_reads = pair_.kinds.index_reads;
  if (!pair_.kinds.index_inputs.empty()) options.kinds = pair_.kinds;
  options.limits = pair_.limits;
  return options;
}

void Ladder::step(const std::string& what) const {
  if (pair_.options.progress) pair_.options.progress(what);
}

template <class F>
auto Ladder::both(F f) const {
  if (pair_.options.threads < 2) {
    auto original = f(sides_[0].code, false);
    return std::pair(std::move(original), f(sides_[1].code, true));
  }
  auto tiled = std::async(std::launch::async, [&] { return f(sides_[1].code, true); });
  auto original = f(sides_[0].code, false);
  return std::pair(std::move(original), tiled.get());
}

std::pair<TierRun, TierRun> Ladder::run_both(Tier tier, const Projection& original, const Projection& tiled, int key,
                                             Observer* observer) {
  std::any inputs;
  RunOptions options = run_options(key);
  if (pair_.options.threads < 2) options.inputs = &inputs;
  auto runs = both([&](const LoweredProgram& program, bool is_tiled) {
    Projection projection = is_tiled ? tiled : original;
    const std::vector<bool>& held = sides_[is_tiled ? 1 : 0].held;
    if (projection.exempt.size() < held.size()) projection.exempt.resize(held.size());
    for (size_t site = 0; site < held.size(); ++site) projection.exempt[site] = projection.exempt[site] || held[site];
    return run_tier(tier, program, signature_, projection, options, is_tiled ? observer : nullptr);
  });
  report_.points += runs.first.points + runs.second.points;
  return runs;
}

std::pair<RealRun, RealRun> Ladder::run_both(const RealOptions& real, const Plan& plan, uint64_t key) {
  std::any inputs;
  RunOptions options = run_options(mismatch_key_);
  if (pair_.options.threads < 2) options.inputs = &inputs;
  auto runs = both([&](const LoweredProgram& program, bool) { return run_real(program, real, plan, key, options); });
  report_.points += runs.first.run.points + runs.second.run.points;
  return runs;
}

Decision Ladder::limited(RunStatus status, const std::string& reason) const {
  std::string so_far;
  if (mismatch_) {
    const Digests& output = tiled_->outputs[mismatch_->output];
    so_far = fmt::format("; the field tier differs in {}[{}], and whether a richer tier agrees was still open", output.buffer,
                         fmt::join(indices_of(mismatch_->element, output.extents), ", "));
  }
  const auto decision = [&](Decision::Kind kind, std::string_view why) {
    return Decision{kind, Tier::none, std::string(why) + so_far, {}, {}};
  };
  switch (status) {
    case RunStatus::out_of_points:
      return decision(Decision::Kind::limit,
                      fmt::format("a run needs more than {} points, steps of loops without a point included; raise --max-points",
                                  pair_.limits.points));
    case RunStatus::out_of_time: return decision(Decision::Kind::limit, "the time is over; raise --timeout");
    case RunStatus::out_of_memory: return decision(Decision::Kind::undecided, reason + "; raise --max-memory");
    default: return decision(Decision::Kind::undecided, reason);
  }
}

// ---- 32 bits ----

/// Whether i32 and u32 count as narrow. Only where both programs are shown to give them nothing but what they hold, and where sums and
/// products alone come between a store and another one, it makes no difference.
void Ladder::look_for_wraps() {
  const NarrowSets sets(signature_);
  signature_.words_wrap = sets.is_narrow(ir::Dtype::i32) || sets.is_narrow(ir::Dtype::u32);  // beside i64 or each other
  if (std::ranges::none_of(sides_, [](const Side& side) { return narrows_words(side.code); })) return;
  step("whether 32-bit integers wrap");
  Signature wrapping = signature_;
  wrapping.words_wrap = true;
  const int keys = pair_.options.keys > 0 ? keys_ : sufficient_keys(wrapping);
  const int runs =
      pair_.kinds.index_inputs.empty() ? 1 : keys;  // whatever is masked by index-kind inputs differs from key to key
  bool wraps = false;
  for (Side& side : sides_) {
    for (int key = 0; key < runs; ++key) {
      const WordRanges ranges = word_ranges(side.code, wrapping, run_options(key));
      wraps = wraps || ranges.wrap;
      if (key == 0) side.held = ranges.held;
      side.held.resize(ranges.held.size());
      for (size_t site = 0; site < side.held.size(); ++site) side.held[site] = side.held[site] && ranges.held[site];
    }
  }
  if (!wraps) return;
  signature_ = std::move(wrapping);
  signature_.facts = std::make_shared<const std::vector<LiteralFact>>(literal_facts(NarrowSets(signature_), signature_));
  keys_ = keys;
  report_.keys = std::max(report_.keys, keys_);
}

// ---- the field tier, in which right programs end ----

std::optional<Decision> Ladder::field(Observer* observer) {
  const uint64_t before = report_.points;
  for (int key = 0; key < keys_; ++key) {
    step(fmt::format("field, key {} of {}", key + 1, keys_));
    auto [original, tiled] = run_both(Tier::field, {}, {}, key, key == 0 ? observer : nullptr);
    if (!original.findings.empty()) {
      explain_undefined(original.findings, pair_.original, sides_[0].code, run_options(key));
      return Decision{Decision::Kind::bad_original, Tier::none, {}, std::move(original.findings), {}};
    }
    if (original.status != RunStatus::done) return limited(original.status, original.reason);
    if (std::ranges::all_of(tiled.findings, [](const Finding& finding) { return finding.id == FindingId::nan_output; })) {
      // A NaN is a value: the comparison says where it differs from the original's.
      if (not_a_number_.empty()) not_a_number_ = std::move(tiled.findings);
    } else {
      explain_undefined(tiled.findings, pair_.tiled, sides_[1].code, run_options(key));
      return Decision{Decision::Kind::illegal, Tier::none, {}, std::move(tiled.findings), {}};
    }
    if (tiled.status != RunStatus::done) return limited(tiled.status, tiled.reason);
    if (key == 0) {
      uint64_t compared = 0;
      for (const Digests& output : original.outputs) compared += output.values.size();
      report_.compared = std::max(report_.compared, compared);
      if (tiled.overwritten > 0)
        report_.counted["overwritten elements"] = std::max(report_.counted["overwritten elements"], tiled.overwritten);
      for (const Finding& warning : tiled.overwrites) {
        const bool known = std::ranges::any_of(report_.warnings, [&](const Finding& at) {
          return at.statement == warning.statement && at.buffer == warning.buffer;
        });
        if (!known) report_.warnings.push_back(warning);
      }
    }
    if (const auto mismatch = first_mismatch(original, tiled); mismatch && !mismatch_) {
      mismatch_ = mismatch;
      mismatch_key_ = key;
      original_ = std::move(original);
      tiled_ = std::move(tiled);
    } else if (key == 0) {
      tiled_ = std::move(tiled);
    }
    field_points_ = report_.points - before;
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
  if (signature_.has_max) tiers.push_back(Tier::lattice);
  if (signature_.has_exp) tiers.push_back(Tier::exp_plain);
  if (signature_.has_exp && signature_.has_max) tiers.push_back(Tier::exp);
  if (signature_.has_max) tiers.push_back(Tier::distributing);
  for (const Tier tier : tiers) {
    if (agrees(tier, original, tiled, keys_)) return tier == Tier::exp_plain ? Tier::exp : tier;
  }
  return Tier::none;
}

Difference Ladder::difference_at(const std::string& buffer, int64_t element) const {
  Difference difference;
  difference.buffer = buffer;
  difference.writer = "-";
  if (!tiled_) return difference;
  for (const Digests& output : tiled_->outputs) {
    if (output.buffer != buffer) continue;
    difference.element = indices_of(element, output.extents);
    difference.compared = output.writers.size();
    const uint32_t writer = output.writers[static_cast<size_t>(element)];
    const auto statements = ir::labelled_statements(pair_.tiled);
    if (writer == 0 || writer > statements.size()) continue;
    difference.writer = statements[writer - 1].second;
    difference.writer_location = statements[writer - 1].first->location;
  }
  if (original_) {
    for (size_t i = 0; i < original_->outputs.size() && i < tiled_->outputs.size(); ++i) {
      if (original_->outputs[i].buffer != buffer) continue;
      for (size_t at = 0; at < original_->outputs[i].values.size(); ++at)
        difference.differing += original_->outputs[i].values[at] != tiled_->outputs[i].values[at];
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
  auto difference =
      compare_origins(pair_.original, sides_[0].code, sides_[1].code, signature_, run_options(mismatch_key_), buffer, element);
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

std::optional<Decision> Ladder::origins() {
  if (!original_ || std::max(original_->points, tiled_->points) > origin_points) return std::nullopt;
  step("which inputs enter the outputs");
  const auto other = first_other_origin(sides_[0].code, sides_[1].code, signature_, run_options(mismatch_key_));
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

Tier Ladder::exempted_agreement(bool with_doubtful) {
  Projection projections[2];
  uint64_t count = 0;
  for (size_t i = 0; i < sides_.size(); ++i) {
    std::vector<bool>& exempt = projections[i].exempt = sides_[i].exempt;
    for (size_t site = 0; site < exempt.size(); ++site)
      exempt[site] = exempt[site] && (with_doubtful || !sides_[i].doubtful[site]);
    count += static_cast<uint64_t>(std::ranges::count(exempt, true));
  }
  const Tier tier = count == 0 ? Tier::none : first_agreement(projections[0], projections[1], true);
  if (tier != Tier::none) report_.counted["narrowings exempt"] = count;
  return tier;
}

/// The programs agree if narrowings never change a value that changed none in any run, and could.
Decision Ladder::undecided_narrowing() const {
  std::string labels;
  for (const Side& side : sides_) {
    const auto statements = ir::labelled_statements(side.program);
    for (size_t site = 0; site < side.doubtful.size(); ++site) {
      if (side.doubtful[site])
        labels += fmt::format("{}{} of the {}", labels.empty() ? "" : ", ", statements[site].second,
                              &side == sides_.data() ? "original" : "tiled program");
    }
  }
  return {Decision::Kind::undecided,
          Tier::none,
          fmt::format("identity undecided: the programs agree unless {} narrows a number that its dtype does not hold; no run "
                      "met one, and the "
                      "ranges of the inputs do not exclude it (declare `range` on the inputs, or pass --rounding=relaxed)",
                      labels),
          {},
          {}};
}

Decision Ladder::decide(Observer* observer) {
  look_for_wraps();
  if (auto decided = field(observer)) return std::move(*decided);
  Decision decision{Decision::Kind::agree, Tier::field, {}, {}, {}};
  if (mismatch_) {
    decision.tier = first_agreement({}, {}, false);
    const std::string not_asked = reason_;  // a tier that might have shown that the programs agree, roundings and all
    const Projection no_floats{false, true, {}}, none{false, false, {}};
    // Programs that differ without roundings differ with some of them, too; only integers may still agree modulo 2^N.
    const bool rounding_alone = decision.tier == Tier::none && (first_agreement(no_floats, no_floats, true) != Tier::none ||
                                                                first_agreement(none, none, true) != Tier::none);
    if (decision.tier == Tier::none && (rounding_alone || all_integers(signature_))) {
      try_exemptions();
      decision.tier = exempted_agreement(false);
      const bool has_doubts =
          std::ranges::any_of(sides_, [](const Side& side) { return std::ranges::count(side.doubtful, true) > 0; });
      if (decision.tier == Tier::none && has_doubts) {
        decision.tier = exempted_agreement(true);
        if (decision.tier != Tier::none && pair_.options.rounding == Rounding::strict) return undecided_narrowing();
      }
    }
    if (decision.tier == Tier::none && rounding_alone) {
      decision.tier = first_agreement({false, true, sides_[0].exempt}, {false, true, sides_[1].exempt}, true);
      if (decision.tier != Tier::none && !not_asked.empty() && pair_.options.rounding == Rounding::strict) {
        return {Decision::Kind::undecided,
                Tier::none,
                "identity undecided: the programs agree with rounding switched off, but whether they round alike is open; " +
                    not_asked,
                {},
                {}};
      }
      if (decision.tier != Tier::none && pair_.options.rounding == Rounding::strict) {
        if (auto undecided = undecided_rounding()) return std::move(*undecided);
      }
      if (decision.tier != Tier::none) {
        if (auto overflows = ieee(); overflows && overflows->kind == Decision::Kind::illegal) return std::move(*overflows);
        decision.kind = Decision::Kind::rounding_only;
        const Digests& output = tiled_->outputs[mismatch_->output];
        Difference difference = difference_at(output.buffer, mismatch_->element);
        difference.original = "one rounding";
        difference.tiled = "another";
        difference.input = "no input that was drawn shows it; try the ends of the range of the narrow dtype";
        show_rounding(difference, output.buffer, mismatch_->element);
        decision.difference = std::move(difference);
        return decision;
      }
    }
    if (decision.tier == Tier::none) {
      decision = directed(signature_.has_compare && agrees(Tier::rank, {}, {}, rank_keys));
      if (decision.kind != Decision::Kind::agree) return decision;
    }
  }
  if (auto decided = ieee()) return std::move(*decided);
  return decision;
}

}  // namespace tileproof::oracle
