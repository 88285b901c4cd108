#include "oracle/prove/obligation.h"

#include "compiler/penguin/cut_arithmetic.h"
#include "oracle/prove/hint.h"

#include <fmt/format.h>

#include <algorithm>

namespace tileproof::prove {
namespace {

namespace ar = penguin::arithmetic;

// The letters of compiler/penguin/cut_arithmetic.h; x is an extent, R the product of the extents right of the cut.
const Term c = Term::variable("c"), E = Term::variable("E"), B = Term::variable("B"), t = Term::variable("t"),
           R = Term::variable("R");

/// The product of the first `count` extents; saturated where it does not fit.
int64_t product(std::span<const int64_t> extents) {
  int64_t result = 1;
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(result, extent, &result)) return INT64_MAX;
  }
  return result;
}

/// A cut in the letters of the goals.
struct Letters {
  bool cut = false, split = false;
  Sizes sizes;
};

Letters letters_of(const penguin::CutStatement& cut) {
  Letters letters;
  letters.cut = cut.cut.dim.has_value();
  letters.split = cut.cut.tile.has_value();
  const std::span<const int64_t> extents(cut.extents);
  if (!letters.cut) {
    letters.sizes = {{"c", std::ranges::find(extents, 0) == extents.end() ? product(extents) : 0}, {"B", cut.cut_size}};
    return letters;
  }
  // The dimension that does not fit whole: the one that is split, or the one right of those that are whole.
  const size_t over = *cut.cut.dim + (letters.split ? 0 : 1);
  letters.sizes = {{"c", product(extents.first(std::min(over, extents.size())))},
                   {"E", over < extents.size() ? extents[over] : 1},
                   {"B", cut.cut_size},
                   {"t", letters.split ? *cut.cut.tile : 1}};
  return letters;
}

}  // namespace

std::vector<Obligation> obligations(const penguin::CutStatement& cut) {
  const Letters letters = letters_of(cut);
  if (!letters.cut) return {{"budget", "nothing is cut", {"", c >= 0 && B >= 1 && !ar::exceeds(c, Term(1), B), c <= B}}};
  const bool free = !cut.options.uniform && cut.options.multiple == 1;
  const std::string cls = fmt::format("{}{}", letters.split ? "a dimension is split" : "whole dimensions",
                                      free                  ? ""
                                      : cut.options.uniform ? ", uniform"
                                                            : ", aligned");
  const Formula over = c >= 1 && E >= 1 && B >= 1 && c <= B && ar::exceeds(c, E, B);
  const Term most = ar::tile_of(B, c);
  std::vector<Obligation> all;
  const auto add = [&](std::string name, const Formula& assumption, const Formula& claim) {
    all.push_back({name, cls + ": " + name, {name, assumption, claim}});
  };
  if (!letters.split) {
    add("budget", over, c <= B);
    if (free) add("maximal", over && ar::backs_off(most), 2 * c > B);
    return all;
  }
  // What compute_cut decides by: at most so many slices, and exactly so many where nothing else is asked for.
  const Formula decided = over && t >= 1 && (free ? t == most : t <= most);
  const Term o = Term::variable("o"), i = Term::variable("i"), e = Term::variable("e"), o2 = Term::variable("o2"),
             i2 = Term::variable("i2");
  add("budget", decided, c * t <= c * most && c * t <= B && t < E);
  add("coverage", decided, ar::trips(E, t) * t >= E && (ar::trips(E, t) - 1) * t < E);
  add("tail", decided && e >= 0 && e < E,
      ar::joined(e / t, t, e % t) == e && e / t >= 0 && ordered(t, ar::trips(E, t), e / t) && e / t < ar::trips(E, t) &&
          e % t < t);
  add("disjoint", t >= 1 && i >= 0 && i < t && i2 >= 0 && i2 < t && ar::joined(o, t, i) == ar::joined(o2, t, i2),
      apart(t, o - o2) && o == o2 && i == i2);
  if (free) add("maximal", decided, c * (t + 1) > B);
  if (cut.options.uniform) add("uniform", decided && E % t == 0, trips_and_tail(E, t) && ar::trips(E, t) * t == E);
  return all;
}

std::string first_broken(const penguin::CutStatement& cut) {
  Sizes sizes = letters_of(cut).sizes;
  // Points of the nest are any: the first ones stand for them.
  for (const char* point : {"o", "i", "e", "o2", "i2"}) sizes[point] = 0;
  for (const Obligation& obligation : obligations(cut)) {
    // What does not fit in 64 bits says nothing.
    if (evaluate(obligation.goal.assumption, sizes) == false || evaluate(obligation.goal.claim, sizes) == false)
      return obligation.name;
  }
  return {};
}

Discharge discharge(std::span<const penguin::CutStatement> cuts, ProofCache& cache, const ProverOptions& options) {
  Discharge result;
  std::map<std::string, Goal> needed;
  std::vector<std::string> classes;   // of result.each
  for (const penguin::CutStatement& cut : cuts) {
    if (const std::string broken = first_broken(cut); !broken.empty()) {
      result.verdict = Verdict::refuted;
      result.obligation = broken;
      result.reason = "the numbers of the cut are not what it asks for";
      result.each = {{broken, Verdict::refuted}};
      return result;
    }
    for (Obligation& obligation : obligations(cut)) {
      ++result.proved;
      if (!needed.contains(obligation.cls)) {
        result.each.push_back({obligation.name, Verdict::error});
        classes.push_back(obligation.cls);
      }
      needed.insert_or_assign(obligation.cls, std::move(obligation.goal));
    }
  }
  result.classes = needed.size();
  std::vector<std::string> missing;
  std::vector<std::vector<Goal>> goals;
  for (const auto& [cls, goal] : needed) {
    if (cache.contains(cls)) continue;
    missing.push_back(cls);
    goals.push_back({goal});
  }
  ProofCache fresh;
  prove_apart(goals, options, [&](size_t i, const Proof& proof) {
    fresh[missing[i]] = proof;
    if (proof.verdict == Verdict::proved || proof.verdict == Verdict::refuted) cache[missing[i]] = proof;
    return true;
  });
  result.verdict = Verdict::proved;
  for (size_t i = 0; i < classes.size(); ++i) {
    const auto known = cache.find(classes[i]);
    const Proof& proof = known != cache.end() ? known->second : fresh.at(classes[i]);
    result.each[i].verdict = proof.verdict;
    if (proof.verdict == Verdict::proved || result.verdict != Verdict::proved) continue;
    result.verdict = proof.verdict;
    result.obligation = classes[i];
    result.reason = proof.verdict == Verdict::refuted ? proof.claim : proof.reason;
  }
  return result;
}

}  // namespace tileproof::prove
