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

}  // namespace

std::expected<Stage, Failure> run_step(const ir::Program& program, const Step& step, const machine::Machine* machine) {
  const auto fail = [&](Failure::Kind kind, ir::Diagnostics diagnostics) {
    return std::unexpected(Failure{kind, step.pass.name, std::move(diagnostics)});
  };
  std::expected<Options, ir::Diagnostics> options = Options::resolve(step.pass.options, step.given, machine);
  if (!options) return fail(Failure::Kind::refused, std::move(options.error()));
  Stage stage;
  std::expected<ir::Program, ir::Diagnostics> made = step.pass.run(
      program, {.machine = machine, .options = *options, .remarks = stage.remarks, .obligations = stage.obligations});
  if (!made) return fail(Failure::Kind::refused, std::move(made.error()));
  if (ir::Diagnostics errors = ir::verify(*made, ""); !errors.empty()) return fail(Failure::Kind::ill_formed, std::move(errors));
  if (ir::Diagnostics errors = complete(step.pass, stage.remarks); !errors.empty())
    return fail(Failure::Kind::ill_formed, std::move(errors));
  stage.program = std::move(*made);
  return stage;
}

std::expected<Stage, Failure> run_pipeline(const ir::Program& program, const Pipeline& pipeline,
                                           const machine::Machine* machine) {
  Stage all{.program = program, .remarks = {}, .obligations = {}};
  for (const Step& step : pipeline.steps) {
    std::expected<Stage, Failure> stage = run_step(all.program, step, machine);
    if (!stage) return stage;
    all.program = std::move(stage->program);
    move_to_back(std::move(stage->remarks), all.remarks);
    move_to_back(std::move(stage->obligations), all.obligations);
  }
  return all;
}

}  // namespace tileproof::pipeline
