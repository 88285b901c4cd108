#include "tool/reduce_command.h"

#include "oracle/equivalence/report.h"
#include "oracle/plural.h"
#include "tool/output_file.h"
#include "tool/progress.h"
#include "tool/record.h"
#include "tool/reduced_find.h"
#include "tool/stop_signal.h"

#include <fmt/format.h>

#include <mutex>
#include <thread>

namespace tileproof::tool {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The smallest subject so far and what is said of it, for whoever has to write it at any moment.
class Best {
 public:
  void judged(const fuzz::Subject& subject, fuzz::Judgement judgement) { candidate_ = {subject, std::move(judgement)}; }
  /// The subject that was judged last is the best.
  void keep() {
    const std::scoped_lock lock(mutex_);
    best_ = candidate_;
  }
  struct Value {
    fuzz::Subject subject;
    fuzz::Judgement judgement;
  };
  Value get() const {
    const std::scoped_lock lock(mutex_);
    return best_;
  }

 private:
  mutable std::mutex mutex_;   // guards best_
  Value candidate_, best_;
};

/// Calls f(work) in a thread of its own while this one watches for signals; `signalled` is called at the first.
template <class Work, class Signalled>
void watched(const StopSignal& signal, const Work& work, const Signalled& signalled) {
  std::atomic<bool> is_done{false};
  bool is_told = false;
  std::exception_ptr failure;
  {
    const std::jthread worker([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      is_done = true;
    });
    while (!is_done) {
      std::this_thread::sleep_for(milliseconds(5));
      if (signal.came() && !std::exchange(is_told, true)) signalled();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

Json json(const fuzz::Size& size) { return {{"operations", size.operations}, {"points", size.points}, {"bytes", size.bytes}}; }

std::string line(std::string_view word, const fuzz::Size& size) {
  return fmt::format("{} {}, {}, {}\n", word, oracle::plural(size.operations, "operation"), oracle::plural(size.points, "point"),
                     oracle::plural(size.bytes, "byte"));
}

class Command {
 public:
  Command(const ReduceArguments& arguments, const pipeline::Registry& passes, Console& console, GivenFind given)
      : arguments_(arguments), console_(console), given_(std::move(given)) {
    options_ = [this] {
      oracle::CheckOptions options = arguments_.settings.options();
      options.machine = given_.machine.get();
      options.threads = 1;   // a step is too short to be divided
      if (arguments_.settings.timeout_seconds > 0) options.timeout = std::max(milliseconds(1), time_left());
      return options;
    };
    judge_ = judge_of(given_.source, arguments_, passes, options_, stop_);
  }

  Outcome run() {
    std::optional<fuzz::Judgement> first;
    // A check ends at once by the signal; who waits for a command must not leave it behind.
    if (given_.source != FindSource::command) first = judged_first();
    {
      const StopSignal signal;
      watched(
          signal,
          [&] {
            if (!first) first = judged_first();
            if (is_find(*first) && first->outcome != "another interface") reduce(*first);
          },
          [&] {
            stop_ = true;
            if (reduction_begun_)
              static_cast<void>(write());   // the step that is being tried may take longer than whoever stops us waits
          });
    }
    progress_.clear();
    return finish(*first);
  }

 private:
  const ReduceArguments& arguments_;
  Console& console_;
  const GivenFind given_;
  const Clock::time_point begin_ = Clock::now();
  TimedOptions options_;
  std::atomic<bool> stop_{false}, reduction_begun_{false};
  fuzz::Judge judge_;
  Best best_;
  fuzz::Reduction reduction_;
  Progress progress_;

  milliseconds time_left() const { return std::chrono::floor<milliseconds>(arguments_.settings.deadline(begin_) - Clock::now()); }

  fuzz::Judgement judged_first() {
    progress_.show("judging the find as given");
    return judge_(given_.subject);
  }

  void reduce(const fuzz::Judgement& first) {
    const fuzz::FindingTrait trait = fuzz::trait_of(first);
    best_.judged(given_.subject, first);
    best_.keep();
    reduction_begun_ = true;
    const fuzz::Size before = fuzz::size_of(given_.subject);
    fuzz::ReduceLimits limits;
    limits.tests = arguments_.tests;
    if (arguments_.settings.timeout_seconds > 0) limits.time = std::max(milliseconds(1), time_left());
    limits.stop = [this] { return stop_.load(); };
    if (fuzz::same_meaning(trait, options_()))
      limits.may_stand_for = [&](const ir::Program& program, const ir::Program& edited) {
        return fuzz::same_meaning(trait, options_())(program, edited);
      };
    limits.progress = [&](const fuzz::ReduceProgress& at) {
      progress_.show(fmt::format("{}: {} checks, {} of {} operations, {} of {} bytes", at.step, at.tests, at.size.operations,
                                 before.operations, at.size.bytes, before.bytes));
    };
    limits.kept = [this](const fuzz::Subject&) { best_.keep(); };
    const fuzz::Judge remembered = [this](const fuzz::Subject& subject) {
      fuzz::Judgement judgement = judge_(subject);
      best_.judged(subject, judgement);
      return judgement;
    };
    reduction_ = fuzz::reduce(given_.subject, fuzz::same_finding(trait, remembered), limits);
  }

  /// The best find so far. nullopt: done, or there is no file to write.
  std::optional<ir::Diagnostic> write() const {
    if (arguments_.output == "-") return std::nullopt;
    const Best::Value best = best_.get();
    return write_whole_file(arguments_.output, find_text(given_, best.subject, best.judgement, arguments_));
  }

  Outcome finish(const fuzz::Judgement& first) {
    using End = fuzz::Reduction::End;
    const auto error = [this](std::string message, std::string mend) {
      return std::unexpected(ir::Diagnostics{{given_.file, {}, std::move(message), std::move(mend)}});
    };
    if (first.outcome == "another interface") return error(first.why, "give two programs that are to mean the same");
    if (!reduction_begun_) {
      if (stop_) return error("stopped before the find was judged", "give it more time");
      return error(fmt::format("this is {}, which is nothing to reduce", headline(first)),
                   given_.source == FindSource::pair ? "give a pair that is refuted or unsupported"
                                                     : "give a program that goes wrong in the tiler");
    }
    if (reduction_.end == End::not_interesting && !stop_)
      return error(fmt::format("{} the first time, and something else the second", headline(first)),
                   "give a tiler that does the same every time");
    if (const std::optional<ir::Diagnostic> failure = write()) return std::unexpected(ir::Diagnostics{*failure});
    return print();
  }

  ExitCode print() {
    const Best::Value best = best_.get();
    const fuzz::Size before = fuzz::size_of(given_.subject), after = fuzz::size_of(best.subject);
    const ExitCode exit = reduction_.end == fuzz::Reduction::End::smallest ? ExitCode::passes : ExitCode::undecided;
    const std::string end(
        description(reduction_.end == fuzz::Reduction::End::not_interesting ? fuzz::Reduction::End::stopped : reduction_.end));
    const bool has_file = arguments_.output != "-";
    const std::string text = has_file ? "" : find_text(given_, best.subject, best.judgement, arguments_);
    if (arguments_.format == Format::json) {
      Json record = record_head("reduce", exit == ExitCode::passes ? "done" : "ended-early", exit);
      record["expect"] = expectation_text(best.judgement);
      record["end"] = end;
      record["checks"] = reduction_.tests;
      record["before"] = json(before);
      record["after"] = json(after);
      record["output"] = arguments_.output;
      if (!has_file) record["text"] = text;
      console_.print(record_text(record));
      return exit;
    }
    const std::string summary =
        line("before:", before) + line("after: ", after) +
        fmt::format("still {}; {} after {} in {:.1f} s\n", headline(best.judgement), end,
                    oracle::plural(reduction_.tests, "check"), std::chrono::duration<double>(Clock::now() - begin_).count());
    console_.print(has_file ? summary : text);
    if (!has_file) Console::complain(summary);
    return exit;
  }
};

}  // namespace

Outcome reduce_command(const ReduceArguments& arguments, const pipeline::Registry& passes, Console& console) {
  auto given = load_find(arguments, passes);
  if (!given) return std::unexpected(std::move(given.error()));
  return Command(arguments, passes, console, std::move(*given)).run();
}

}  // namespace tileproof::tool
