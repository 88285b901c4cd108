// A program of twelve operations that a wrong tiler tiles wrongly comes down to what matters.
#include "fuzz/generate/graph.h"
#include "fuzz/generate/graph_machine.h"
#include "fuzz/plant/catalogue.h"
#include "fuzz/reduce/same_finding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <optional>

namespace tileproof::plant {
namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

const PlantedBug& bug_named(std::string_view name) { return *std::ranges::find(catalogue(), name, &PlantedBug::name); }

oracle::CheckOptions options_for(const fuzz::GraphMachine& machine) {
  oracle::CheckOptions options;
  options.machine = &machine.machine;
  options.threads = 1;
  return options;
}

struct LargeFind {
  const fuzz::GraphMachine* machine = nullptr;
  fuzz::Subject subject;
  fuzz::Judgement judgement;
};

/// The first drawn program of at least twelve operations that the tiler with the bug gets wrong, and the right one does not.
std::optional<LargeFind> large_find(const PlantedBug& bug, uint64_t most_cases = 50'000) {
  for (uint64_t number = 0; number < most_cases; ++number) {
    fuzz::Choices choices = fuzz::Choices::from_seed((uint64_t{12} << 32) + number);
    const fuzz::GraphMachine& machine = fuzz::draw_machine(choices);
    LargeFind find{&machine, {.programs = {fuzz::generate_graph(choices, machine.budgets)}, .pipeline = "penguin"}, {}};
    if (fuzz::size_of(find.subject).operations < 12) continue;
    find.judgement = fuzz::pipeline_judge(registry_with(bug), options_for(machine))(find.subject);
    const auto& report = find.judgement.report;
    if (!report || report->verdict != oracle::Verdict::refuted) continue;
    const auto right = fuzz::pipeline_judge(registry_with(PlantedBug{}), options_for(machine))(find.subject);
    if (right.report && oracle::exit_code(right.report->verdict) == 0) return find;
  }
  return std::nullopt;
}

class ReducePlanted : public testing::TestWithParam<const char*> {};

TEST_P(ReducePlanted, TakesTwelveOperationsToWhatMattersWithinThirtySeconds) {
  const PlantedBug& bug = bug_named(GetParam());
  const std::optional<LargeFind> find = large_find(bug);
  ASSERT_TRUE(find);
  const fuzz::Judge judge = fuzz::pipeline_judge(registry_with(bug), options_for(*find->machine));
  const double begin = processor_seconds();
  const fuzz::Reduction result = fuzz::reduce(find->subject, fuzz::same_finding(fuzz::trait_of(find->judgement), judge));
  const double seconds = processor_seconds() - begin;
  const fuzz::Size before = fuzz::size_of(find->subject), after = fuzz::size_of(result.subject);
  fmt::print("{}: {} operations, {} points to {} operations, {} points in {} tests, {:.1f} s of processor\n{}", bug.name,
             before.operations, before.points, after.operations, after.points, result.tests, seconds,
             fuzz::print(result.subject));
  EXPECT_LT(seconds, 30);
  EXPECT_EQ(result.end, fuzz::Reduction::End::smallest);
  EXPECT_LE(2 * after.operations, before.operations);
  // What is left is the fault of the bug, and of nothing else.
  const auto right = fuzz::pipeline_judge(registry_with(PlantedBug{}), options_for(*find->machine))(result.subject);
  ASSERT_TRUE(right.report);
  EXPECT_EQ(oracle::exit_code(right.report->verdict), 0) << fuzz::print(result.subject);
}

INSTANTIATE_TEST_SUITE_P(Bugs, ReducePlanted,
                         testing::Values("no-tail-on-stores", "begins-in-every-block", "transposed-load", "stale-tile",
                                         "narrow-operands", "counts-from-one", "not-loaded-again", "all-at-one-address"),
                         [](const auto& at) {
                           std::string name(at.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tileproof::plant
