#include "fuzz/plant/hunt.h"

#include "compiler/ir/text.h"
#include "compiler/penguin/cut_obligation.h"
#include "compiler/penguin/penguin.h"
#include "compiler/pipeline/run_pipeline.h"
#include "oracle/prove/obligation.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace tileproof::plant {
namespace {

using oracle::Verdict;

/// So that time spent in other threads does not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Case {
  const fuzz::GraphMachine* machine = nullptr;
  ir::Program program;
};

Case make_case(uint64_t seed, uint64_t index, fuzz::GraphFamily family = fuzz::GraphFamily::operations) {
  fuzz::Choices choices = fuzz::Choices::from_seed((seed << 32) + index);
  const fuzz::GraphMachine& machine = fuzz::draw_machine(choices, family);
  return {&machine, fuzz::generate_graph(choices, machine.budgets, {.family = family})};
}

/// A tiler, with its bug.
class Tiler {
 public:
  explicit Tiler(const PlantedBug& bug) : pipeline_(*pipeline::parse_pipeline("penguin", registry_with(bug))) {}
  Tiler() : Tiler(PlantedBug{}) {}

  std::expected<pipeline::Stage, pipeline::Failure> operator()(const Case& subject) const {
    return pipeline::run_pipeline(subject.program, pipeline_, &subject.machine->machine);
  }

 private:
  pipeline::Pipeline pipeline_;
};

/// What the passes state of their cuts. A cut that answers no question is none.
bool breaks_an_obligation(const pipeline::Stage& stage) {
  return std::ranges::any_of(stage.obligations, [](const pipeline::Obligation& obligation) {
    const auto cut = penguin::cut_statement(obligation);
    return !cut || !prove::first_broken(*cut).empty();
  });
}

const pipeline::Remark* declined(const pipeline::Stage& stage) {
  const auto found = std::ranges::find(stage.remarks, pipeline::RemarkKind::declined, &pipeline::Remark::kind);
  return found == stage.remarks.end() ? nullptr : &*found;
}

oracle::CheckReport checked(const ir::Program& original, const ir::Program& tiled, const machine::Machine& machine,
                            int keys = 0) {
  oracle::CheckOptions options;
  options.machine = &machine;
  options.threads = 1;
  options.keys = keys;
  auto report = oracle::check(original, tiled, options);
  if (report) return *std::move(report);
  oracle::CheckReport other;   // another interface: no program of the pipeline's
  other.verdict = Verdict::refuted;
  other.reason = report.error().front().message;
  return other;
}

std::string finding_of(const oracle::CheckReport& report) {
  return oracle::code(report.findings.empty() ? oracle::FindingId::value : report.findings.front().id);
}

Seer cheapest_for(const Case& subject, const ir::Program& tiled, bool breaks_an_obligation) {
  const machine::Machine& machine = subject.machine->machine;
  if (breaks_an_obligation) return Seer::obligations;
  const Verdict alone = checked(tiled, tiled, machine, 1).verdict;
  if (alone == Verdict::refuted || alone == Verdict::bad_original) return Seer::alone;
  return checked(subject.program, tiled, machine, 1).verdict == Verdict::refuted ? Seer::one_key : Seer::check;
}

}  // namespace

std::string_view name(Seer seer) {
  constexpr std::array<std::string_view, 5> names{"verify", "obligations", "alone", "one key", "check"};
  return names[static_cast<size_t>(seer)];
}

Hunt hunt(const PlantedBug& bug, uint64_t seed, const HuntLimits& limits) {
  Tiler right, wrong(bug);
  Hunt result;
  double begin = processor_seconds();
  const auto found = [&](const Case& subject, std::string finding) {
    Find find;
    find.cases = result.cases;
    find.seconds = processor_seconds() - begin;
    find.finding = std::move(finding);
    find.statements = ir::labelled_statements(subject.program).size();
    find.original = ir::print(subject.program);
    find.machine = subject.machine->name;
    result.find = std::move(find);
  };
  while (!result.find && result.cases < limits.cases && (limits.seconds == 0 || processor_seconds() - begin < limits.seconds)) {
    const Case subject = make_case(seed, result.cases++, bug.family);
    const auto expected = right(subject);
    if (!expected || declined(*expected) != nullptr) continue;
    const auto tiled = wrong(subject);
    if (!tiled) {
      if (tiled.error().kind != pipeline::Failure::Kind::ill_formed) continue;
      ++result.touched;
      found(subject, "ill-formed");
      result.find->cheapest = Seer::verify;
      continue;
    }
    if (tiled->program == expected->program || declined(*tiled) != nullptr) continue;
    ++result.touched;
    if (bug.wasteful) {
      if (!breaks_an_obligation(*tiled)) continue;
      found(subject, "obligation");
      result.find->cheapest = Seer::obligations;
    } else {
      const oracle::CheckReport report = checked(subject.program, tiled->program, subject.machine->machine);
      if (report.verdict == Verdict::harness_error && result.harness_errors++ == 0) result.harness_error = report.reason;
      if (report.verdict != Verdict::refuted) continue;
      found(subject, finding_of(report));
      result.find->cheapest = cheapest_for(subject, tiled->program, breaks_an_obligation(*tiled));
    }
    result.find->tiled = ir::print(tiled->program);
  }
  return result;
}

RightCase right_case(uint64_t seed, uint64_t index) {
  thread_local Tiler tiler;
  const Case subject = make_case(seed, index);
  const auto tiled = tiler(subject);
  if (!tiled) {
    const bool ill_formed = tiled.error().kind == pipeline::Failure::Kind::ill_formed;
    return {ill_formed ? Verdict::refuted : Verdict::unsupported,
            tiled.error().pass + (ill_formed ? ": ill-formed" : ": refused")};
  }
  if (const pipeline::Remark* remark = declined(*tiled)) return {Verdict::unsupported, "declined: " + remark->id};
  if (breaks_an_obligation(*tiled)) return {Verdict::refuted, "obligation"};
  const oracle::CheckReport report = checked(subject.program, tiled->program, subject.machine->machine);
  return {report.verdict, report.verdict == Verdict::refuted ? finding_of(report) : report.reason};
}

}  // namespace tileproof::plant
