#include "fuzz/generate/generate.h"

#include "fuzz/generate/disturb.h"
#include "fuzz/generate/steps.h"
#include "oracle/interpret/kinds.h"

namespace tileproof::fuzz {

ir::Program generate_program(Choices& choices, const GenerateOptions& options) {
  const bool is_wild = options.wildness == GenerateOptions::Wildness::wild;
  ir::Program program;
  program.name = "generated";
  Scene scene(choices, options.most_points);
  for (uint64_t i = choices.below(4); i > 1; --i) {
    const int64_t low = choices.between(1, 3);
    program.parameters.push_back({scene.fresh("n"), low, low + choices.between(0, 5), {}});
  }
  scene.parameters = program.parameters;

  Steps steps(scene, !is_wild);
  steps.input(program.body, choices.chance(15));
  for (uint64_t i = choices.below(3); i > 0; --i) steps.input(program.body, choices.chance(15));
  for (uint64_t i = choices.below(3); i > 0; --i) steps.indices(program.body);
  for (uint64_t i = choices.below(5); i > 0; --i) steps.step(program.body);
  steps.result(program.body);

  if (is_wild) {
    for (uint64_t i = 1 + choices.below(8); i > 0; --i) disturb(program, choices);
  }
  return program;
}

oracle::RunOptions generate_run(const ir::Program& program, Choices& choices) {
  oracle::RunOptions options;
  for (const ir::Parameter& p : program.parameters) {
    const uint64_t form = choices.below(4);
    options.parameters[p.name] = form == 0 ? p.low : form == 1 ? p.high : choices.between(p.low, p.high);
  }
  options.key = 1 + choices.below(255);
  options.order = choices.pick({oracle::Order::forward, oracle::Order::reversed, oracle::Order::shuffled});
  options.kinds = oracle::common_kinds(program, program);
  options.pattern = oracle::all_patterns[choices.below(std::size(oracle::all_patterns))];
  if (!options.kinds.levels.empty()) options.level = options.kinds.levels[choices.below(options.kinds.levels.size())];
  options.findings = 1000;
  return options;
}

}  // namespace tileproof::fuzz
