#include "fuzz/hunt/hunt.h"

#include "compiler/ir/suggestion.h"
#include "fuzz/reduce/reduce.h"
#include "oracle/interpret/order.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace tileproof::fuzz {

namespace {

/// Reasons of a tiler that writes a different one each time are many: these are told apart at most.
constexpr size_t most_reasons = 200, most_letters = 160;

std::string without_numbers(std::string_view reason) {
  std::string kind;
  for (const char c : ir::shortened(reason, most_letters)) {
    if (c < '0' || c > '9')
      kind += c;
    else if (kind.empty() || kind.back() != 'N')
      kind += 'N';
  }
  return kind.empty() ? "no reason" : kind;
}

oracle::CheckOptions check_options(const HuntOptions& options, const GraphMachine* machine) {
  oracle::CheckOptions check = options.check;
  check.machine = options.judges_machine && machine != nullptr ? &machine->machine : nullptr;
  check.threads = 1;
  return check;
}

class Hunt {
 public:
  Hunt(const HuntOptions& options, const std::function<void(const std::string&, const Find&)>& keep, HuntWatch& watch)
      : options_(options), keep_(keep), watch_(watch), next_(options.programs.empty() ? options.first : 0) {
    end_ = !options.programs.empty() ? options.programs.size() : options.runs ? next_ + *options.runs : UINT64_MAX;
  }

  void work(const Tiler& tiler) {
    HuntReport own;
    while (!is_over()) {
      const uint64_t number = next_.fetch_add(1);
      if (number >= end_) break;
      one(number, tiler, own);
    }
    const std::scoped_lock lock(mutex_);
    merge(own);
  }

  HuntReport take() { return std::move(report_); }

 private:
  const HuntOptions& options_;
  const std::function<void(const std::string&, const Find&)>& keep_;
  HuntWatch& watch_;
  std::atomic<uint64_t> next_;
  uint64_t end_ = 0;
  std::mutex mutex_;   // guards report_ and keep_
  HuntReport report_;

  bool is_over() const { return watch_.stop || std::chrono::steady_clock::now() >= options_.deadline; }

  void one(uint64_t number, const Tiler& tiler, HuntReport& own) {
    HuntCase drawn = draw_case(number, options_);
    Outcome outcome = try_tiler(tiler, drawn.program, check_options(options_, drawn.machine));
    if (outcome.kind == Outcome::Kind::stopped) return;
    if (outcome.kind == Outcome::Kind::unusable) return give_up(std::move(outcome.why));
    const std::string kind(name(outcome.kind));
    own.drawn.add_graph(drawn.program, drawn.machine->budgets);
    ++own.outcomes[kind];
    ++watch_.cases;
    if (outcome.kind == Outcome::Kind::refused || outcome.kind == Outcome::Kind::undecided) {
      std::map<std::string, uint64_t>& reasons = own.reasons[kind];
      std::string why = without_numbers(outcome.why);
      ++reasons[reasons.size() < most_reasons || reasons.contains(why) ? why : "other reasons"];
    }
    if (!outcome.is_find()) return;
    const std::string key = outcome.key();
    ++own.keys[key];
    if (options_.known.contains(key)) return;
    Find find{number, std::move(drawn), std::move(outcome), false};
    if (!keep(key, find) || options_.most_reductions == 0) return;
    find = reduced(std::move(find), tiler, options_, watch_.stop);
    keep(key, find);
  }

  void give_up(std::string why) {
    const std::scoped_lock lock(mutex_);
    report_.unusable = std::move(why);
    watch_.stop = true;
  }

  /// False: there is one with a lower number.
  bool keep(const std::string& key, const Find& find) {
    const std::scoped_lock lock(mutex_);
    const auto [place, is_new] = report_.finds.try_emplace(key, find);
    if (!is_new && place->second.number < find.number) return false;
    place->second = find;
    watch_.finds = report_.finds.size();
    keep_(key, find);
    return true;
  }

  void merge(const HuntReport& own) {
    for (const auto& [kind, count] : own.outcomes) report_.outcomes[kind] += count;
    for (const auto& [key, count] : own.keys) report_.keys[key] += count;
    for (const auto& [kind, reasons] : own.reasons)
      for (const auto& [why, count] : reasons) report_.reasons[kind][why] += count;
    report_.drawn.merge(own.drawn);
  }
};

}  // namespace

HuntCase draw_case(uint64_t number, const HuntOptions& options) {
  Choices choices = Choices::from_seed(oracle::mix(options.seed, number));
  const GraphMachine& machine = options.machine != nullptr ? *options.machine : draw_machine(choices);
  if (!options.programs.empty()) return {options.programs.at(number), &machine};
  return {generate_graph(choices, machine.budgets, options.graphs), &machine};
}

Find reduced(Find find, const Tiler& tiler, const HuntOptions& options, const std::atomic<bool>& stop) {
  const oracle::CheckOptions check = check_options(options, find.original.machine);
  const std::string key = find.outcome.key();
  const auto has_key = [&](const Subject& subject) { return try_tiler(tiler, subject.programs.front(), check).key() == key; };
  ReduceLimits limits;
  limits.tests = options.most_reductions;
  limits.stop = [&] { return stop || std::chrono::steady_clock::now() >= options.deadline; };
  Reduction reduction = reduce({{find.original.program}, {}}, has_key, limits);
  Outcome outcome = try_tiler(tiler, reduction.subject.programs.front(), check);
  if (outcome.key() != key) return find;   // a tiler that does not do the same twice, or a hunt that was stopped
  find.original.program = std::move(reduction.subject.programs.front());
  find.outcome = std::move(outcome);
  find.is_reduced = true;
  return find;
}

HuntReport hunt(const std::function<Tiler()>& make_tiler, const HuntOptions& options,
                const std::function<void(const std::string&, const Find&)>& keep, HuntWatch& watch) {
  Hunt state(options, keep, watch);
  {
    std::vector<std::jthread> threads;
    for (unsigned job = 0; job < std::max(1U, options.jobs); ++job) threads.emplace_back([&] { state.work(make_tiler()); });
  }
  return state.take();
}

}  // namespace tileproof::fuzz
