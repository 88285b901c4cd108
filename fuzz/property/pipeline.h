// What a pipeline keeps of any program: its meaning, and what the machine can do.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/pipeline/pipeline.h"
#include "fuzz/generate/choices.h"
#include "fuzz/generate/graph_machine.h"

#include <cstdint>
#include <string>

namespace tileproof::fuzz {

struct PipelineCase {
  ir::Program program;
  const GraphMachine* machine = nullptr;
  std::string pipeline;  ///< its text: `penguin{uniform-tile=true}`
  bool is_judged_on_machine = true;
};

/// A small graph for one of graph_machines(), and `penguin` with or without options.
PipelineCase draw_pipeline_case(Choices& choices);
/// A small program with loops, branches, views, moves and tiles of its own instead, which are more than the tiler knows: the limits of the machine are not for it.
PipelineCase draw_nest_case(Choices& choices);
/// The pipeline, the machine, and the program as `.tile` text: the first two as comments in front.
std::string to_string(const PipelineCase& pipeline_case);

/// The passes `pipeline` is made of, as `registry` has them. A pass may refuse the program, or decline a part of it with a remark;
/// empty: nothing else is wrong. Otherwise the first of these:
///
///   what a pass made is not well formed, or has other inputs, outputs or parameters
///   it does not mean the same (refuted), or the oracle contradicts itself (harness-error), or finds the original without one meaning
///   a statement of which no pass said that it was tiled or why it was not
///   it is not legal on the machine, though no pass declined anything
std::string broken_by_pipeline(const PipelineCase& pipeline_case, const pipeline::Registry& registry);

}  // namespace tileproof::fuzz
