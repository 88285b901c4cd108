#include "compiler/pipeline/run_pipeline.h"

#include "compiler/ir/suggestion.h"
#include "compiler/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace tileproof::pipeline {
namespace {

/// Sets what the vocabulary says of each remark. What is not in it is an error.
ir::Diagnostics complete(const Pass& pass, std::vector<Remark>& remarks) {
  ir::Diagnostics errors;
  for (Remark& remark : remarks) {
    const auto word = std::ranges::find(pass.vocabulary, remark.id, &RemarkDeclaration::id);
    if (word == pass.vocabulary.end()) {
      errors.push_back(
          {{}, {}, fmt::format("remarks {}, which is no word of its vocabulary", ir::quoted(remark.id)), "declare it"});
      continue;
    }
    remark.kind = word->kind;
    remark.pass = pass.name;
  }
  return errors;
}

/// What a pass makes of the program of `stage`, without a look at it, and what it says behind what is said there.
std::expected<void, Failure> run_unverified(Stage& stage, const Step& step, const machine::Machine* machine) {
  const auto fail = [&](Failure::Kind kind, ir::Diagnostics diagnostics) {
    return std::unexpected(Failure{kind, step.pass.name, std::move(diagnostics)});
  };
  std::expected<Options, ir::Diagnostics> options = Options::resolve(step.pass.options, step.given, machine);
  if (!options) return fail(Failure::Kind::refused, std::move(options.error()));
  std::vector<Remark> remarks;   // a pass sees its own alone, and may take them back
  std::vector<Obligation> obligations;
  std::expected<ir::Program, ir::Diagnostics> made = step.pass.run(
      std::move(stage.program), {.machine = machine, .options = *options, .remarks = remarks, .obligations = obligations});
  if (!made) return fail(Failure::Kind::refused, std::move(made.error()));
  if (ir::Diagnostics errors = complete(step.pass, remarks); !errors.empty())
    return fail(Failure::Kind::ill_formed, std::move(errors));
  std::ranges::move(remarks, std::back_inserter(stage.remarks));
  std::ranges::move(obligations, std::back_inserter(stage.obligations));
  stage.program = std::move(*made);
  return {};
}

std::expected<void, Failure> run_verified(Stage& stage, const Step& step, const machine::Machine* machine) {
  if (auto done = run_unverified(stage, step, machine); !done) return done;
  if (ir::Diagnostics errors = ir::verify(stage.program, ""); !errors.empty())
    return std::unexpected(Failure{Failure::Kind::ill_formed, step.pass.name, std::move(errors)});
  return {};
}

/// All passes, each by way of `run`.
template <class Run>
std::expected<Stage, Failure> run_all(const ir::Program& program, std::span<const Step> steps, const machine::Machine* machine,
                                      Run run) {
  Stage stage{program, {}, {}};
  for (const Step& step : steps)
    if (auto done = run(stage, step, machine); !done) return std::unexpected(std::move(done.error()));
  return stage;
}

}  // namespace

std::expected<Stage, Failure> run_step(const ir::Program& program, const Step& step, const machine::Machine* machine) {
  return run_all(program, {&step, 1}, machine, run_verified);
}

std::expected<Stage, Failure> run_pipeline(const ir::Program& program, const Pipeline& pipeline,
                                           const machine::Machine* machine) {
  // A look at the end is enough where it is well formed; where it is not, every stage is looked at, to name the pass.
  std::expected<Stage, Failure> all = run_all(program, pipeline.steps, machine, run_unverified);
  if (all && ir::verify(all->program, "").empty()) return all;
  return run_all(program, pipeline.steps, machine, run_verified);
}

}  // namespace tileproof::pipeline
