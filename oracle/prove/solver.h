// The solver. Nothing else of Tileproof sees Z3.
#pragma once

#include "oracle/prove/term.h"

#include <string>

namespace tileproof::prove {

enum class Answer : uint8_t { holds, fails, too_slow, gives_up };

struct Reply {
  Answer answer = Answer::gives_up;
  Sizes counterexample;    ///< fails: the assumptions hold here and the claim does not, as `evaluate` has confirmed
  std::string reason;      ///< gives_up: in the solver's words
};

/// Whether `claim` holds for all integers that meet `assumption`. Both are over unbounded integers.
/// Three attempts, since none wins everywhere: the simple solver for 1 s, nlsat for 1 s, the default solver for 5 s, each times
/// `patience`. An attempt can overrun its time: call this in a process that may be killed. Never throws.
Reply decide(const Formula& assumption, const Formula& claim, double patience = 1);

}  // namespace tileproof::prove
