#include "fuzz/plant/hunt.h"

#include "compiler/ir/text.h"
#include "compiler/penguin/cut_arithmetic.h"
#include "compiler/penguin/penguin.h"
#include "compiler/pipeline/run_pipeline.h"
#include "oracle/prove/obligation.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace tileproof::plant {
namespace {

using oracle::Verdict;
using penguin::ComputeCutParams;

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

Case make_case(uint64_t seed, uint64_t index) {
  fuzz::Choices choices = fuzz::Choices::from_seed((seed << 32) + index);
  const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
  return {&machine, fuzz::generate_graph(choices, machine.budgets)};
}

/// The same rules, which also note each cut with the question that it answers.
penguin::CutRules watched(const penguin::CutRules& rules, std::vector<prove::ConcreteCut>& cuts) {
  using Cut = penguin::CutRules::Cut;
  using Extents = penguin::CutRules::Extents;
  penguin::CutRules result = rules;
  const auto note = [&cuts](Extents extents, int64_t cut_size, penguin::CutOptions options, const Cut& cut) {
    if (cut) cuts.push_back({{extents.begin(), extents.end()}, cut_size, options, *cut});
    return cut;
  };
  result.partition = [note, cut = rules.partition](Extents extents, const ComputeCutParams& params) {
    return note(extents, params.par_axes_cut_size, {.uniform = params.uniform_tile, .multiple = params.partition_multiple},
                cut(extents, params));
  };
  result.free = [note, cut = rules.free](Extents extents, Extents protected_extents, const ComputeCutParams& params) {
    int64_t charged = 1;
    for (const int64_t extent : protected_extents) charged *= std::max<int64_t>(extent, 1);
    return note(extents, penguin::arithmetic::budget_beside(penguin::free_budget(params), charged),
                {.uniform = params.uniform_tile}, cut(extents, protected_extents, params));
  };
  result.stationary = [note, cut = rules.stationary](Extents extents, const ComputeCutParams& params) {
    return note(extents, params.stationary_free_cut_size, {.uniform = params.uniform_tile}, cut(extents, params));
  };
  result.moving = [note, cut = rules.moving](Extents extents, const ComputeCutParams& params) {
    return note(extents, params.moving_free_cut_size, {.uniform = params.uniform_tile_moving_free}, cut(extents, params));
  };
  result.reduction = [note, cut = rules.reduction](Extents extents, int64_t cut_size, penguin::CutOptions options) {
    return note(extents, cut_size, options, cut(extents, cut_size, options));
  };
  return result;
}

bool is_broken(const prove::ConcreteCut& cut) {
  // A budget of nothing is no question.
  return cut.cut_size < 1 || (cut.cut.dim && *cut.cut.dim >= cut.extents.size()) || !prove::first_broken(cut).empty();
}

/// The tiler, with its cuts watched. Lives where it was made.
class Tiler {
 public:
  explicit Tiler(const PlantedBug& bug)
      : pipeline_(*pipeline::parse_pipeline("penguin", registry_with(bug, watched(rules_of(bug), cuts_)))) {}
  Tiler() : Tiler(PlantedBug{}) {}
  Tiler(const Tiler&) = delete;
  Tiler& operator=(const Tiler&) = delete;

  std::expected<pipeline::Stage, pipeline::Failure> operator()(const Case& subject) {
    cuts_.clear();
    return pipeline::run_pipeline(subject.program, pipeline_, &subject.machine->machine);
  }
  /// Of the last program.
  bool breaks_an_obligation() const { return std::ranges::any_of(cuts_, is_broken); }

 private:
  std::vector<prove::ConcreteCut> cuts_;
  pipeline::Pipeline pipeline_;
};

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
    const Case subject = make_case(seed, result.cases++);
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
      if (!wrong.breaks_an_obligation()) continue;
      found(subject, "obligation");
      result.find->cheapest = Seer::obligations;
    } else {
      const oracle::CheckReport report = checked(subject.program, tiled->program, subject.machine->machine);
      if (report.verdict == Verdict::harness_error && result.harness_errors++ == 0) result.harness_error = report.reason;
      if (report.verdict != Verdict::refuted) continue;
      found(subject, finding_of(report));
      result.find->cheapest = cheapest_for(subject, tiled->program, wrong.breaks_an_obligation());
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
  if (tiler.breaks_an_obligation()) return {Verdict::refuted, "obligation"};
  const oracle::CheckReport report = checked(subject.program, tiled->program, subject.machine->machine);
  return {report.verdict, report.verdict == Verdict::refuted ? finding_of(report) : report.reason};
}

}  // namespace tileproof::plant
