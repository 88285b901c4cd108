#include "fuzz/reduce/reduce.h"

#include "compiler/ir/verify.h"
#include "fuzz/reduce/steps.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace tileproof::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

bool is_well_formed(const Subject& subject) {
  return std::ranges::all_of(subject.programs, [](const ir::Program& p) { return ir::verify(p, "-").empty(); });
}

/// Smaller, and larger in nothing that a reader would notice.
bool is_progress(const Size& from, const Size& to) {
  return to < from && to.operations <= from.operations && to.points <= from.points && to.bytes <= from.bytes;
}

class Search {
 public:
  Search(Subject subject, const Interesting& interesting, const ReduceLimits& limits)
      : interesting_(interesting),
        limits_(limits),
        best_{.subject = std::move(subject)},
        size_(size_of(best_.subject)),
        text_(print(best_.subject)) {}

  Reduction run() && {
    tell("the subject as given");
    if (!is_well_formed(best_.subject) || !test(best_.subject)) {
      best_.end = Reduction::End::not_interesting;
      return std::move(best_);
    }
    for (uint64_t kept = best_.kept + 1; kept != best_.kept && !is_over();) {
      kept = best_.kept;
      for (const Step& step : all_steps()) {
        if (std::holds_alternative<Step::OfSubject>(step.take)) {
          exhaust(step, 0);
        } else {
          for (size_t i = 0; i < best_.subject.programs.size(); ++i) exhaust(step, i);
        }
      }
    }
    return std::move(best_);
  }

 private:
  const Interesting& interesting_;
  const ReduceLimits& limits_;
  Reduction best_;
  Size size_;
  std::string text_;
  std::unordered_set<std::string> refused_;
  Clock::time_point begin_ = Clock::now();

  bool is_over() {
    using enum Reduction::End;
    if (best_.end != smallest) return true;
    if (best_.tests >= limits_.tests) best_.end = tests;
    if (limits_.time.count() > 0 && Clock::now() - begin_ > limits_.time) best_.end = time;
    if (limits_.stop && limits_.stop()) best_.end = stopped;
    return best_.end != smallest;
  }

  void tell(std::string_view step) const {
    if (limits_.progress) limits_.progress({step, best_.tests, size_});
  }

  bool test(const Subject& subject) {
    ++best_.tests;
    return interesting_(subject);
  }

  /// In a pair, a program that changes alone has to stand for what it was.
  bool stands(const Subject& edited) const {
    if (!limits_.may_stand_for || edited.programs.size() != 2) return true;
    const auto& from = best_.subject.programs;
    const bool first = edited.programs[0] != from[0], second = edited.programs[1] != from[1];
    if (first == second) return true;
    return first ? limits_.may_stand_for(from[0], edited.programs[0]) : limits_.may_stand_for(from[1], edited.programs[1]);
  }

  /// The number of places that there are.
  static size_t take(const Step& step, size_t program, Subject& subject, Places places) {
    if (const auto* of_subject = std::get_if<Step::OfSubject>(&step.take))
      (*of_subject)(subject, places);
    else
      std::get<Step::OfProgram>(step.take)(subject.programs[program], places);
    return places.seen();
  }

  size_t count(const Step& step, size_t program) const {
    Subject copy = best_.subject;
    return take(step, program, copy, Places(0, 0));
  }

  bool attempt(const Step& step, size_t program, size_t first, size_t places) {
    Subject edited = best_.subject;
    take(step, program, edited, Places(first, places));
    const Size size = size_of(edited);
    std::string text = print(edited);
    const bool is_plainer = size == size_ && text < text_;
    if (!(is_progress(size_, size) || is_plainer) || refused_.contains(text) || !is_well_formed(edited)) return false;
    tell(step.name);
    if (!test(edited) || !stands(edited)) {
      refused_.insert(std::move(text));
      return false;
    }
    best_.subject = std::move(edited);
    size_ = size;
    text_ = std::move(text);
    ++best_.kept;
    if (limits_.kept) limits_.kept(best_.subject);
    refused_.clear();   // what may stand for a program depends on the program
    return true;
  }

  /// Halves, quarters, ... down to single places; where one is taken the next one moves to its number.
  void exhaust(const Step& step, size_t program) {
    size_t places = count(step, program);
    for (size_t run = step.together ? std::max<size_t>(places, 1) : 1; run > 0; run /= 2) {
      for (size_t first = 0; first < places;) {
        if (is_over()) return;
        if (attempt(step, program, first, run))
          places = count(step, program);
        else
          first += run;
      }
    }
  }
};

}  // namespace

Reduction reduce(Subject subject, const Interesting& interesting, const ReduceLimits& limits) {
  return Search(std::move(subject), interesting, limits).run();
}

std::string_view description(Reduction::End end) {
  switch (end) {
    case Reduction::End::smallest: return "no step makes it smaller";
    case Reduction::End::tests: return "the limit of tests is reached";
    case Reduction::End::time: return "the time is over";
    case Reduction::End::stopped: return "stopped";
    case Reduction::End::not_interesting: return "there is nothing to keep";
  }
  return "";
}

}  // namespace tileproof::fuzz
