#include "fuzz/hunt/pipeline_tiler.h"

#include "compiler/pipeline/run_pipeline.h"
#include "oracle/pipeline/declined.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tileproof::fuzz {

namespace {

Made made_by(const ir::Program& original, const pipeline::Pipeline& pipeline, const machine::Machine* machine) {
  auto stage = pipeline::run_pipeline(original, pipeline, machine);
  if (stage) return {Made::Kind::program, std::move(stage->program), {}, {}};
  const pipeline::Failure& failure = stage.error();
  const auto kind = failure.kind == pipeline::Failure::Kind::refused ? Made::Kind::refused : Made::Kind::garbage;
  return {kind, {}, failure.diagnostics.empty() ? "" : failure.diagnostics.front().message, failure.pass};
}

bool is_refuted(const std::expected<oracle::CheckReport, ir::Diagnostics>& report) {
  return report && report->verdict == oracle::Verdict::refuted;
}

std::string blamed(const ir::Program& original, const pipeline::Pipeline& pipeline, const oracle::CheckReport& end,
                   const oracle::CheckOptions& options) {
  oracle::CheckOptions meaning = options;
  meaning.machine = nullptr;
  std::string pass;   // after which each check gave the finding of the end
  ir::Program program = original;
  for (const pipeline::Step& step : pipeline.steps) {
    auto stage = pipeline::run_step(program, step, options.machine);
    if (!stage) break;
    program = std::move(stage->program);
    if (is_refuted(oracle::check(original, program, meaning))) return step.pass.name;
    const auto report = oracle::check(original, program, options);
    const bool is_same = is_refuted(report) && !end.findings.empty() && !report->findings.empty() &&
                         report->findings.front().id == end.findings.front().id;
    if (!is_same)
      pass.clear();
    else if (pass.empty())
      pass = step.pass.name;
  }
  return pass;
}

std::string excused(const ir::Program& original, const pipeline::Pipeline& pipeline, const oracle::CheckReport& end,
                    const oracle::CheckOptions& options) {
  if (std::ranges::any_of(end.findings, [](const oracle::Finding& each) { return each.id < oracle::FindingId::capacity; }))
    return {};   // as declined_for would say, but sooner
  std::vector<oracle::Declined> declined;
  ir::Program program = original;
  for (const pipeline::Step& step : pipeline.steps) {
    auto stage = pipeline::run_step(program, step, options.machine);
    if (!stage) return {};
    for (oracle::Declined& each : oracle::declined_statements(program, *stage)) declined.push_back(std::move(each));
    program = std::move(stage->program);
  }
  const auto found = oracle::declined_for(end, program, declined);
  return found ? fmt::format("declined: {}", found->remark.id) : "";
}

}  // namespace

Tiler pipeline_tiler(pipeline::Pipeline pipeline) {
  return {.make = [pipeline](const ir::Program& original,
                             const machine::Machine* machine) { return made_by(original, pipeline, machine); },
          .blame = [pipeline](const ir::Program& original, const oracle::CheckReport& report,
                              const oracle::CheckOptions& options) { return blamed(original, pipeline, report, options); },
          .excuse = [pipeline](const ir::Program& original, const oracle::CheckReport& report,
                               const oracle::CheckOptions& options) { return excused(original, pipeline, report, options); }};
}

}  // namespace tileproof::fuzz
