#include "fuzz/property/pipeline.h"

#include "compiler/ir/text.h"
#include "compiler/pipeline/run_pipeline.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/graph.h"
#include "oracle/equivalence/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tileproof::fuzz {

namespace {

/// Small, so that an execution under sanitizers stays within some hundredths of a second.
constexpr GraphOptions small_graphs{.most_points = 300, .most_operations = 5};
constexpr uint64_t most_points = 400'000;   // of one run of the oracle; more is undecided

std::string broken_by_check(const oracle::CheckReport& report) {
  if (report.verdict != oracle::Verdict::refuted && report.verdict != oracle::Verdict::harness_error &&
      report.verdict != oracle::Verdict::bad_original)
    return "";
  std::string what = fmt::format("{} {}", oracle::name(report.verdict), report.reason);
  for (const oracle::Finding& finding : report.findings) {
    what += fmt::format("\n{} on {}: {}", oracle::name(finding.id), finding.buffer, finding.detail);
    if (what.size() > 2000) break;
  }
  return what;
}

std::string check(const ir::Program& original, const ir::Program& tiled, const machine::Machine* machine) {
  oracle::CheckOptions options;
  options.machine = machine;
  options.threads = 1;
  options.max_points = most_points;
  const auto report = oracle::check(original, tiled, options);
  return report ? broken_by_check(*report) : ir::to_string(report.error().front());
}

std::string draw_penguin(Choices& choices) {
  std::string options;
  const auto add = [&](const std::string& option) { options += (options.empty() ? "" : ",") + option; };
  if (choices.chance(25)) add("uniform-tile=true");
  if (choices.chance(15)) add(fmt::format("pg-tile-size={}", choices.between(1, 64)));
  if (choices.chance(10)) add("align=false");
  if (choices.chance(15)) add("reverse-tile=true");
  return options.empty() ? "penguin" : fmt::format("penguin{{{}}}", options);
}

/// The first statement that no remark answers for; empty: none.
std::string unanswered(const ir::Program& program, const std::vector<pipeline::Remark>& remarks) {
  std::set<std::string> answered;
  for (const pipeline::Remark& remark : remarks)
    if (remark.id == "generated" || remark.kind == pipeline::RemarkKind::declined) answered.insert(remark.statement);
  for (const auto& [statement, label] : ir::labelled_statements(program))
    if (!answered.contains(label)) return label;
  return "";
}

}  // namespace

PipelineCase draw_pipeline_case(Choices& choices) {
  PipelineCase result;
  result.machine = &draw_machine(choices);
  result.pipeline = draw_penguin(choices);
  result.program = generate_graph(choices, result.machine->budgets, small_graphs);
  return result;
}

PipelineCase draw_nest_case(Choices& choices) {
  PipelineCase result;
  result.machine = &draw_machine(choices);
  result.pipeline = draw_penguin(choices);
  result.program = generate_program(choices, {.most_points = 80});
  result.is_judged_on_machine = false;
  return result;
}

std::string to_string(const PipelineCase& c) {
  return fmt::format("# pipeline {}\n# machine {}\n{}", c.pipeline, c.machine->name, ir::print(c.program));
}

std::string broken_by_pipeline(const PipelineCase& c, const pipeline::Registry& registry) {
  const auto pipeline = pipeline::parse_pipeline(c.pipeline, registry);
  if (!pipeline) return ir::to_string(pipeline.error().front());
  const auto made = pipeline::run_pipeline(c.program, *pipeline, &c.machine->machine);
  if (!made) {
    if (made.error().kind == pipeline::Failure::Kind::refused) return "";
    return fmt::format("{}: {}", made.error().pass, ir::to_string(made.error().diagnostics.front()));
  }
  if (const std::string label = unanswered(c.program, made->remarks); !label.empty()) return "no remark for " + label;
  const bool declined = std::ranges::any_of(
      made->remarks, [](const pipeline::Remark& remark) { return remark.kind == pipeline::RemarkKind::declined; });
  const std::string broken = check(c.program, made->program, declined || !c.is_judged_on_machine ? nullptr : &c.machine->machine);
  return broken.empty() ? "" : broken + "\n" + ir::print(made->program);
}

}  // namespace tileproof::fuzz
