// Makes a find smaller while it stays the same find.
//
// Steps (steps.h) are tried from the largest to the smallest and all over again, until none of them helps. A step is kept if the
// subject is smaller in the order of Size and has no more operations, points or bytes (or is of the same size, and its text comes
// before the other one in a dictionary), if its programs are well formed and if the predicate holds.
// Nothing is drawn at random: the same subject and predicate give the same result on every machine, unless the time ends it.
#pragma once

#include "fuzz/reduce/subject.h"

#include <chrono>
#include <functional>
#include <string_view>

namespace tileproof::fuzz {

/// Whether a subject still is what is looked for. Asked only of subjects whose programs are well formed (ir::verify).
using Interesting = std::function<bool(const Subject&)>;

struct ReduceProgress {
  std::string_view step;  ///< what is being tried
  uint64_t tests = 0;
  Size size;  ///< of the best subject so far
};

struct ReduceLimits {
  uint64_t tests = 20'000;  ///< calls of the predicate
  std::chrono::milliseconds time{0};  ///< 0: none
  std::function<bool()> stop;  ///< true: end with what there is; may be empty
  std::function<void(const ReduceProgress&)> progress;  ///< called before each test; may be empty
  std::function<void(const Subject&)> kept;  ///< told of each better subject, which was the last one asked about; may be empty
  /// Asked where a step changes one program of a pair and not the other: may `edited` stand for `program`? A step that drops the
  /// last tile of a tiled program leaves a wrong program wrong, but is another mistake. Empty: it may.
  std::function<bool(const ir::Program& program, const ir::Program& edited)> may_stand_for;
};

struct Reduction {
  enum class End : uint8_t {
    smallest,  // no step makes it smaller
    tests,  // the limit of tests
    time,  // the limit of time
    stopped,  // `stop`
    not_interesting,  // the predicate does not hold of the subject as given, or a program of it is not well formed
  };
  Subject subject;  ///< the best one; as given where nothing could be done
  End end = End::smallest;
  uint64_t tests = 0, kept = 0;
};
/// "no step makes it smaller", "the limit of tests is reached", ...
std::string_view description(Reduction::End end);

Reduction reduce(Subject subject, const Interesting& interesting, const ReduceLimits& limits = {});

}  // namespace tileproof::fuzz
