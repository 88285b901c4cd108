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
/// Several attempts, since none wins everywhere: the simple solver and nlsat for 0.2 s each, again for 1 s each, then the default
/// solver for 5 s, all times `patience`. An attempt can overrun its time: call this in a process that may be killed. Never throws.
Reply decide(const Formula& assumption, const Formula& claim, double patience = 1);

}  // namespace tileproof::prove
