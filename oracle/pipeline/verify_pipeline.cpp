#include "oracle/pipeline/verify_pipeline.h"

#include "oracle/pipeline/declined.h"
#include "oracle/plural.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace tileproof::oracle {
namespace {

using Clock = std::chrono::steady_clock;

bool passes(Verdict verdict) { return verdict == Verdict::proved || verdict == Verdict::tested; }
bool is_undecided(Verdict verdict) { return verdict == Verdict::unsupported || verdict == Verdict::timeout; }

CheckReport report_of(Verdict verdict, std::string reason) {
  CheckReport report;
  report.verdict = verdict;
  report.reason = std::move(reason);
  return report;
}

/// "split refuses: no axis is long enough (at 3:5); leave the pass out".
std::string sentence(std::string head, const ir::Diagnostics& diagnostics) {
  for (size_t i = 0; i < diagnostics.size(); ++i) {
    const ir::Diagnostic& one = diagnostics[i];
    head += fmt::format("{}{}", i == 0 ? ": " : "; ", one.message);
    if (one.location.line > 0) head += fmt::format(" (at {}:{})", one.location.line, one.location.column);
    if (!one.mend.empty()) head += "; " + one.mend;
  }
  return head;
}

class Verification {
 public:
  Verification(const ir::Program& original, const pipeline::Pipeline& pipeline, const CheckOptions& options,
               const Discharge& discharge)
      : original_(original), pipeline_(pipeline), options_(options), discharge_(discharge) {}

  PipelineReport run() {
    if (pipeline_.steps.empty()) {
      result_.complete = true;
      decide(check(original_, options_.machine), "");
      result_.points = result_.report.points;
      return std::move(result_);
    }
    for (size_t i = 0; i < pipeline_.steps.size(); ++i) {
      if (!step(pipeline_.steps[i], i + 1 == pipeline_.steps.size())) break;
    }
    return std::move(result_);
  }

 private:
  /// False: it ends here.
  bool step(const pipeline::Step& step, bool is_last) {
    const std::string& name = step.pass.name;
    const ir::Program& before = result_.passes.empty() ? original_ : result_.passes.back().stage.program;
    say(name);
    std::expected<pipeline::Stage, pipeline::Failure> stage = run_step(before, step, options_.machine);
    if (!stage) {
      const bool refused = stage.error().kind == pipeline::Failure::Kind::refused;
      decide(report_of(refused ? Verdict::unsupported : Verdict::refuted,
                       sentence(refused ? name + " refuses" : fmt::format("what {} made is not well formed", name),
                                stage.error().diagnostics)),
             name, refused);
      return false;
    }
    for (Declined& each : declined_statements(before, *stage)) declined_.push_back(std::move(each));
    CheckedPass checked{.pass = name, .changed = stage->program != before, .stage = std::move(*stage), .report = {}};
    const machine::Machine* const machine = is_last ? options_.machine : nullptr;
    if (checked.changed || machine != nullptr || result_.passes.empty()) {
      checked.report = excused(check(checked.stage.program, machine), checked.stage.program);
      result_.points += checked.report.points;
    } else {
      checked.report = result_.passes.back().report;
      ++result_.counted["checks left out: the pass changed nothing"];
    }
    decide(checked.report, name);
    result_.passes.push_back(std::move(checked));
    discharge(result_.passes.back());
    result_.complete = is_last;
    const Verdict verdict = result_.report.verdict;
    return passes(verdict) || verdict == Verdict::unsupported;
  }

  void say(const std::string& doing) const {
    if (options_.progress) options_.progress(doing);
  }

  CheckReport check(const ir::Program& program, const machine::Machine* machine) const {
    CheckOptions options = options_;
    options.machine = machine;
    if (options_.timeout.count() > 0) {
      options.timeout = std::chrono::floor<std::chrono::milliseconds>(options_.timeout - (Clock::now() - begin_));
      if (options.timeout.count() < 1) return report_of(Verdict::timeout, "the time is over; raise --timeout");
    }
    std::expected<CheckReport, ir::Diagnostics> report = oracle::check(original_, program, options);
    if (!report) return report_of(Verdict::refuted, sentence("the interface is another one", report.error()));
    return std::move(*report);
  }

  /// A program that passes declined a part of is not tiled, and not wrong for that.
  CheckReport excused(CheckReport report, const ir::Program& end) {
    const std::optional<Declined> declined = declined_for(report, end, declined_);
    if (!declined) return report;
    const pipeline::Remark& remark = declined->remark;
    report.verdict = Verdict::unsupported;
    report.reason = fmt::format("{} declined {}: {}: {}; the limits of the machine do not hold for it", remark.pass,
                                remark.statement, remark.id, remark.text);
    result_.counted["findings in statements that a pass declined"] += report.findings.size();
    report.findings.clear();
    return report;
  }

  /// Takes a report for the decisive one, unless that is already worse. `ends`: nothing can be said about what was wanted.
  void decide(CheckReport report, const std::string& pass, bool ends = false) {
    const Verdict now = result_.report.verdict;
    if (!first_ && is_undecided(now) && !ends && (passes(report.verdict) || is_undecided(report.verdict))) return;
    first_ = false;
    result_.report = std::move(report);
    result_.pass = result_.report.verdict == Verdict::bad_original ? "" : pass;
  }

  void discharge(const CheckedPass& checked) {
    for (const pipeline::Obligation& obligation : checked.stage.obligations) {
      if (!discharge_) {
        ++result_.counted["obligations not proved: no prover"];
        continue;
      }
      const Verdict verdict = discharge_(obligation);
      if (verdict == Verdict::proved) {
        ++result_.counted["obligations proved"];
        continue;
      }
      ++result_.counted[fmt::format("obligations not proved: {}", name(verdict))];
      if (verdict != Verdict::refuted || !passes(result_.report.verdict)) continue;
      std::string text = fmt::format("{} of {} does not hold for", obligation.lemma, checked.pass);
      for (const auto& [variable, value] : obligation.values) text += fmt::format(" {}={}", variable, value);
      decide(report_of(Verdict::refuted, std::move(text)), checked.pass);
    }
  }

  const ir::Program& original_;
  const pipeline::Pipeline& pipeline_;
  const CheckOptions& options_;
  const Discharge& discharge_;
  const Clock::time_point begin_ = Clock::now();
  bool first_ = true;
  std::vector<Declined> declined_;
  PipelineReport result_;
};

}  // namespace

PipelineReport verify_pipeline(const ir::Program& original, const pipeline::Pipeline& pipeline, const CheckOptions& options,
                               const Discharge& discharge) {
  return Verification(original, pipeline, options, discharge).run();
}

}  // namespace tileproof::oracle
