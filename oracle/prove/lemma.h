// What a lemma is, and what became of proving it.
#pragma once

#include "oracle/prove/term.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::prove {

/// Never collapsed: only what was asked for passes.
enum class Verdict : uint8_t {
  proved,    // for all integers that meet the assumptions
  refuted,   // a counterexample was found and tried on numbers
  timeout,   // the solver or the child process ran out of time
  error,     // the child died, the solver gave up, or no numbers meet the assumptions
};
std::string_view name(Verdict verdict);

/// For all integers: where `assumption` holds, each divisor is at least 1 and `claim` holds. The variables are those that occur.
/// The parts of the claim are proved in order, each with the help of those before it.
struct Goal {
  std::string sizes;      ///< what of the lemma's sizes this is about; empty: all
  Formula assumption;
  Formula claim;
};

/// Why what is proved speaks of what is executed.
enum class Tie : uint8_t {
  same_source,   // the function's own text, run on terms
  conformance,   // a test compares the formula with the function at a million points
  model,         // no function of ours: what a source says
};
std::string_view name(Tie tie);

struct Lemma {
  std::string_view name;        ///< "cut.budget"
  std::string_view function;    ///< what it is about
  std::string_view statement;   ///< in words
  std::string_view sizes;       ///< what is symbolic, and in which range
  Tie tie = Tie::same_source;
  Verdict expected = Verdict::proved;   ///< refuted: it is known to be false
  std::vector<Goal> (*goals)() = nullptr;   ///< all of them make the lemma
};

struct Proof {
  Verdict verdict = Verdict::error;
  std::string reason;       ///< timeout, error: why
  std::string sizes;        ///< the goal that decided; empty where all were proved
  std::string claim;        ///< refuted: the part that does not hold
  Sizes counterexample;     ///< refuted: the sizes at which it does not
  double seconds = 0;       ///< wall clock
  bool operator==(const Proof&) const = default;
};

}  // namespace tileproof::prove
