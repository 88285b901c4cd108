#include "compiler/pipeline/run_pipeline.h"

#include "compiler/ir/suggestion.h"
#include "compiler/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tileproof::pipeline {
namespace {

template <class Value>
void move_to_back(std::vector<Value>&& from, std::vector<Value>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

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

/// Without a look at the program that it makes.
std::expected<Stage, Failure> run_unverified(ir::Program program, const Step& step, const machine::Machine* machine) {
  const auto fail = [&](Failure::Kind kind, ir::Diagnostics diagnostics) {
    return std::unexpected(Failure{kind, step.pass.name, std::move(diagnostics)});
  };
  std::expected<Options, ir::Diagnostics> options = Options::resolve(step.pass.options, step.given, machine);
  if (!options) return fail(Failure::Kind::refused, std::move(options.error()));
  Stage stage;
  std::expected<ir::Program, ir::Diagnostics> made = step.pass.run(
      std::move(program), {.machine = machine, .options = *options, .remarks = stage.remarks, .obligations = stage.obligations});
  if (!made) return fail(Failure::Kind::refused, std::move(made.error()));
  if (ir::Diagnostics errors = complete(step.pass, stage.remarks); !errors.empty())
    return fail(Failure::Kind::ill_formed, std::move(errors));
  stage.program = std::move(*made);
  return stage;
}

/// All passes, each by way of `run`.
template <class Run>
std::expected<Stage, Failure> run_all(ir::Program program, const Pipeline& pipeline, const machine::Machine* machine, Run run) {
  Stage all;
  all.program = std::move(program);
  for (const Step& step : pipeline.steps) {
    std::expected<Stage, Failure> stage = run(std::move(all.program), step, machine);
    if (!stage) return stage;
    all.program = std::move(stage->program);
    move_to_back(std::move(stage->remarks), all.remarks);
    move_to_back(std::move(stage->obligations), all.obligations);
  }
  return all;
}

}  // namespace

std::expected<Stage, Failure> run_step(const ir::Program& program, const Step& step, const machine::Machine* machine) {
  std::expected<Stage, Failure> stage = run_unverified(program, step, machine);
  if (!stage) return stage;
  if (ir::Diagnostics errors = ir::verify(stage->program, ""); !errors.empty())
    return std::unexpected(Failure{Failure::Kind::ill_formed, step.pass.name, std::move(errors)});
  return stage;
}

std::expected<Stage, Failure> run_pipeline(const ir::Program& program, const Pipeline& pipeline,
                                           const machine::Machine* machine) {
  // A look at the end is enough where it is well formed; where it is not, every stage is looked at, to name the pass.
  std::expected<Stage, Failure> all = run_all(program, pipeline, machine, run_unverified);
  if (all && ir::verify(all->program, "").empty()) return all;
  return run_all(program, pipeline, machine, run_step);
}

}  // namespace tileproof::pipeline
